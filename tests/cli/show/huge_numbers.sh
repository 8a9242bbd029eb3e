# Numbers at the end of their range are kept as they are.
cat >numbers.py <<'EOF'
@T.prim_func
def numbers(A: T.Buffer((9223372036854775807, T.int64(9223372036854775807)), "float32"), n: T.int64):
    for i in T.serial(-9223372036854775808, 9223372036854775807):
        for j in T.serial(n * 9223372036854775807):
            A[i // T.int64(-1), i % T.int64(-1)] = T.float64(1e308) * T.float64(1e308)
            A[-9223372036854775808 // T.int64(-1), T.truncmod(i, T.int64(-1))] = 99999999999999999999
EOF
cdmpp show numbers.py
cdmpp features --raw numbers.py | cut -f 4-6,57-77,162-
