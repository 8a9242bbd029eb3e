cdmpp show "$TOP/tests/cases/dump_json/everything.json"
