# Stopped by a signal and resumed: the same weights as of a run without a stop.
. "$TOP/tests/cli/torch/world.inc"
options="$small --epochs 30 --patience 0"
cdmpp train -v $options -o stopped programs >out 2>err &
run=$!
until grep -q 'epoch 2 of' err 2>/dev/null || ! kill -0 $run; do sleep 0.02; done
kill -TERM $run
wait $run
echo "status $?"
cdmpp train $options --resume -o stopped programs >resumed.out
cdmpp train $options -o through programs >through.out
cmp resumed.out through.out
for file in stopped through; do sed 's/"date":"[^"]*"//' $file >$file.plain; done
cmp stopped.plain through.plain && echo same
