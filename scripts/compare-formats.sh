#!/bin/sh
# Are programs that were dumped in several formats the same to us?
# usage: [CDMPP=build/cdmpp] compare-formats.sh FOLDER
#
# For every NAME.json in FOLDER with a NAME.tvmscript.py beside it, the canonical text (`cdmpp show`) and the leaf matrix
# (`cdmpp features`) of both must be equal, and the canonical text must read back to itself. Pairs of which neither
# can be read (programs with blocks, graphs of newer releases) are counted apart. Ends with the counts; status 1 when a pair differs.
set -u
CDMPP=${CDMPP:-build/cdmpp}
folder=${1:?usage: compare-formats.sh FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 different=0 unread=0

# features FILE: the matrix without the columns that name file and format.
features() {
    "$CDMPP" features "$1" | cut -f 3-
}

for json in "$folder"/*.json; do
    script=${json%.json}.tvmscript.py
    [ -e "$script" ] || continue
    name=$(basename "$json" .json)
    "$CDMPP" show "$json" >"$work/a" 2>"$work/a.err"
    a=$?
    "$CDMPP" show "$script" >"$work/b" 2>"$work/b.err"
    b=$?
    if [ "$a" -ne 0 ] && [ "$b" -ne 0 ]; then
        unread=$((unread + 1))
        continue
    fi
    what=
    if [ "$a" -ne 0 ] || [ "$b" -ne 0 ]; then
        what="only one is read: $(cat "$work/a.err" "$work/b.err")"
    elif ! cmp -s "$work/a" "$work/b"; then
        what="text differs: $(diff "$work/a" "$work/b" | head -n 4)"
    elif ! "$CDMPP" show "$work/a" | cmp -s - "$work/a"; then
        what="the canonical text does not read back to itself"
    else
        features "$json" >"$work/fa"
        features "$script" >"$work/fb"
        if [ "$(wc -l <"$work/fa")" -lt 2 ]; then
            what="there are no features"
        elif ! cmp -s "$work/fa" "$work/fb"; then
            what="features differ"
        fi
    fi
    if [ -n "$what" ]; then
        different=$((different + 1))
        echo "$name: $what"
    else
        same=$((same + 1))
    fi
done
echo "compare-formats: $same the same, $different different, $unread not read in either form"
[ "$different" -eq 0 ]
