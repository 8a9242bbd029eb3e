. "$TOP/tests/cli/show/program.inc"
cdmpp show bad.py
