# What cannot be predicted stands in its place in the json output, and is told; the rest is done.
. "$TOP/tests/cli/predict/model.inc"
cat >bad.py <<'EOF'
@T.prim_func
def bad(A: T.Buffer((4,), "float32")):
    A[0] = B[1]
EOF
cat >none.py <<'EOF'
@T.prim_func
def none(A: T.Buffer((4,), "float32")):
    T.evaluate(0)
EOF
printf '{"id":"cut","tir":"@T.prim\n' >lines
gzip -dc programs/programs.ndjson.gz | tail -n 1 >>lines
cdmpp predict -m m.safetensors --format json matmul_cpu.py bad.py nonsuch none.py lines softmax_cpu.py | plain
echo ---
cdmpp predict -m m.safetensors -d v100 --format json matmul_cpu.py conv2d_gpu.py | plain
echo ---
cdmpp predict -m m.safetensors --format tsv bad.py matmul_cpu.py >out
status=$?
plain <out
exit $status
