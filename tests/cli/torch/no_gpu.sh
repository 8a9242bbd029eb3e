# Where there is no GPU the status is 3, and the message says what is missing.
. "$TOP/tests/cli/torch/world.inc"
cdmpp train $small --epochs 1 -o m.safetensors programs >out || exit
cdmpp predict -m m.safetensors --run-on cuda matmul_cpu.py >out 2>err
status=$?
test $status = 0 || test $status = 3 || { echo "status $status"; cat err; }
test $status = 0 || test -s err || echo 'no reason'
