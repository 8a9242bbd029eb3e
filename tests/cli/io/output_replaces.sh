echo old >out
cdmpp show -o out "$TOP/tests/cli/io/in.tvmscript"
ls -A
cat out
