cdmpp device list --format table >out
head -n 1 out | tr -s ' '
grep '^v100' out | tr -s ' '
test "$(wc -L <out)" -le 100
