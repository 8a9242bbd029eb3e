#!/bin/sh
# Predicts the dumps in data/demo with the shipped model: those of GPU schedules on GPUs, those of CPU schedules on CPUs.
# usage: demo.sh build/cdmpp
set -eu
program=$1

show() { # DEVICES FILE...
    devices=$1
    shift
    [ -e "$1" ] || { echo "demo: no $1" >&2; exit 1; }
    echo
    echo "\$ $program predict --format table -d $devices $*"
    "$program" predict --format table -d "$devices" "$@"
}

show t4,v100,rtx3080,gtx1650 data/demo/*_gpu.*
show xeon-8124m,ryzen-3700x,i7-3770,cortex-a72 data/demo/*_cpu.*
