# With -v the meaning of each number and the vector.
cdmpp device show ryzen-3700x --format table -v
