# Other languages are no programs of ours.
cat >kernel.cu <<'EOF'
extern "C" __global__ void kernel(float *A)
{
    A[threadIdx.x] = 0;
}
EOF
cdmpp show kernel.cu
