cdmpp --version extra
