# The program of bound.json as TVM 0.10 prints it.
@T.prim_func
def main(var_A: T.handle, n: T.int32) -> None:
    A = T.match_buffer(var_A, [n, 4], dtype="float32")
    # body
    for i_0 in T.thread_binding((n + 7) // 8, thread="blockIdx.x"):
        for i_1 in T.thread_binding(2, thread="vthread.x"):
            for i_2 in T.thread_binding(4, thread="threadIdx.x"):
                A[i_0 * 8 + (i_1 * 4 + i_2), 0] = T.float32(1)
