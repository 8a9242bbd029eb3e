. "$TOP/tests/cli/predict/model.inc"
for format in table tsv json; do
    cdmpp predict -m m.safetensors --format $format matmul_cpu.py conv2d_gpu.py dense_gpu.json | plain
done
# No terminal: tsv.
cdmpp predict -m m.safetensors matmul_cpu.py | plain
