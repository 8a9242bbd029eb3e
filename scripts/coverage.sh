#!/bin/sh
# Lines that the tests reached, per source file, from a build with --coverage. usage: coverage.sh BUILD-FOLDER
set -eu
build=$1
find "$build/obj" -name '*.gcda' ! -path '*/tests/*' ! -path '*/obj/torch/*' | sort | while read -r data; do
    gcov -n -o "$(dirname "$data")" "$data" 2>/dev/null
done | awk '
/^File/ { file = $2; gsub("\047", "", file) }
/^Lines executed/ && file ~ /^(cdmpp|features|data|models)\// {
    split($2, part, /[:%]/)
    lines = $4
    hit = part[2] * lines / 100
    if (file ~ /\.h$/ || file in seen) next
    seen[file] = 1
    printf "%6.1f %% of %5d  %s\n", part[2], lines, file
    all += lines; reached += hit
}
END { if (all) printf "%6.1f %% of %5d  total\n", 100 * reached / all, all }'
