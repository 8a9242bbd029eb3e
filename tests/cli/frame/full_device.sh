cdmpp --help >/dev/full
