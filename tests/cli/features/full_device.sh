. "$TOP/tests/cli/show/program.inc"
cdmpp features small.py >/dev/full
