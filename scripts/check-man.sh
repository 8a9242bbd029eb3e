#!/bin/sh
# The manual pages: mandoc has nothing to complain about, and every option of a command stands in its page and back.
# usage: CDMPP=build/cdmpp check-man.sh
# cdmpp-predict.1 is the page of `cdmpp predict`, cdmpp-device.1 that of `cdmpp device` with all its commands.
set -u
cd "$(dirname "$0")/.." || exit 2
CDMPP=${CDMPP:-build/cdmpp}
passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

result() { # STATUS WHAT
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: man: $2"
    fi
}

for page in man/*.1 man/*.5; do
    [ -e "$page" ] || continue
    if command -v mandoc >/dev/null 2>&1; then
        mandoc -T lint -W warning "$page" >"$work/lint" 2>&1
        result $? "$page: mandoc: $(head -n 5 "$work/lint")"
    else
        skipped=$((skipped + 1))
    fi
done
command -v mandoc >/dev/null 2>&1 || echo "  no mandoc here"

# options COMMAND...: "-x" and "--name" of the command, or of all the commands below it, one a line.
options() {
    "$CDMPP" "$@" --list-options >"$work/list.$#" || return 1
    if grep -q '^command	' "$work/list.$#"; then
        for below in $(sed -n 's/^command	\([^	]*\).*/\1/p' "$work/list.$#"); do
            options "$@" "$below" || return 1
        done
    else
        cut -f 1,2 "$work/list.$#" | tr '\t' '\n' | grep . | grep -vx -e --list-options
    fi
}

for command in $("$CDMPP" --list-options | sed -n 's/^command	\([^	]*\).*/\1/p'); do
    page=man/cdmpp-$command.1
    if [ ! -e "$page" ]; then
        echo "  cdmpp-$command(1): not there yet"
        skipped=$((skipped + 1))
        continue
    fi
    if ! options "$command" >"$work/raw"; then
        result 1 "cdmpp $command --list-options does not work"
        continue
    fi
    sort -u "$work/raw" >"$work/have"
    # In mdoc an option is a flag macro: ".It Fl o , Fl -output Ar FILE".
    grep '^\.It Fl' "$page" | tr ' ' '\n' | grep -A 1 -x Fl | grep -vx -e Fl -e -- | sed 's/^/-/' | sort -u >"$work/said"
    diff "$work/have" "$work/said" >"$work/diff"
    result $? "$page and cdmpp $command differ (< the program's, > the page's): $(grep '^[<>]' "$work/diff" | tr '\n' ' ')"
done
echo "man: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
