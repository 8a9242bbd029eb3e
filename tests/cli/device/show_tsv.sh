# An alias, and two devices in one table.
cdmpp device show "Tesla T4" k80 >out
grep -c '^t4	' out
grep '	sms	' out
cdmpp device show t4 -v | grep '	vector.clock'
