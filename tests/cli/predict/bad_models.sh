# Files that are no model of ours are refused with a reason.
. "$TOP/tests/cli/predict/model.inc"
size=$(wc -c <m.safetensors)
: >empty
echo 'not a model' >text
head -c 1000 m.safetensors >cut
head -c $((size - 4)) m.safetensors >short
cp m.safetensors long && printf 'x' >>long
sed 's/"feature_set":"1"/"feature_set":"9"/' m.safetensors >features
sed 's/"device_vector":"[0-9]*"/"device_vector":"9"/' m.safetensors >vector
for model in empty text cut short long features vector nonsuch .; do
    cdmpp predict -m $model matmul_cpu.py
    echo "$model: $?"
done
