. "$TOP/tests/cli/man/world.inc"
try() {
    cdmpp train "$@" >out
    echo "status $?"
}
try programs
try -o - programs
try -o m
try -o m programs programs
try -o m --epochs 0 programs
try -o m --rate 2 programs
try -o m --label square programs
try -o m nonsuch
try -o m matmul_cpu.py
mkdir empty
try -o m empty
mkdir one
gzip -dc programs/programs.ndjson.gz | head -n 1 >one/programs.ndjson
head -n 1 programs/measurements.tsv >one/measurements.tsv
try -o m one
head -n 2 programs/measurements.tsv >one/measurements.tsv
try -o m --epochs 1 --label log one
ls m 2>/dev/null
exit 0
