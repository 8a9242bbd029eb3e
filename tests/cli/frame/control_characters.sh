# Control characters of the command line must not reach the terminal.
cdmpp "$(printf 'a\033[2Jb')"
