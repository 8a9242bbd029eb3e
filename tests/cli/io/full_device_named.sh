cdmpp show -o /dev/full "$TOP/tests/cli/io/in.tvmscript"
