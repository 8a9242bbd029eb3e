# Printed by TVM 0.10.0 from a random Ansor schedule (dense_bias_gelu_528_96_402__ansor-random). Measured on one core of a Xeon of the
# Emerald Rapids generation (device xeon-emr-1t): 1.56 ms. Its task is outside the training set of the shipped model.
# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer[(528, 402), "float32"], w: T.Buffer[(96, 402), "float32"], b: T.Buffer[96, "float32"], gelu: T.Buffer[(528, 96), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # buffer definition
        T_matmul_NT = T.buffer_decl([528, 96], dtype="float32")
        # body
        T.realize(T_matmul_NT[0:528, 0:96], "global")
        with T.attr(T.iter_var(i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused, None, "DataPar", ""), "pragma_auto_unroll_max_step", 64):
            T.attr(T.iter_var(i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused, None, "DataPar", ""), "pragma_unroll_explicit", 1)
            for i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused in T.parallel(12):
                for i_outer_inner_init, j_outer_inner_init in T.grid(88, 3):
                    for j_inner_init in T.vectorized(16):
                        T_matmul_NT[i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused // 6 * 264 + i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 3 * 88 + i_outer_inner_init, i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 6 // 3 * 48 + j_outer_inner_init * 16 + j_inner_init] = T.float32(0)
                for k_outer, i_outer_inner, j_outer_inner in T.grid(402, 88, 3):
                    for j_inner in T.vectorized(16):
                        T_matmul_NT[i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused // 6 * 264 + i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 3 * 88 + i_outer_inner, i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 6 // 3 * 48 + j_outer_inner * 16 + j_inner] = T_matmul_NT[i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused // 6 * 264 + i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 3 * 88 + i_outer_inner, i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 6 // 3 * 48 + j_outer_inner * 16 + j_inner] + a[i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused // 6 * 264 + i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 3 * 88 + i_outer_inner, k_outer] * w[i_outer_outer_outer_j_outer_outer_outer_fused_i_outer_outer_inner_fused_j_outer_outer_inner_fused % 6 // 3 * 48 + j_outer_inner * 16 + j_inner, k_outer]
        T.realize(gelu[0:528, 0:96], "global")
        for i0 in T.parallel(528):
            for i1 in T.serial(96):
                gelu[i0, i1] = (T_matmul_NT[i0, i1] + b[i1]) * (T.float32(0.5) + T.erf((T_matmul_NT[i0, i1] + b[i1]) * T.float32(0.70710678000000005), dtype="float32") * T.float32(0.5))
