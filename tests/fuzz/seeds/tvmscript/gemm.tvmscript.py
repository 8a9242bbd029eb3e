# The program of gemm.json as TVM 0.10 prints it.
from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer[(32, 64), "float32"], B: T.Buffer[(64, 16), "float32"], C: T.Buffer[(32, 16), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # var definition
        i_outer = T.var("int32")
        # body
        T.realize(C[0:32, 0:16], "global")
        T.attr(T.iter_var(i_outer, None, "DataPar", ""), "pragma_auto_unroll_max_step", 16)
        for i_outer in T.parallel(32):
            for j_outer in T.serial(4):
                for j_inner in T.vectorized(4):
                    C[i_outer, j_outer * 4 + j_inner] = T.float32(0)
                for k in T.serial(64):
                    for j_inner in T.unroll(4, annotations={"another":"x", "pragma_unroll":4}):
                        C[i_outer, j_outer * 4 + j_inner] = C[i_outer, j_outer * 4 + j_inner] + A[i_outer, k] * B[k, j_outer * 4 + j_inner]
