#!/bin/sh
# Predicts the dumps in data/demo with the shipped model: those for GPUs on GPUs, those for CPUs on CPUs, and two that were measured
# beside their measurements. usage: demo.sh build/cdmpp
set -eu
program=$1

predict() { # DEVICE,... FILE...
    devices=$1
    shift
    echo
    echo "\$ cdmpp predict -d $devices $*"
    "$program" predict --format table -d "$devices" "$@"
}

predict t4,v100,a100,rtx3080 data/demo/conv2d_gpu.py data/demo/dense_gpu.json
predict i7-3770,ryzen-3700x,xeon-8124m,cortex-a72 data/demo/conv2d_cpu.py data/demo/matmul_cpu.py data/demo/softmax_cpu.py
set -- data/demo/conv2d_bn_relu_cpu.py data/demo/dense_bias_gelu_cpu.py
predict xeon-emr-1t "$@"
# The second line of these files tells what was measured.
for file; do
    measured=$(sed -n '2s/.*(device [^)]*): \([^.]*\.[^.]*\)\. .*/\1/p' "$file")
    printf '%9s  %-34s%s\n' "$measured" 'xeon-emr-1t, measured' "$file"
done
