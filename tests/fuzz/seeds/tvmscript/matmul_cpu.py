# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer[(512, 512), "float32"], B: T.Buffer[(512, 512), "float32"], C: T.Buffer[(512, 512), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # var definition
        i_outer_outer_j_outer_outer_fused = T.var("int32")
        # buffer definition
        C_local = T.buffer_decl([512, 512], dtype="float32")
        # body
        T.realize(C[0:512, 0:512], "global")
        T.attr(T.iter_var(i_outer_outer_j_outer_outer_fused, None, "DataPar", ""), "pragma_auto_unroll_max_step", 64)
        T.attr(T.iter_var(i_outer_outer_j_outer_outer_fused, None, "DataPar", ""), "pragma_unroll_explicit", 1)
        for i_outer_outer_j_outer_outer_fused in T.parallel(128):
            T.realize(C_local[i_outer_outer_j_outer_outer_fused // 8 * 32:i_outer_outer_j_outer_outer_fused // 8 * 32 + 32, i_outer_outer_j_outer_outer_fused % 8 * 64:i_outer_outer_j_outer_outer_fused % 8 * 64 + 64], "global")
            for i_c_outer_inner_init, j_c_outer_inner_init, i_c_inner_init in T.grid(8, 4, 4):
                for j_c_inner_init in T.vectorized(16):
                    C_local[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_c_outer_inner_init * 4 + i_c_inner_init, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_c_outer_inner_init * 16 + j_c_inner_init] = T.float32(0)
            for k_outer, i_c_outer_inner, j_c_outer_inner, k_inner, i_c_inner in T.grid(32, 8, 4, 16, 4):
                for j_c_inner in T.vectorized(16):
                    C_local[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_c_outer_inner * 4 + i_c_inner, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_c_outer_inner * 16 + j_c_inner] = C_local[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_c_outer_inner * 4 + i_c_inner, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_c_outer_inner * 16 + j_c_inner] + A[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_c_outer_inner * 4 + i_c_inner, k_outer * 16 + k_inner] * B[k_outer * 16 + k_inner, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_c_outer_inner * 16 + j_c_inner]
            for i_inner, j_inner_outer in T.grid(32, 4):
                for j_inner_inner in T.vectorized(16):
                    C[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_inner, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_inner_outer * 16 + j_inner_inner] = C_local[i_outer_outer_j_outer_outer_fused // 8 * 32 + i_inner, i_outer_outer_j_outer_outer_fused % 8 * 64 + j_inner_outer * 16 + j_inner_inner]
