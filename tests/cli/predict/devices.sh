# In the order of -d, each once, however it is written; a path is a device too.
. "$TOP/tests/cli/predict/model.inc"
cdmpp predict -m m.safetensors -d v100,T4,tesla_v100,a100 conv2d_gpu.py | plain
cdmpp predict -m m.safetensors -d xeon-emr-1t -d ./my-box.yaml matmul_cpu.py | plain
cdmpp predict -m m.safetensors matmul_cpu.py | plain
