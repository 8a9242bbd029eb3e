cdmpp --version >&-
