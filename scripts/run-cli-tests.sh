#!/bin/sh
# Command line tests: tests/cli/SUITE/NAME.sh with what must come out beside it.
# usage: CDMPP=build/cdmpp [TESTS=build/tests] [T='PATTERN'] [UPDATE=1] run-cli-tests.sh
#
#   NAME.sh           runs with sh in an empty folder of its own; `cdmpp` is the program under test, $CDMPP its path, $TOP the root of
#                     the checkout, $TESTS the folder of the LD_PRELOAD libraries, $HAVE_TORCH 1 with the LibTorch plug-in
#   NAME.exit         exit status; not there = 0
#   NAME.stdout       standard output to the byte; not there = nothing
#   NAME.stdout.glob  or a shell pattern for the whole of it ("*" stands for anything, line ends too)
#   NAME.stderr, NAME.stderr.glob     the same for standard error
#
# A script that ends with status 77 is skipped; its last line of standard error says why. T chooses cases by a pattern
# ("frame/*"). UPDATE=1 writes the files anew, except the patterns: read the difference before it is committed.
set -u
TOP=$(cd "$(dirname "$0")/.." && pwd)
CDMPP=$(cd "$(dirname "${CDMPP:?}")" && pwd)/$(basename "$CDMPP")
TESTS=$(cd "${TESTS:-$TOP/build/tests}" 2>/dev/null && pwd)
PATH=$(dirname "$CDMPP"):$PATH
HAVE_TORCH=${HAVE_TORCH-}
export TOP CDMPP TESTS PATH HAVE_TORCH
LC_ALL=C
export LC_ALL
# Libraries of LD_PRELOAD come before the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
# The user's own settings must not change the results.
unset CDMPP_MODEL CDMPP_DEVICES CDMPP_DATA_DIR CDMPP_PLUGIN_DIR CDMPP_MODEL_DIR
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# text FILE: the content with its last line ends, for a comparison in the shell.
text() {
    cat "$1"
    echo .
}

# matches BASE STREAM: compares, or shows the difference.
matches() {
    expected=$1.$2 actual=$work/$2
    if [ -e "$expected.glob" ]; then
        pattern=$(text "$expected.glob") content=$(text "$actual")
        # shellcheck disable=SC2254 # it is a pattern
        case $content in
        $pattern) return 0 ;;
        esac
        echo "  $2 does not match $expected.glob:"
        sed 's/^/    /' "$actual"
        return 1
    fi
    [ -e "$expected" ] || expected=/dev/null
    diff -u "$expected" "$actual" >"$work/diff" && return 0
    echo "  $2 differs:"
    sed 's/^/    /' "$work/diff" | head -n 60
    return 1
}

# record BASE STREAM
record() {
    if [ ! -e "$1.$2.glob" ]; then
        if [ -s "$work/$2" ]; then
            cp "$work/$2" "$1.$2"
        else
            rm -f "$1.$2"
        fi
    fi
}

for script in "$TOP"/tests/cli/*/*.sh; do
    [ -e "$script" ] || continue
    base=${script%.sh}
    name=${base#"$TOP"/tests/cli/}
    # shellcheck disable=SC2254 # T is a pattern
    case $name in ${T:-*}) ;; *) continue ;; esac
    mkdir "$work/scratch"
    # A program that never stops writing must not fill the disk (1 GB).
    (cd "$work/scratch" && ulimit -f 2000000 && exec timeout "${TIMEOUT:-300}" sh "$script") </dev/null >"$work/stdout" 2>"$work/stderr"
    status=$?
    chmod -R u+rwx "$work/scratch"
    rm -rf "$work/scratch"
    expected=0
    [ ! -e "$base.exit" ] || expected=$(cat "$base.exit")
    if [ "$status" -eq 77 ] && [ "$expected" != 77 ]; then
        echo "  $name: skipped: $(tail -n 1 "$work/stderr")"
        skipped=$((skipped + 1))
        continue
    fi
    if [ -n "${UPDATE-}" ]; then
        if [ "$status" -eq 0 ]; then rm -f "$base.exit"; else echo "$status" >"$base.exit"; fi
        record "$base" stdout
        record "$base" stderr
        expected=$status
    fi
    ok=1
    if [ "$status" -ne "$expected" ]; then
        echo "  exit status is $status, not $expected"
        ok=0
    fi
    matches "$base" stdout || ok=0
    matches "$base" stderr || ok=0
    if [ "$ok" = 1 ]; then
        passed=$((passed + 1))
    else
        echo "FAILED: cli/$name"
        failed=$((failed + 1))
    fi
done
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
