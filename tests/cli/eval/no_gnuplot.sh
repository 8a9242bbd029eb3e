# The table comes out, and what is missing for the plot is told.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o m programs >out
mkdir bin
ln -s "$(command -v sh)" bin/sh
program=$(command -v cdmpp)
PATH=$PWD/bin "$program" eval -m m --plot p.svg programs >out
status=$?
cut -f 1-4 out | head -n 1
ls p.svg
exit $status
