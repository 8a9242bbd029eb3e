. "$TOP/tests/cli/predict/model.inc"
cdmpp predict -m m.safetensors --run-on cuda matmul_cpu.py
