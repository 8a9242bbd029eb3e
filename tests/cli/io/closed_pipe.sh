# More than a pipe holds: the program is stopped by SIGPIPE, without a word.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cat "$TOP/tests/cli/io/in.tvmscript"
done >some
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    cat some some some some
done >many
(
    set +e
    cdmpp show many
    echo "$?" >status
) | head -n 1
cat status
(
    set +e
    trap '' PIPE
    cdmpp show many
    echo "$?" >status
) | head -n 1
cat status
