# from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(data: T.Buffer[(1, 64, 56, 56), "float32"], weight: T.Buffer[(64, 64, 3, 3), "float32"], conv2d_nchw: T.Buffer[(1, 64, 56, 56), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # var definition
        blockIdx_x = T.env_thread("blockIdx.x")
        blockIdx_y = T.env_thread("blockIdx.y")
        blockIdx_z = T.env_thread("blockIdx.z")
        threadIdx_x = T.env_thread("threadIdx.x")
        threadIdx_x_1 = T.env_thread("threadIdx.x")
        threadIdx_x_2 = T.env_thread("threadIdx.x")
        threadIdx_y = T.env_thread("threadIdx.y")
        threadIdx_y_1 = T.env_thread("threadIdx.y")
        threadIdx_y_2 = T.env_thread("threadIdx.y")
        threadIdx_z = T.env_thread("threadIdx.z")
        threadIdx_z_1 = T.env_thread("threadIdx.z")
        threadIdx_z_2 = T.env_thread("threadIdx.z")
        vthread = T.env_thread("vthread")
        nn_outer = T.var("int32")
        # buffer definition
        conv2d_nchw_local = T.buffer_decl([1, 64, 56, 56], dtype="float32", scope="local")
        pad_temp_shared = T.buffer_decl([1, 64, 58, 58], dtype="float32", scope="shared")
        weight_shared = T.buffer_decl([64, 64, 3, 3], dtype="float32", scope="shared")
        # body
        T.realize(conv2d_nchw[0:1, 0:64, 0:56, 0:56], "global")
        T.attr(T.iter_var(nn_outer, None, "DataPar", ""), "pragma_auto_unroll_max_step", 512)
        T.attr(T.iter_var(nn_outer, None, "DataPar", ""), "pragma_unroll_explicit", 0)
        T.launch_thread(blockIdx_z, 2)
        T.launch_thread(blockIdx_y, 14)
        T.launch_thread(blockIdx_x, 4)
        T.launch_thread(vthread, 2)
        T.launch_thread(threadIdx_z, 8)
        T.launch_thread(threadIdx_y, 4)
        T.launch_thread(threadIdx_x, 14)
        T.realize(conv2d_nchw_local[0:1, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2:blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + 2, blockIdx_y * 4 + threadIdx_y:blockIdx_y * 4 + threadIdx_y + 1, blockIdx_x * 14 + threadIdx_x:blockIdx_x * 14 + threadIdx_x + 1], "local")
        for ff_c_init in T.serial(2):
            conv2d_nchw_local[0, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_c_init, blockIdx_y * 4 + threadIdx_y, blockIdx_x * 14 + threadIdx_x] = T.float32(0)
        for rc_outer in T.serial(16):
            T.realize(pad_temp_shared[0:1, rc_outer * 4:rc_outer * 4 + 4, blockIdx_y * 4:blockIdx_y * 4 + 6, blockIdx_x * 14:blockIdx_x * 14 + 16], "shared")
            with T.launch_thread(threadIdx_z_1, 8):
                T.launch_thread(threadIdx_y_1, 4)
                T.launch_thread(threadIdx_x_1, 14)
                if T.likely(threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1 < 384, dtype="bool"):
                    pad_temp_shared[0, rc_outer * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) // 96, blockIdx_y * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) % 96 // 16, blockIdx_x * 14 + (threadIdx_z_1 * 8 + threadIdx_y_1 * 14 + threadIdx_x_1) % 16] = T.if_then_else(1 <= blockIdx_y * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) % 96 // 16 and blockIdx_y * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) % 96 // 16 < 57 and 1 <= blockIdx_x * 14 + (threadIdx_z_1 * 8 + threadIdx_y_1 * 14 + threadIdx_x_1) % 16 and blockIdx_x * 14 + (threadIdx_z_1 * 8 + threadIdx_y_1 * 14 + threadIdx_x_1) % 16 < 57, data[0, rc_outer * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) // 96, blockIdx_y * 4 + (threadIdx_z_1 * 56 + threadIdx_y_1 * 14 + threadIdx_x_1) % 96 // 16 - 1, blockIdx_x * 14 + (threadIdx_z_1 * 8 + threadIdx_y_1 * 14 + threadIdx_x_1) % 16 - 1], T.float32(0), dtype="float32")
            T.realize(weight_shared[blockIdx_z * 32:blockIdx_z * 32 + 32, rc_outer * 4:rc_outer * 4 + 4, 0:3, 0:3], "shared")
            with T.launch_thread(threadIdx_z_2, 8):
                T.launch_thread(threadIdx_y_2, 4)
                T.launch_thread(threadIdx_x_2, 14)
                for ax0_ax1_fused_ax2_fused_ax3_fused_inner_inner_inner in T.serial(3):
                    if T.likely(threadIdx_z_2 * 56 + threadIdx_y_2 * 14 + threadIdx_x_2 < 384, dtype="bool"):
                        weight_shared[blockIdx_z * 32 + (threadIdx_z_2 * 56 + threadIdx_y_2 * 14 + threadIdx_x_2) // 12, rc_outer * 4 + (threadIdx_z_2 * 8 + threadIdx_y_2 * 2 + threadIdx_x_2) % 12 // 3, (threadIdx_z_2 * 2 + threadIdx_y_2 * 2 + threadIdx_x_2) % 3, ax0_ax1_fused_ax2_fused_ax3_fused_inner_inner_inner] = weight[blockIdx_z * 32 + (threadIdx_z_2 * 56 + threadIdx_y_2 * 14 + threadIdx_x_2) // 12, rc_outer * 4 + (threadIdx_z_2 * 8 + threadIdx_y_2 * 2 + threadIdx_x_2) % 12 // 3, (threadIdx_z_2 * 2 + threadIdx_y_2 * 2 + threadIdx_x_2) % 3, ax0_ax1_fused_ax2_fused_ax3_fused_inner_inner_inner]
            for rc_inner, ry_inner, rx_inner, ff_c in T.grid(4, 3, 3, 2):
                conv2d_nchw_local[0, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_c, blockIdx_y * 4 + threadIdx_y, blockIdx_x * 14 + threadIdx_x] = conv2d_nchw_local[0, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_c, blockIdx_y * 4 + threadIdx_y, blockIdx_x * 14 + threadIdx_x] + pad_temp_shared[0, rc_outer * 4 + rc_inner, blockIdx_y * 4 + threadIdx_y + ry_inner, blockIdx_x * 14 + threadIdx_x + rx_inner] * weight_shared[blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_c, rc_outer * 4 + rc_inner, ry_inner, rx_inner]
        for ff_inner in T.serial(2):
            conv2d_nchw[0, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_inner, blockIdx_y * 4 + threadIdx_y, blockIdx_x * 14 + threadIdx_x] = conv2d_nchw_local[0, blockIdx_z * 32 + vthread * 16 + threadIdx_z * 2 + ff_inner, blockIdx_y * 4 + threadIdx_y, blockIdx_x * 14 + threadIdx_x]
