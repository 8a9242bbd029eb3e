# The old file stays, and nothing else is left behind.
echo old >out
status=0
FAIL_WRITE=ENOSPC:1 FAIL_PATH=out LD_PRELOAD=$TESTS/fail_io.so cdmpp show -o out "$TOP/tests/cli/io/in.tvmscript" || status=$?
cat out
ls -A
exit $status
