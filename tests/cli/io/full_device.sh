cdmpp show "$TOP/tests/cli/io/in.tvmscript" >/dev/full
