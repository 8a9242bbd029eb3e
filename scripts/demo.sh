#!/bin/sh
# Predicts the dumps in data/demo with the shipped model: those for GPUs on GPUs, those for CPUs on CPUs.
# usage: demo.sh build/cdmpp
set -eu
program=$1

predict() { # DEVICE,... FILE...
    devices=$1
    shift
    echo
    echo "\$ cdmpp predict -d $devices $*"
    "$program" predict --format table -d "$devices" "$@"
}

predict t4,v100,a100,rtx3080 data/demo/*_gpu.*
predict i7-3770,ryzen-3700x,xeon-8124m,cortex-a72 data/demo/*_cpu.*
