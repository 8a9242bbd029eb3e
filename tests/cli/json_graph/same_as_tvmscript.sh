# The same program as a graph and as TVMScript: same canonical text, same features.
cases=$TOP/tests/cases/dump_json
for script in "$cases"/*.tvmscript.py; do
    graph=${script%.tvmscript.py}.json
    for command in "show" "show --ast" "features" "features --tvm-view --raw"; do
        # The first columns of features name the file and the line.
        cdmpp $command "$graph" | cut -f 3- >graph.out
        cdmpp $command "$script" | cut -f 3- >script.out
        test -s graph.out || echo "$graph: $command says nothing"
        cmp graph.out script.out || echo "$graph: $command differs"
    done
done
ls "$cases"/*.tvmscript.py | wc -l
