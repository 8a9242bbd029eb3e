cdmpp -V | head -n 1 | cut -d " " -f 1
