cdmpp device show t4 -o out.tsv
grep '	sms	' out.tsv
