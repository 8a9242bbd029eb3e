FAIL_WRITE=ENOSPC:1 LD_PRELOAD=$TESTS/fail_io.so cdmpp show "$TOP/tests/cli/io/in.tvmscript" >/dev/null
