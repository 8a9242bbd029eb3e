cdmpp show "$TOP/tests/cases/dump_json/allreduce.json"
