cdmpp device list v100
