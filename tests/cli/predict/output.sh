# The file appears whole, also when some programs could not be read.
. "$TOP/tests/cli/predict/model.inc"
echo nothing >prose
cdmpp predict -m m.safetensors -o out prose matmul_cpu.py 2>err
echo $?
plain <out
