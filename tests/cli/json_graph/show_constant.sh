cdmpp show "$TOP/tests/cases/dump_json/constant.json"
