# All files below it, in the order of their names, without hidden ones.
. "$TOP/tests/cli/show/program.inc"
mkdir -p d/b/.hidden d/a
cp small.py d/b/1.py
cp other.py d/a/2.py
cp other.py d/.hidden.py
cp other.py d/b/.hidden/3.py
gzip -c lines.ndjson >d/c
ln -s ../d d/z
cdmpp show d | grep '^def'
