# That the model cannot be written is told before anything is read.
. "$TOP/tests/cli/man/world.inc"
cdmpp train -o nowhere/model.safetensors no_dataset
