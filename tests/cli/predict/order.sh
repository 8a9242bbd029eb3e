# Many programs go through in portions: all come out once, in their order, whatever the form of the input.
. "$TOP/tests/cli/predict/model.inc"
cat >template <<'EOF'
{"id":"pN","tir":"@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in T.serial(4):\n        A[i] = T.float32(1)\n"}
EOF
awk '{ for (i = 0; i < 700; i++) { line = $0; sub(/pN/, "p" i, line); print i == 300 || i == 301 ? "{\"tir\":\"nothing\"}" : line } }' template >many
cdmpp predict -m m.safetensors -d xeon-emr-1t,i7-3770 --format json many >out 2>err
echo "status $?"
# Each program has a line for each device, each error one.
awk 'BEGIN {
    for (i = 0; i < 700; i++) {
        line = "\"line\":" (i + 1) ","
        if (i == 300 || i == 301) { print line "\"error\":"; continue }
        print line "\"program\":\"p" i "\",\"format\":\"tvmscript\",\"device\":\"xeon-emr-1t\""
        print line "\"program\":\"p" i "\",\"format\":\"tvmscript\",\"device\":\"i7-3770\""
    }
}' >expected
sed -E 's/^\{"file":"many",//; s/,"seconds".*//; s/("error":).*/\1/' out | cmp - expected
wc -l <out
wc -l <err
gzip -c many | cdmpp predict -m m.safetensors -d xeon-emr-1t,i7-3770 --format json 2>err | sed 's/<stdin>/many/' | cmp - out
echo many | cdmpp predict -m m.safetensors -d xeon-emr-1t,i7-3770 --format json --files-from - 2>err | cmp - out
cdmpp predict -m m.safetensors -d xeon-emr-1t,i7-3770 --format json -j 1 many 2>err | cmp - out
