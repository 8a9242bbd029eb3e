# Stopped by a signal and resumed: the same weights as of a run without a stop.
. "$TOP/tests/cli/torch/world.inc"
options="$small --epochs 30 --patience 0"
# On a busy machine it may end before the signal comes: then once more.
for try in 1 2 3 4 5 6 7 8 9; do
    rm -f stopped*
    cdmpp train -v $options -o stopped programs >out 2>err &
    run=$!
    until grep -q 'epoch 2 of' err 2>/dev/null || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
    kill -TERM $run 2>/dev/null
    wait $run
    status=$?
    test $status = 0 || break
done
echo "status $status"
cdmpp train $options --resume -o stopped programs >resumed.out
cdmpp train $options -o through programs >through.out
cmp resumed.out through.out
for file in stopped through; do sed 's/"date":"[^"]*"//' $file >$file.plain; done
cmp stopped.plain through.plain && echo same
