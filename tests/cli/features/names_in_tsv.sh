# Tabs and line ends in names would make other columns and lines.
printf '%s\n' '{"id":"a\tb\nc\u001b[1m","tir":"@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.float32(1)\n"}' >"tab	name"
cdmpp features "tab	name" | cut -f 1-5
cdmpp features --format json "tab	name" | cut -c 1-80
