# Two broken graphs among good ones: the messages say where, and the rest is done.
cases=$TOP/tests/cases/dump_json
sed 's/"kind":"0"/"kind":"9"/' "$cases/rebound.json" >kind.json
head -c 1000 "$cases/rebound.json" >cut.json
cp "$cases/bomb.json" .
cdmpp show kind.json "$cases/rebound.json" cut.json bomb.json
