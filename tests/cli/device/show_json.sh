cdmpp device show cortex-a72 --format json
