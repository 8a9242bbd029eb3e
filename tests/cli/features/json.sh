# The names stand on the first line alone.
. "$TOP/tests/cli/show/program.inc"
cdmpp features --raw --format json small.py lines.ndjson
