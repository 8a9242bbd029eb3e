cdmpp show "$TOP/tests/cases/dump_json/vthread.json"
