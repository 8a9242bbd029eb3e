# The program of everything.json as TVM 0.10 prints it.
@T.prim_func
def everything(A: T.Buffer[64, "float32"], B: T.Buffer[64, "float32"], I: T.Buffer[64, "int8"], n: T.int32) -> None:
    # function attr dict
    T.func_attr({"global_symbol": "everything"})
    # var definition
    x = T.var("int32")
    # body
    buf = T.allocate([20], "float32", "local", annotations={"key":1})
    buf_1 = T.buffer_decl([16], dtype="float32", data=buf, scope="local", align=32)
    buf_2 = T.buffer_decl([4, 4], dtype="float32", data=buf, strides=[5, 1], scope="local")
    for i in T.serial(2, 2 + n):
        if i < n and i % 3 != 0 or not i >= 7:
            A[i] = T.Select(i > 5, T.float32(1.5), T.float32("-inf"))
        else:
            A[i] = T.max(A[i], T.min(B[i], T.float32(0.25)))
        if T.likely(i + 4 <= n, dtype="bool"):
            A[i] = T.cast(I[i], "float32")
        with T.let(t, i // 2):
            B[t] = T.let(x, t + 1, T.if_then_else(x == 2, A[x], T.exp(A[t], dtype="float32"), dtype="float32"))
        buf_1[i * 0:i * 0 + 4] = T.broadcast(T.float32(2), 4)
        buf_2[1, 2] = T.float32(0)
        while A[0] < T.float32(10):
            A[0] = A[0] + T.float32(1)
        with T.Assert(i < 64, "too \"large\"\n"):
            T.evaluate(0)
        T.evaluate(T.call_extern("f", T.truncdiv(i, 2), T.truncmod(i, 2), T.int64(3) - T.int64(-4), buf.data, dtype="int32"))
        T.evaluate(T.shuffle([T.broadcast(T.float32(1), 2), T.broadcast(T.float32(2), 2)], [0, 3]))
