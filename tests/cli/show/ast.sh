. "$TOP/tests/cli/show/program.inc"
cdmpp show --ast small.py "$TOP/data/demo/conv2d_gpu.py" other.py
