cdmpp features --format table nothing
