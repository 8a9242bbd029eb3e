printf 'name: mine\nkind: cpu\ncors: 4\n' >mine.yaml
cdmpp device show mine.yaml
