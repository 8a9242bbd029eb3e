test "$(id -u)" != 0 || { echo "root reads everything" >&2; exit 77; }
cp "$TOP/tests/cli/io/in.tvmscript" secret
chmod 0 secret
cdmpp show secret
