# One object a line; what is unknown is not there.
cdmpp device list --format json >out
grep '"name":"i7-3770"' out
test "$(wc -l <out)" -ge 13
