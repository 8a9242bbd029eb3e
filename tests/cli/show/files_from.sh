. "$TOP/tests/cli/show/program.inc"
mkdir d
cp small.py "d/a name"
printf 'small.py\n\nd/a name\nnonsuch\nother.py' >list
cdmpp show --files-from list lines.ndjson | grep '^def'
echo ---
printf 'd\n' | cdmpp show --files-from - | grep '^def'
echo ---
cdmpp show --files-from nonsuch
