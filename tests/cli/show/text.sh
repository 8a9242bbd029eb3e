. "$TOP/tests/cli/show/program.inc"
cdmpp show small.py
