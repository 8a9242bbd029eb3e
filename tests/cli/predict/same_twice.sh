# The same program gives the same latency alone, among others, and from its canonical text.
. "$TOP/tests/cli/predict/model.inc"
cdmpp predict -m m.safetensors --format json matmul_cpu.py | sed 's/.*"seconds"/"seconds"/' >alone
cdmpp predict -m m.safetensors --format json *.py *.json | grep '"matmul_cpu.py"' | sed 's/.*"seconds"/"seconds"/' | cmp - alone
cdmpp show matmul_cpu.py | cdmpp predict -m m.safetensors --format json | sed 's/.*"seconds"/"seconds"/' | cmp - alone
wc -l <alone
