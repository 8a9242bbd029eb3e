cdmpp device show
