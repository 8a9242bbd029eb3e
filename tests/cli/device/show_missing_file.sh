cdmpp device show ./none.yaml
