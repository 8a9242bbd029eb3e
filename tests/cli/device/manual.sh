# Every number that a description may have stands in the manual page.
sed -n 's/^DEVICE_NUMBER(\([a-z0-9_]*\),.*/\1/p' "$TOP/features/device.def" >keys
test "$(wc -l <keys)" -ge 30
while read -r key; do
    grep -qx "\\.It Cm $key" "$TOP/man/cdmpp-device.5" || echo "$key is not in cdmpp-device.5"
done <keys
