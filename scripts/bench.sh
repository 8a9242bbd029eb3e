#!/bin/sh
# Measures speed, start-up and memory, and writes a table with tabs between the columns.
# usage: CDMPP=build/cdmpp TESTS=build/tests [PROGRAMS=FILE-OR-FOLDER] [LIMIT=20000] bench.sh OUTPUT
# PROGRAMS is a dataset folder (its programs*.ndjson[.gz] are read) or a file of program lines; without it the dumps in data/demo
# are repeated. LIMIT is the number of programs. Times are of the processor, so that a busy machine does not count.
set -eu
out=$1 limit=${LIMIT:-20000}
CDMPP=${CDMPP:-build/cdmpp} TESTS=${TESTS:-build/tests}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

plain() {
    case $1 in
    *.gz) gzip -dc "$1" ;;
    *) cat "$1" ;;
    esac
}

if [ -n "${PROGRAMS-}" ]; then
    what="the first programs of $(basename "$PROGRAMS")"
    if [ -d "$PROGRAMS" ]; then
        for file in "$PROGRAMS"/programs*.ndjson*; do
            plain "$file"
        done
    else
        plain "$PROGRAMS"
    fi | head -n "$limit" >"$work/all" || true
    head -n $((limit / 10)) "$work/all" >"$work/tenth"
else
    set -- data/demo/*.py
    [ -e "$1" ] || { echo "bench: nothing in data/demo; set PROGRAMS" >&2; exit 1; }
    what="the dumps in data/demo, repeated"
    rounds=$((limit / $# / 10))
    i=0
    while [ $i -lt "$rounds" ]; do
        cat "$@"
        i=$((i + 1))
    done >"$work/tenth"
    for i in 1 2 3 4 5 6 7 8 9 10; do
        cat "$work/tenth"
    done >"$work/all"
fi

row() { # WHAT VALUE UNIT
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" | tee -a "$work/table"
}

# rate PROGRAMS SECONDS
rate() {
    awk -v n="$1" -v s="$2" 'BEGIN { printf "%.0f", (s + 0 == 0 ? 0 : n / s) }'
}

{
    printf '# machine\t%s, %s processors\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
    printf '# system\t%s\n' "$(uname -sr)"
    printf '# compiler\t%s\n' "${CC_VERSION-unknown}"
    printf '# version\t%s, commit %s\n' "$("$CDMPP" --version | head -n 1)" \
        "$(git describe --always --dirty 2>/dev/null || echo unknown)"
    printf '# input\t%s, %s MB of text\n' "$what" "$(($(wc -c <"$work/all") / 1000000))"
    printf 'what\tvalue\tunit\n'
} | tee "$work/table"

for stage in parse features; do
    "$TESTS/bench_programs" $stage "$work/tenth" >"$work/small"
    "$TESTS/bench_programs" $stage "$work/all" >"$work/large"
    read -r programs failures seconds memory <"$work/large"
    name=$stage
    [ $stage = parse ] || name='parse + AST + features'
    row "$name" "$(rate "$programs" "$seconds")" 'programs/CPU-second'
    row "$name: programs" "$programs" programs
    row "$name: failures" "$failures" programs
    row "$name: peak memory" "$memory" KiB
    row "$name: peak memory with a tenth of the programs" "$(cut -f 4 "$work/small")" KiB
done

# Without a model there is nothing to predict with; the program says so.
head -n 1 "$work/all" >"$work/one"
if "$CDMPP" predict -d t4 "$work/one" >/dev/null; then
    for part in tenth all; do
        "$TESTS/measure" "$CDMPP" predict -d t4 -j 1 --format tsv "$work/$part" >"$work/predict.$part" || true
    done
    read -r status seconds _ memory <"$work/predict.all"
    programs=$(cut -f 1 "$work/large")
    row 'predict, one device, one thread' "$(rate "$programs" "$seconds")" 'programs/CPU-second'
    row 'predict: exit status' "$status" ''
    row 'predict: peak memory' "$memory" KiB
    row 'predict: peak memory with a tenth of the programs' "$(cut -f 4 "$work/predict.tenth")" KiB
fi

# The least of many starts: what the program needs itself.
start_up() { # WHAT COMMAND...
    what=$1
    shift
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$TESTS/measure" "$@"
    done | cut -f 3 | sort -n | head -n 1 >"$work/start"
    row "start-up: $what" "$(awk '{ printf "%.1f", 1000 * $1 }' "$work/start")" ms
}
start_up 'cdmpp --help' "$CDMPP" --help
if "$CDMPP" predict --help >/dev/null 2>&1; then
    start_up 'cdmpp predict --help' "$CDMPP" predict --help
    set -- data/demo/*.py
    [ ! -e "$1" ] || start_up 'cdmpp predict of one dump' "$CDMPP" predict -d t4 "$1"
fi
mkdir -p "$(dirname "$out")"
mv "$work/table" "$out"
echo "written to $out"
