. "$TOP/tests/cli/show/program.inc"
cdmpp show -o out small.py
cdmpp show small.py | cmp - out
ls -A
