. "$TOP/tests/cli/show/program.inc"
cdmpp features --raw small.py other.py
