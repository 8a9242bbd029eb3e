# The rest of the batch still runs.
cp "$TOP/tests/cli/io/in.tvmscript" good
cp good bad
FAIL_READ=EIO:1 FAIL_PATH=/bad LD_PRELOAD=$TESTS/fail_io.so cdmpp show bad good
