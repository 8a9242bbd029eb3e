# A line over the limit is refused, and the next one is read. The zeros take no room on the disk.
. "$TOP/tests/cli/show/program.inc"
head -n 1 lines.ndjson >long
printf '{"id":"' >>long
truncate -s +65M long
printf '"}\n' >>long
tail -n 1 lines.ndjson >>long
cdmpp show long | grep '^def'
cdmpp show long >/dev/null
