cdmpp device lst
