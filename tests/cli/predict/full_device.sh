. "$TOP/tests/cli/predict/model.inc"
cdmpp predict -m m.safetensors matmul_cpu.py >/dev/full
