cdmpp show "$TOP/tests/cases/dump_json/unknown.json"
