. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o m programs >out
try() {
    cdmpp eval "$@" >out
    echo "status $?"
}
try -m m
try -m nonsuch programs
try -m m nonsuch
try -m m -d v1000 programs
try -m m -d t4 programs
try -m m --split none programs
mkdir none
CDMPP_PLUGIN_DIR=none
try -m m programs
