#!/bin/sh
# Runs one libFuzzer target. usage: fuzz.sh BUILD-FOLDER NAME SECONDS
# Starts from the seeds in tests/fuzz/seeds/NAME and what earlier runs found; a finding is left in the build folder and named at the end:
# copy it to the seeds when it is fixed. SECONDS 0 only runs what is there.
set -eu
build=$1 name=$2 seconds=$3
corpus=$build/corpus/$name
mkdir -p "$corpus" "$build/findings"
set -- "$corpus"
[ ! -d "tests/fuzz/seeds/$name" ] || set -- "$@" "tests/fuzz/seeds/$name"
[ ! -e "tests/fuzz/$name.dict" ] || set -- "-dict=tests/fuzz/$name.dict" "$@"
if [ "$seconds" = 0 ]; then
    limit=-runs=0
else
    limit=-max_total_time=$seconds
fi
exec "$build/fuzz/$name" "$limit" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    "-artifact_prefix=$build/findings/$name-" "$@"
