# Graphs over many lines, one on one line, and a program line whose "tir" is a graph, in one stream.
cases=$TOP/tests/cases/dump_json
tr -d '\n' <"$cases/functions.json" >line
echo >>line
{
    printf '{"id":"x","task":"t","tir":'
    tr -d '\n' <"$cases/constant.json"
    echo '}'
} >record
cat "$cases/rebound.json" line record "$cases/bound.json" | cdmpp show | grep '^def'
