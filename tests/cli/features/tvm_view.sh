# A row for each buffer: the operations of both stores, all else of the last one.
cat >two.py <<'EOF'
@T.prim_func
def two(A: T.Buffer[(16,), "float32"], B: T.Buffer[(16,), "float32"]):
    T.realize(A[0:16], "global")
    for i in T.serial(16):
        A[i] = B[i] + T.float32(1)
    for i in T.serial(8):
        A[i] = A[i] * T.float32(2)
EOF
columns=1-7,8,9,58-75,162-
cdmpp features --raw two.py | cut -f $columns
cdmpp features --raw --tvm-view two.py | cut -f $columns
