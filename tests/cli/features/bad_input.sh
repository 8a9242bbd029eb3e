. "$TOP/tests/cli/show/program.inc"
cdmpp features bad.py
