. "$TOP/tests/cli/torch/world.inc"
cdmpp train $small --epochs 3 -o m.safetensors programs >trained || exit
cdmpp eval -j 1 -m m.safetensors programs | cmp - trained
cut -f 1-4 trained
cdmpp predict -m m.safetensors --format json *.py *.json | sed -E 's/"seconds":[0-9.e-]+/"seconds":S/'
# The same seed and threads give the same weights.
cdmpp train $small --epochs 3 -o again.safetensors programs >out
for file in m again; do sed 's/"date":"[^"]*"//' $file.safetensors >$file.plain; done
cmp m.plain again.plain && echo same
