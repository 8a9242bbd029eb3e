# A program that no device of the model can run is an error of its own, not silence.
. "$TOP/tests/cli/man/world.inc"
grep -v v100 programs/measurements.tsv >cpu && mv cpu programs/measurements.tsv
cdmpp train --epochs 1 --label log -o cpu.safetensors programs >train.out || exit
cdmpp predict -m cpu.safetensors --format json conv2d_gpu.py matmul_cpu.py | sed 's/"seconds":[^,]*/"seconds":S/'
cdmpp predict -m cpu.safetensors conv2d_gpu.py
