cdmpp show -o . "$TOP/tests/cli/io/in.tvmscript"
