cdmpp show "$TOP/data/demo/conv2d_gpu.py"
