#!/bin/sh
# Runs test suites and adds up their last lines ("unit: 3 passed, 0 failed, 1 skipped").
# usage: run-suites.sh 'COMMAND'...
# A suite that ends without such a line counts as one failure. Status 1 when anything failed.
set -u
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for suite in "$@"; do
    { sh -c "$suite" 2>&1; echo "status $?" >"$log.status"; } | tee "$log"
    status=$(sed 's/status //' "$log.status")
    rm -f "$log.status"
    totals=$(sed -n 's/^[a-z-]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$log" | tail -n 1)
    if [ -z "$totals" ]; then
        echo "no result from: $suite"
        totals="0 1 0"
    fi
    # shellcheck disable=SC2086 # three numbers
    set -- $totals
    if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
        echo "status $status from: $suite"
        set -- "$1" 1 "$3"
    fi
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
