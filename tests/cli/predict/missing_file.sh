# A file that is not there weighs more than bad input, and the rest is done.
. "$TOP/tests/cli/predict/model.inc"
echo nothing >prose
cdmpp predict -m m.safetensors prose nonsuch matmul_cpu.py >out
status=$?
plain <out
exit $status
