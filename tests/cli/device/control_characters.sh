# A description must not steer the terminal.
printf 'name: mine\nkind: cpu\ntitle: "\\e[2J"\n' >mine.yaml
cdmpp device show mine.yaml
