for case in gemm allreduce vthread everything functions bound rebound shared unknown constant; do
    cdmpp show "$TOP/tests/cases/dump_json/$case.json" >first
    cdmpp show first >second
    cmp first second || echo "$case"
done
