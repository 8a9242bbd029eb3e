# The program of vthread.json as TVM 0.10 prints it.
from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer[(8, 256), "float32"], B: T.Buffer[(8, 256), "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # var definition
        blockIdx_x = T.env_thread("blockIdx.x")
        threadIdx_x = T.env_thread("threadIdx.x")
        threadIdx_x_1 = T.env_thread("threadIdx.x")
        vthread = T.env_thread("vthread")
        # buffer definition
        A_shared = T.buffer_decl([8, 256], dtype="float32", scope="shared")
        # body
        T.realize(B[0:8, 0:256], "global")
        T.launch_thread(blockIdx_x, 8)
        T.launch_thread(vthread, 2)
        T.launch_thread(threadIdx_x, 32)
        T.realize(A_shared[blockIdx_x:blockIdx_x + 1, 0:64], "shared")
        with T.attr(A_shared, "double_buffer_scope", 1):
            T.launch_thread(threadIdx_x_1, 32)
            A_shared[blockIdx_x, threadIdx_x_1] = A[blockIdx_x, threadIdx_x_1]
        B[blockIdx_x, vthread * 32 + threadIdx_x] = A_shared[blockIdx_x, vthread * 32 + threadIdx_x]
