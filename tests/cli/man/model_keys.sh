# Every key of a model's metadata and every array stands in cdmpp-model(5).
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o model.safetensors programs >train.out || exit
head -c 8 model.safetensors | od -An -tu8 >length
tail -c +9 model.safetensors | head -c $(($(cat length))) >header
# Inside the error table the quotes are escaped, so its members do not look like keys.
grep -o '"[a-z_.]*":"' header | tr -d '":' | grep -vx dtype | sort -u >keys
test "$(wc -l <keys)" -ge 30 || cat keys
sed -n 's/^\.It Cm //p' "$TOP/man/cdmpp-model.5" | tr -d ',' | tr ' ' '\n' | sort -u >said
comm -23 keys said
grep -o '"scaling[a-z_.]*":{' header | sort
