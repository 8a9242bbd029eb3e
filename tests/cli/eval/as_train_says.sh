# The table of `eval` is the one that `train` printed and that stands in the model.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 2 --label log -o m programs >trained
cdmpp eval -m m programs | cmp - trained
cdmpp eval -m m --format tsv -o out programs
cmp out trained
cut -f 1-4 trained
cdmpp eval -m m --format json programs | sed -E 's/:[0-9.e-]+([,}])/:N\1/g; s/:null/:N/g' | sort -u | head -n 3
cdmpp eval -m m --format table programs >table
head -n 1 table
grep -c . table
