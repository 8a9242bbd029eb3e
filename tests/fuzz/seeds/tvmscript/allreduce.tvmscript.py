# The program of allreduce.json as TVM 0.10 prints it.
from tvm.script import tir as T
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer[4096, "float32"], S: T.Buffer[32, "float32"]) -> None:
        # function attr dict
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        # var definition
        blockIdx_x = T.env_thread("blockIdx.x")
        threadIdx_x = T.env_thread("threadIdx.x")
        # body
        T.launch_thread(blockIdx_x, 32)
        in_thread_S = T.allocate([1], "float32", "local")
        in_thread_S_1 = T.buffer_decl([1], dtype="float32", data=in_thread_S, scope="local")
        cross_thread_S = T.allocate([1], "float32", "local")
        cross_thread_S_1 = T.buffer_decl([1], dtype="float32", data=cross_thread_S, scope="local")
        T.launch_thread(threadIdx_x, 64)
        in_thread_S_1[0] = T.float32(0)
        for r in T.serial(2):
            in_thread_S_1[0] = in_thread_S_1[0] + A[blockIdx_x * 128 + r * 64 + threadIdx_x]
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret(T.uint64(0), dtype="handle")):
            T.evaluate(T.tvm_thread_allreduce(T.uint32(1), in_thread_S_1[0], True, cross_thread_S_1[0], threadIdx_x, dtype="handle"))
        S[blockIdx_x] = cross_thread_S_1[0]
