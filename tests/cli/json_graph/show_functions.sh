cdmpp show "$TOP/tests/cases/dump_json/functions.json"
