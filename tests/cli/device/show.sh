cdmpp device show v100 --format table
