cdmpp show "$TOP/tests/cases/dump_json/gemm.json"
