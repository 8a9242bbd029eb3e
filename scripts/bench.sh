#!/bin/sh
# Measures speed, memory and start-up, and writes an aligned table.
# usage: CDMPP=build/cdmpp TESTS=build/tests [BENCH_DATA=FILE-OR-FOLDER] [LIMIT=20000] [MODEL=FILE] bench.sh OUTPUT
# BENCH_DATA is a folder with programs*.ndjson[.gz] or such a file: LIMIT programs are taken from it at even distances. Without
# it the dumps in data/demo are repeated. MODEL is for predict; default: the shipped one. Speeds are by processor time, so that a
# busy machine does not count, and between a tenth of the programs and all of them, so that the start does not count either.
set -eu
out=$1 limit=${LIMIT:-20000}
CDMPP=${CDMPP:-build/cdmpp} TESTS=${TESTS:-build/tests}
[ -z "${MODEL-}" ] || export CDMPP_MODEL="$MODEL"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

lines() { # FILE...: their text
    for file; do
        case $file in
        *.gz) gzip -dc "$file" ;;
        *) cat "$file" ;;
        esac
    done
}

repeat() { # N FILE...
    n=$1
    shift
    while [ "$n" -gt 0 ]; do
        cat "$@"
        n=$((n - 1))
    done
}

# row WHAT VALUE UNIT
row() {
    printf '%-58s %12s  %s\n' "$1" "$2" "$3" | tee -a "$work/table"
}

head_row() {
    printf '%-10s %s\n' "$1" "$2" | tee -a "$work/table"
}

# speed BY FORMAT: of $work/small and $work/large, whose fields are programs, failures, processor seconds, KiB. BY scales programs.
speed() {
    awk -v by="$1" -v format="$2" 'NR == FNR { n = $1 + $2; s = $3; next }
        { t = $3 - s; printf format, (t > 0 ? by * ($1 + $2 - n) / t : 0) }' "$work/small" "$work/large"
}

# best MODE FILE: the run of three that took the least: what shares the core and its caches slows the others.
best() {
    for i in 1 2 3; do
        "$TESTS/bench_programs" "$1" "$2"
    done | sort -g -k 3,3 | head -n 1
}

# stage MODE NAME: parse or features over $work/tenth and $work/all.
stage() {
    best "$1" "$work/tenth" >"$work/small"
    best "$1" "$work/all" >"$work/large"
    row "$2" "$(speed 1 %.0f)" 'programs per CPU-second'
    per_program=$(awk -v bytes="$(wc -c <"$work/all")" '{ print bytes / ($1 + $2) / 1e6 }' "$work/large")
    [ "$1" != parse ] || row "$2: input" "$(speed "$per_program" %.0f)" 'MB per CPU-second'
    row "$2: programs that could not be read" "$(cut -f 2 "$work/large")" "of $(awk '{ print $1 + $2 }' "$work/large")"
    row "$2: peak memory" "$(cut -f 4 "$work/large")" KiB
    row "$2: peak memory, a tenth of the programs" "$(cut -f 4 "$work/small")" KiB
}

# reader NAME FILE...: one reader alone, on dumps repeated.
reader() {
    name=$1
    shift
    repeat 100 "$@" >"$work/tenth"
    repeat 10 "$work/tenth" >"$work/all"
    best parse "$work/tenth" >"$work/small"
    best parse "$work/all" >"$work/large"
    per_program=$(awk -v bytes="$(wc -c <"$work/all")" '{ print bytes / $1 / 1e6 }' "$work/large")
    row "$name reader, data/demo" "$(speed "$per_program" %.0f)" 'MB per CPU-second'
}

