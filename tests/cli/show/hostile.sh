# Each is refused with a line that says why; nothing crashes, and the good program behind it is read.
. "$TOP/tests/cli/show/program.inc"
head='@T.prim_func
def f(A: T.Buffer((4,), "float32")):'
repeat() {
    awk -v n="$1" -v s="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", s }'
}
{ echo "$head"; printf '    A[0] = '; repeat 100000 '('; echo; } >parentheses
{ echo "$head"; printf '    A[0] = 1'; repeat 100000 ' + 1'; echo; } >sum
{ echo "$head"; printf '    A[0] = '; repeat 100000 '-'; echo; } >signs
{ echo "$head"; printf '    A[0] = T.f'; repeat 50000 '([{'; echo; } >brackets
{ echo "$head"; repeat 100000 '    T.attr(A, "k", 1)
'; } >scopes
{ echo "$head"; printf '    A[9999999999999999999999999999999999999999999999999999999999999999999999] = 1\n'; } >digits
{ echo "$head"; printf '    A[1e999999999] = 1 \377\376\n'; } >utf8
{ echo "$head"; printf '    A[0] = 1 \000 2\n'; } >zero
{ printf '{"tir": '; repeat 100000 '['; echo; } >nested.json
{ printf '{"id":"\377","tir":""}\n'; } >utf8.json
{ printf '{"tir": 1'; repeat 400 0; printf '}\n'; } >number.json
cdmpp show parentheses sum signs brackets scopes digits utf8 zero nested.json utf8.json number.json other.py
