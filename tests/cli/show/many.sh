# Files in their order, with what cannot be read told in between; the rest is done.
. "$TOP/tests/cli/show/program.inc"
cdmpp show other.py bad.py lines.ndjson nonsuch other.py
