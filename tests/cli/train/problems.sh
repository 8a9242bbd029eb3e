# Programs that cannot be read are left out and told, but not without end.
. "$TOP/tests/cli/man/world.inc"
i=0
while [ $i -lt 30 ]; do
    printf '{"id":"bad%d","tir":"nothing"}\n' $i
    printf 'bad%d\tv100\t1\n' $i >>programs/measurements.tsv
    i=$((i + 1))
done >programs/programs.0.ndjson
cdmpp train --epochs 1 --label log -o m programs >out
