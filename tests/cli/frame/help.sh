# Fits a screen, and goes to standard output.
cdmpp --help >out
head -n 3 out
test "$(wc -l <out)" -le 40
test "$(wc -L <out)" -le 80
cdmpp -h | diff - out
cdmpp help | diff - out
