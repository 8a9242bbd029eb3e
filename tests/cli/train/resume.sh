# A run that was stopped by a signal leaves a checkpoint; resumed, it ends with the same weights as one that ran through.
. "$TOP/tests/cli/man/world.inc"
options='--epochs 400 --patience 0 --label log'
# On a busy machine it may end before the signal comes: then once more.
for try in 1 2 3 4 5 6 7 8 9; do
    rm -f stopped*
    cdmpp train -v $options -o stopped programs >out 2>err &
    run=$!
    until grep -q 'epoch 3 of' err 2>/dev/null || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
    kill -TERM $run 2>/dev/null
    wait $run
    status=$?
    test $status = 0 || break
done
echo "status $status"
grep -c 'stopped after step' err
ls stopped 2>/dev/null
ls stopped.checkpoint
cdmpp train -v $options --resume -o stopped programs >resumed.out 2>err
echo "status $?"
grep -c 'goes on from step' err
ls stopped.checkpoint 2>/dev/null
cdmpp train $options -o through programs >through.out
cmp resumed.out through.out
for file in stopped through; do sed 's/"date":"[^"]*"//' $file >$file.plain; done
cmp stopped.plain through.plain && echo same
