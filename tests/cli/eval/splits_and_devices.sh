# Each measurement is in one of the three sets.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o m programs >out
for split in test validation train all; do
    cdmpp eval -m m --split $split programs | awk -F '\t' -v name=$split '$2 == "all" && $3 == "mean" { n += $4 } END { print name, n }'
done
cdmpp eval -m m -d v100 --split all programs | cut -f 1-4
