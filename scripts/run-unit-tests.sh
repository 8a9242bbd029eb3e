#!/bin/sh
# Runs the cmocka programs and adds up what they say. usage: [T=PATTERN] run-unit-tests.sh FOLDER [--no-cmocka] NAME...
# They run in the root of the checkout, one after the other. T chooses programs by a shell pattern (T=test_json).
set -u
folder=$1
shift
if [ "${1-}" = --no-cmocka ]; then
    shift
    echo "unit: no cmocka here: $# programs left out"
    echo "unit: 0 passed, 0 failed, $# skipped"
    exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
for name in "$@"; do
    # shellcheck disable=SC2254 # T is a pattern
    case $name in ${T:-*}) ;; *) continue ;; esac
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "${TIMEOUT:-600}" "$folder/$name" >"$log" 2>&1
    status=$?
    s=$(grep -c '^[a-z ]*ok [0-9].*# SKIP' "$log")
    p=$(grep '^ok [0-9]' "$log" | grep -vc '# SKIP')
    f=$(grep '^not ok [0-9]' "$log" | grep -vc '# SKIP')
    # A crash, a sanitizer's report or a time-out leaves no line of its own.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
        echo "$name: status $status"
    elif [ $((p + f + s)) -eq 0 ]; then
        f=1
        echo "$name: no test ran"
    fi
    [ "$f" -eq 0 ] || cat "$log"
    grep '# SKIP' "$log" | sed "s/^/$name: /"
    echo "  $name: $p passed$([ "$f" -eq 0 ] || echo ", $f FAILED")$([ "$s" -eq 0 ] || echo ", $s skipped")"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
