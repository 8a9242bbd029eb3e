#!/bin/sh
# Runs each fuzz target over its seeds, with any compiler. usage: run-fuzz-seeds.sh FOLDER fuzz_NAME...
# tests/fuzz/seeds/NAME/ holds the seeds; each counts as a test. A target without seeds is a failure.
# CDM_FUZZ_READ_BACK asks fuzz_tvmscript for more than long runs hold: see there.
set -u
folder=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0
for target in "$@"; do
    seeds=tests/fuzz/seeds/${target#fuzz_}
    n=$(find "$seeds" -type f 2>/dev/null | wc -l)
    if [ "$n" -eq 0 ]; then
        echo "$target: no seeds in $seeds"
        failed=$((failed + 1))
    elif CDM_FUZZ_READ_BACK=1 timeout "${TIMEOUT:-600}" "$folder/$target" "$seeds" >"$log" 2>&1; then
        echo "  $target: $n seeds"
        passed=$((passed + n))
    else
        # The target names each seed before it runs it, so the last one is the culprit.
        echo "$target: status $?"
        tail -n 40 "$log"
        failed=$((failed + 1))
    fi
done
echo "fuzz: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
