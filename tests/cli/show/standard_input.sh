. "$TOP/tests/cli/show/program.inc"
cdmpp show <small.py
echo ---
cdmpp show - other.py <small.py
