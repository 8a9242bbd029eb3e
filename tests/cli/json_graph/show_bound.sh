cdmpp show "$TOP/tests/cases/dump_json/bound.json"
