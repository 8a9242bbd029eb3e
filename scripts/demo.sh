#!/bin/sh
# Predicts the dumps in data/demo on several devices with the shipped model. usage: demo.sh build/cdmpp [DEVICE,...]
set -eu
program=$1 devices=${2:-t4,v100,rtx3080,xeon-8124m,ryzen-3700x}
set -- data/demo/*.py
[ -e "$1" ] || { echo "demo: no dump in data/demo" >&2; exit 1; }
echo "\$ cdmpp predict --format table -d $devices $*"
exec "$program" predict --format table -d "$devices" "$@"
