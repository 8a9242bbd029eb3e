cdmpp device --help
cdmpp device list --help | head -n 3
cdmpp help device show | head -n 1
