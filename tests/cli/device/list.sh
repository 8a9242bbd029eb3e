# Off a terminal: tsv. Every device once, in the order of the names.
cdmpp device list >out
head -n 1 out
grep '^v100	' out
grep '^i7-3770	' out
test "$(wc -l <out)" -ge 14
cut -f 1 out | tail -n +2 | sort -c
