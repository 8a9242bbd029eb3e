# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer[(1024, 1000), "float32"], T_softmax_norm: T.Buffer[(1024, 1000), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # buffer definition
        T_softmax_exp = T.buffer_decl([1024, 1000], dtype="float32")
        T_softmax_expsum = T.buffer_decl([1024], dtype="float32")
        T_softmax_maxelem = T.buffer_decl([1024], dtype="float32")
        # body
        T.realize(T_softmax_norm[0:1024, 0:1000], "global")
        for i0 in T.parallel(1024):
            T.realize(T_softmax_maxelem[i0:i0 + 1], "global")
            T_softmax_maxelem[i0] = T.float32(-3.4028234663852886e+38)
            for k in T.serial(1000):
                T_softmax_maxelem[i0] = T.max(T_softmax_maxelem[i0], x[i0, k])
            T.realize(T_softmax_exp[i0:i0 + 1, 0:1000], "global")
            for i1_outer in T.serial(125):
                for i1_inner in T.vectorized(8):
                    T_softmax_exp[i0, i1_outer * 8 + i1_inner] = T.exp(x[i0, i1_outer * 8 + i1_inner] - T_softmax_maxelem[i0], dtype="float32")
            T.realize(T_softmax_expsum[i0:i0 + 1], "global")
            T_softmax_expsum[i0] = T.float32(0)
            for k in T.serial(1000):
                T_softmax_expsum[i0] = T_softmax_expsum[i0] + T_softmax_exp[i0, k]
            for i1_outer in T.serial(125):
                for i1_inner in T.vectorized(8):
                    T_softmax_norm[i0, i1_outer * 8 + i1_inner] = T_softmax_exp[i0, i1_outer * 8 + i1_inner] / T_softmax_expsum[i0]
