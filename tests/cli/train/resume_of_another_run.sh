# A checkpoint of other options or other data is refused.
exec 3>&2 2>told
. "$TOP/tests/cli/man/world.inc"
cdmpp train -v --epochs 5000 --patience 0 --label log -o m programs >out 2>err &
run=$!
until grep -q 'epoch 2 of' err 2>/dev/null; do sleep 0.02; done
kill -TERM $run
wait $run
cdmpp train --epochs 5000 --patience 0 --label log --width 16 --resume -o m programs
echo "status $?"
sed '$d' programs/measurements.tsv >less && mv less programs/measurements.tsv
cdmpp train --epochs 5000 --patience 0 --label log --resume -o m programs
echo "status $?"
: >m.checkpoint
cdmpp train --epochs 5000 --patience 0 --label log --resume -o m programs
echo "status $?"
rm m.checkpoint
cdmpp train --epochs 1 --label log --resume -o m programs >out
echo "status $?"
sed -E 's/[0-9a-f]{64}/HASH/g' told >&3
