. "$TOP/tests/cli/predict/model.inc"
cdmpp predict -m m.safetensors -d v1000 conv2d_gpu.py
