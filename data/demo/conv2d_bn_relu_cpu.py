# Printed by TVM 0.10.0 from a random Ansor schedule (conv2d_bn_relu_1_17_112_8_3_2_1__ansor-random). Measured on one core of a Xeon of the
# Emerald Rapids generation (device xeon-emr-1t): 0.569 ms. Its task is outside the training set of the shipped model.
# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer[(1, 17, 112, 112), "float32"], w: T.Buffer[(8, 17, 3, 3), "float32"], scale: T.Buffer[(8, 1, 1), "float32"], shift: T.Buffer[(8, 1, 1), "float32"], compute: T.Buffer[(1, 8, 56, 56), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # buffer definition
        conv2d_nchw = T.buffer_decl([1, 8, 56, 56], dtype="float32")
        pad_temp = T.buffer_decl([1, 17, 114, 114], dtype="float32")
        # body
        T.realize(conv2d_nchw[0:1, 0:8, 0:56, 0:56], "global")
        with T.attr(T.iter_var(nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused, None, "DataPar", ""), "pragma_auto_unroll_max_step", 64):
            T.attr(T.iter_var(nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused, None, "DataPar", ""), "pragma_unroll_explicit", 1)
            for nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused in T.parallel(56):
                T.realize(pad_temp[0:1, 0:17, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4:nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4 + 5, 0:113], "global")
                for i1, i2, i3 in T.grid(17, 5, 113):
                    pad_temp[0, i1, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4 + i2, i3] = T.if_then_else(1 <= nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4 + i2 and 1 <= i3, x[0, i1, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4 + i2 - 1, i3 - 1], T.float32(0), dtype="float32")
                for yy_outer_inner_init, xx_outer_inner_init, ff_inner_init in T.grid(2, 4, 4):
                    for xx_inner_init in T.vectorized(14):
                        conv2d_nchw[0, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused // 28 * 4 + ff_inner_init, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 2 + yy_outer_inner_init, xx_outer_inner_init * 14 + xx_inner_init] = T.float32(0)
                for yy_outer_inner, xx_outer_inner, rc_inner, ry_inner, rx_inner, ff_inner in T.grid(2, 4, 17, 3, 3, 4):
                    for xx_inner in T.vectorized(14):
                        conv2d_nchw[0, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused // 28 * 4 + ff_inner, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 2 + yy_outer_inner, xx_outer_inner * 14 + xx_inner] = conv2d_nchw[0, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused // 28 * 4 + ff_inner, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 2 + yy_outer_inner, xx_outer_inner * 14 + xx_inner] + pad_temp[0, rc_inner, nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused % 28 * 4 + yy_outer_inner * 2 + ry_inner, xx_outer_inner * 28 + xx_inner * 2 + rx_inner] * w[nn_outer_outer_outer_ff_outer_outer_outer_fused_yy_outer_outer_outer_fused // 28 * 4 + ff_inner, rc_inner, ry_inner, rx_inner]
        T.realize(compute[0:1, 0:8, 0:56, 0:56], "global")
        for i0_i1_fused_i2_fused in T.parallel(448):
            for i3 in T.serial(56):
                compute[0, i0_i1_fused_i2_fused // 56, i0_i1_fused_i2_fused % 56, i3] = T.max(conv2d_nchw[0, i0_i1_fused_i2_fused // 56, i0_i1_fused_i2_fused % 56, i3] * scale[i0_i1_fused_i2_fused // 56, 0, 0] + shift[i0_i1_fused_i2_fused // 56, 0, 0], T.float32(0))
