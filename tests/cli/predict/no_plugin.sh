CDMPP_PLUGIN_DIR=$PWD cdmpp predict -m none "$TOP/data/demo/matmul_cpu.py" 2>err
status=$?
sed "s|$PWD|HERE|" err >&2
exit $status
