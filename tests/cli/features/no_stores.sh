# A program without stores has no rows; it is no error here.
cat >none.py <<'EOF'
@T.prim_func
def none(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_extern("int32", "f", A.data))
EOF
cdmpp features none.py | cut -f 1-5
cdmpp features --format json none.py | sed 's/"names":.*\],"pos/"names":[],"pos/'
