cdmpp help nonsuch
