CDMPP_DEVICES=/no/such/folder cdmpp device list