# predict: all devices of the model that a program can run on, one thread.
predict() {
    for part in tenth all; do
        "$TESTS/measure" "$CDMPP" predict -j 1 --format tsv -o "$work/$part.tsv" "$work/$part" \
            >"$work/run.$part" 2>"$work/why" || true
        programs=$("$TESTS/bench_programs" parse "$work/$part" | cut -f 1)
        printf '%s\t0\t%s\n' "$programs" "$(cut -f 2,4 "$work/run.$part")" >"$work/$([ $part = tenth ] && echo small || echo large)"
    done
    if [ "$(cut -f 1 "$work/run.all")" != 0 ]; then
        echo "bench: predict ended with status $(cut -f 1 "$work/run.all"): $(head -n 1 "$work/why")"
        return
    fi
    predictions=$(($(wc -l <"$work/all.tsv") - 1))
    row 'predict, one thread' "$(speed 1 %.0f)" 'programs per CPU-second'
    row 'predict, one thread: pairs of program and device' \
        "$(speed "$(awk -v n="$predictions" '{ print n / $1 }' "$work/large")" %.0f)" 'pairs per CPU-second'
    row 'predict: peak memory' "$(cut -f 4 "$work/large")" KiB
    row 'predict: peak memory, a tenth of the programs' "$(cut -f 4 "$work/small")" KiB
}

# start WHAT COMMAND...: the median of 50 starts.
start() {
    what=$1
    shift
    i=0
    while [ $i -lt 50 ]; do
        "$TESTS/measure" "$@"
        i=$((i + 1))
    done >"$work/starts"
    for field in 3 2; do
        cut -f $field "$work/starts" | sort -g | sed -n 25p | awk '{ printf "%.1f\n", 1000 * $1 }' >"$work/median"
        row "$what, median of 50$([ $field = 3 ] || echo ': processor')" "$(cat "$work/median")" ms
    done
}

if [ -n "${BENCH_DATA-}" ]; then
    set -- "$BENCH_DATA"
    [ ! -d "$1" ] || set -- "$1"/programs*.ndjson*
    [ -e "$1" ] || { echo "bench: no programs*.ndjson in $BENCH_DATA" >&2; exit 1; }
    n=$(lines "$@" | wc -l)
    step=$(((n + limit - 1) / limit))
    lines "$@" | awk -v step="$step" 'NR % step == 0' >"$work/all"
    awk 'NR % 10 == 0' "$work/all" >"$work/tenth"
    what="one in $step of the $n programs in $(basename "$BENCH_DATA")"
    [ "$step" -gt 1 ] || what="all $n programs of $(basename "$BENCH_DATA")"
else
    what='the dumps in data/demo, repeated'
    set -- data/demo/*.py data/demo/*.json
    repeat $((limit / $# / 10)) "$@" >"$work/tenth"
    repeat 10 "$work/tenth" >"$work/all"
fi

head_row machine "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(getconf _NPROCESSORS_CONF) processors, $(uname -sr)"
head_row compiler "${CC_VERSION-unknown}"
head_row version "$("$CDMPP" --version | sed -n '1p;3s/.*: /LibTorch /p' | paste -sd ' '), commit $(git describe --always --dirty 2>/dev/null || echo unknown)"
head_row date "$(date -u +%Y-%m-%d)"
head_row input "$what; $(($(wc -c <"$work/all") / 1000000)) MB"
echo | tee -a "$work/table"
stage parse parse
stage features 'parse + AST + features'
if "$CDMPP" predict -d t4 data/demo/conv2d_gpu.py >/dev/null 2>"$work/why"; then
    predict
else
    echo "bench: predict is left out: $(cat "$work/why")"
fi
reader TVMScript data/demo/*.py
reader JSON data/demo/*.json
start 'cdmpp --help' "$CDMPP" --help
start 'cdmpp predict --help' "$CDMPP" predict --help
if [ -e "$work/all.tsv" ]; then
    start 'cdmpp predict -d t4, one dump' "$CDMPP" predict -d t4 data/demo/conv2d_gpu.py
fi
mkdir -p "$(dirname "$out")"
mv "$work/table" "$out"
echo "written to $out"
