gzip -c "$TOP/tests/cli/io/in.tvmscript" >packed
cdmpp show packed
cdmpp show <packed | cmp - "$TOP/tests/cli/io/gzip.stdout"
