# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(data: T.Buffer[(1, 4, 56, 56, 16), "float32"], kernel: T.Buffer[(4, 4, 3, 3, 16, 16), "float32"], conv2d_NCHWc: T.Buffer[(1, 4, 56, 56, 16), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # buffer definition
        conv2d_NCHWc_global = T.buffer_decl([1, 4, 56, 56, 16], dtype="float32")
        data_pad = T.buffer_decl([1, 4, 58, 58, 16], dtype="float32")
        # body
        T.realize(data_pad[0:1, 0:4, 0:58, 0:58, 0:16], "global")
        for n_ic_chunk_fused_ih_fused in T.parallel(232):
            for iw in T.serial(58):
                for ic in T.vectorized(16):
                    data_pad[0, n_ic_chunk_fused_ih_fused // 58, n_ic_chunk_fused_ih_fused % 58, iw, ic] = T.if_then_else(1 <= n_ic_chunk_fused_ih_fused % 58 and n_ic_chunk_fused_ih_fused % 58 < 57 and 1 <= iw and iw < 57, data[0, n_ic_chunk_fused_ih_fused // 58, n_ic_chunk_fused_ih_fused % 58 - 1, iw - 1, ic], T.float32(0), dtype="float32")
        T.realize(conv2d_NCHWc[0:1, 0:4, 0:56, 0:56, 0:16], "global")
        for n_oc_chunk_fused_oh_fused in T.parallel(224):
            T.realize(conv2d_NCHWc_global[0:1, n_oc_chunk_fused_oh_fused // 56:n_oc_chunk_fused_oh_fused // 56 + 1, n_oc_chunk_fused_oh_fused % 56:n_oc_chunk_fused_oh_fused % 56 + 1, 0:56, 0:16], "global")
            for ow_c_outer in T.serial(7):
                for ow_c_inner_init in T.unroll(8):
                    for oc_block_c_init in T.vectorized(16):
                        conv2d_NCHWc_global[0, n_oc_chunk_fused_oh_fused // 56, n_oc_chunk_fused_oh_fused % 56, ow_c_outer * 8 + ow_c_inner_init, oc_block_c_init] = T.float32(0)
                for ic_outer, kh, kw, ic_inner in T.grid(4, 3, 3, 16):
                    for ow_c_inner in T.unroll(8):
                        for oc_block_c in T.vectorized(16):
                            conv2d_NCHWc_global[0, n_oc_chunk_fused_oh_fused // 56, n_oc_chunk_fused_oh_fused % 56, ow_c_outer * 8 + ow_c_inner, oc_block_c] = conv2d_NCHWc_global[0, n_oc_chunk_fused_oh_fused // 56, n_oc_chunk_fused_oh_fused % 56, ow_c_outer * 8 + ow_c_inner, oc_block_c] + data_pad[0, ic_outer, n_oc_chunk_fused_oh_fused % 56 + kh, ow_c_outer * 8 + ow_c_inner + kw, ic_inner] * kernel[n_oc_chunk_fused_oh_fused // 56, ic_outer, kh, kw, ic_inner, oc_block_c]
            for ow_outer, ow_inner in T.grid(7, 8):
                for oc_block in T.vectorized(16):
                    conv2d_NCHWc[0, n_oc_chunk_fused_oh_fused // 56, n_oc_chunk_fused_oh_fused % 56, ow_outer * 8 + ow_inner, oc_block] = conv2d_NCHWc_global[0, n_oc_chunk_fused_oh_fused // 56, n_oc_chunk_fused_oh_fused % 56, ow_outer * 8 + ow_inner, oc_block]
