# A reader that goes away: stopped by SIGPIPE (141 in the shell), or 4 where the caller ignores that signal.
. "$TOP/tests/cli/show/program.inc"
i=0
while [ $i -lt 300 ]; do
    cat small.py
    i=$((i + 1))
done >many
(
    set +e
    cdmpp features many
    echo "$?" >status
) | head -n 1 | cut -f 1-5
cat status
(
    set +e
    trap '' PIPE
    cdmpp features many
    echo "$?" >status
) | head -n 1 | cut -f 1-5
cat status
