# A reader that goes away ends the program quietly: by SIGPIPE (141 in the shell), or with 4 where the caller ignores that signal.
(
    set +e
    cdmpp --help
    echo "$?" >status
) | true
test "$(cat status)" = 141 || test "$(cat status)" = 0
(
    trap '' PIPE
    sleep 0.2
    cdmpp --help
    echo "$?" >status
) | true
cat status
