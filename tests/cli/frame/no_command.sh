cdmpp
