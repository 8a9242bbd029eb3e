gzip -c "$TOP/tests/cli/io/in.tvmscript" | head -c 100 >packed
cdmpp show packed
