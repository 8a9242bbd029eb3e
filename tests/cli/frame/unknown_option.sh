cdmpp --nonsuch
