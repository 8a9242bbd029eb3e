cdmpp show "$TOP/tests/cases/dump_json/rebound.json"
