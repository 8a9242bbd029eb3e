# The program of rebound.json as TVM 0.10 prints it.
@T.prim_func
def main(A: T.Buffer[64, "float32"]) -> None:
    # body
    for i in T.serial(16):
        A[(i + 3) * 2] = T.float32(1)
    for i in T.serial(8):
        A[(i + 3) * 2] = A[(i + 3) * 2]
