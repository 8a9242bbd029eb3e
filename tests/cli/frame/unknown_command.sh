cdmpp nonsuch
