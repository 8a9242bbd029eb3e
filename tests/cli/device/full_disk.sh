cdmpp device list >/dev/full
