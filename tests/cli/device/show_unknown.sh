cdmpp device show rtx3081
