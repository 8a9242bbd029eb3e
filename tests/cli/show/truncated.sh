# Cut at every byte: read or refused with one line that names the file, and what follows is read in any case.
. "$TOP/tests/cli/show/program.inc"
size=$(wc -c <small.py)
n=0
while [ $n -le "$size" ]; do
    head -c $n small.py >cut.py
    status=0
    cdmpp show cut.py >out 2>err || status=$?
    lines=$(wc -l <err)
    test $status = 0 -a "$lines" = 0 || test $status = 1 -a "$lines" = 1 || echo "$n bytes: status $status, $lines lines"
    grep -v '^cut\.py:\|^cdmpp show: cut\.py:' err
    n=$((n + 1))
done
line=$(head -n 1 lines.ndjson)
n=1
while [ $n -lt ${#line} ]; do
    printf '%.*s\n' $n "$line" >cut.ndjson
    tail -n 1 lines.ndjson >>cut.ndjson
    status=0
    cdmpp show cut.ndjson >out 2>err || status=$?
    test $status = 1 || echo "$n bytes of a line: status $status"
    test "$(grep -c '^def three' out)" = 1 || echo "$n bytes of a line: the next line is lost"
    n=$((n + 1))
done
