CDMPP_DATA_DIR=$PWD cdmpp predict "$TOP/data/demo/matmul_cpu.py" 2>err
status=$?
sed "s|$PWD|HERE|" err >&2
exit $status
