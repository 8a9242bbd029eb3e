# Every command has a page and stands in cdmpp.1, and back; no page refers to one of ours that is not there.
cdmpp --list-options | sed -n 's/^command	\([^	]*\).*/\1/p' >commands
test -s commands || echo 'no commands'
while read -r command; do
    test -e "$TOP/man/cdmpp-$command.1" || echo "$command has no page"
    grep -qx "\\.It Cm $command" "$TOP/man/cdmpp.1" || echo "$command is not in cdmpp.1"
done <commands
for page in "$TOP"/man/cdmpp-*.1; do
    command=${page##*/cdmpp-}
    grep -qx "${command%.1}" commands || echo "$page is of no command"
done
sed -n 's/^\.Xr \(cdmpp[^ ]*\) \([0-9]\).*/\1.\2/p' "$TOP"/man/*.? | sort -u | while read -r page; do
    test -e "$TOP/man/$page" || echo "$page is referred to and not there"
done
for page in "$TOP"/man/cdmpp-*.?; do
    name=${page##*/}
    grep -qx "\\.Xr ${name%.*} ${name##*.}\\( ,\\)\\{0,1\\}" "$TOP/man/cdmpp.1" || echo "cdmpp.1 does not refer to $name"
done
