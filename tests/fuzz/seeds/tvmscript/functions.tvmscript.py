# The programs of functions.json as TVM 0.10 prints them.
from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def a(Y: T.Buffer[8, "float32"]) -> None:
        # function attr dict
        T.func_attr({"global_symbol": "a"})
        # body
        for i in T.serial(7):
            Y[i + 1] = T.float32(2)
            Y[i] = T.float32(3)
    @T.prim_func
    def b(X: T.Buffer[8, "float32"]) -> None:
        # function attr dict
        T.func_attr({"global_symbol": "b"})
        # body
        for i in T.serial(7):
            X[i + 1] = T.float32(1)
