# What cannot be drawn is told before anything is read.
. "$TOP/tests/cli/man/world.inc"
cdmpp eval --plot errors.pdf -m no_model no_dataset
