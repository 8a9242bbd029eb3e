cdmpp show <&-
