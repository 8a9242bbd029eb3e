cdmpp show nonsuch "$TOP/tests/cli/io/in.tvmscript"
