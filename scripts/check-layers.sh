#!/bin/sh
# No file includes a header of a higher layer. usage: check-layers.sh [TOP]
# Ranks: cdmpp/core 0, features 1, data 2, models 3, cdmpp/cli 4. models/torch, which becomes the plug-in, sees only
# cdmpp/core/error.h and its own folder. Our own headers are named by full path from the root.
set -u
top=${1:-$(dirname "$0")/..}
cd "$top" || exit 2

find cdmpp/core features data models cdmpp/cli \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.def' \) | sort |
    xargs grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
    awk '
function rank(path) {
    if (path ~ /^cdmpp\/core\//) return 0
    if (path ~ /^features\//) return 1
    if (path ~ /^data\//) return 2
    if (path ~ /^models\//) return 3
    if (path ~ /^cdmpp\/cli\//) return 4
    return -1
}
{
    split($0, part, ":")
    file = part[1]; line = part[2]
    match($0, /"[^"]*"/)
    header = substr($0, RSTART + 1, RLENGTH - 2)
    n++
    if (header ~ /\.inc$/)      # made at build time, no layer
        next
    why = ""
    if (rank(header) < 0)
        why = "is not a path from the root of the tree"
    else if (file ~ /^models\/torch\//) {
        if (header != "cdmpp/core/error.h" && header !~ /^models\/torch\//)
            why = "must not be seen by the plug-in"
    } else if (header ~ /^models\/torch\// && header != "models/torch/torch_shim.h")
        why = "is inside the plug-in"
    else if (rank(header) > rank(file))
        why = "is of a higher layer"
    if (why != "") {
        printf "%s:%s: \"%s\" %s\n", file, line, header, why
        bad++
    }
}
END {
    printf "layers: %d passed, %d failed, 0 skipped\n", (bad == 0 && n != 0), bad + (n == 0)
    exit bad > 0 || n == 0
}'
