# With -d each pair that does not fit is an error, in its place.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o both.safetensors programs >train.out || exit
cdmpp predict -m both.safetensors -d v100,i7-3770 --format json conv2d_gpu.py matmul_cpu.py | sed 's/"seconds":[^,]*/"seconds":S/'
cdmpp predict -m both.safetensors -d v100 matmul_cpu.py
