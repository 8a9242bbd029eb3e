#!/bin/sh
# embed.sh FILE...: prints text files as C string literals, one {"name", "text"}, for each, where the name is that
# of the file without folder and ending. What comes out is included in an initialiser.
set -eu
for file; do
    name=$(basename "$file")
    printf '{"%s",\n' "${name%.*}"
    # A question mark is escaped because of trigraphs.
    sed -e 's/[\\"?]/\\&/g' -e 's/^/ "/' -e 's/$/\\n"/' "$file"
    printf '},\n'
done
