# A dataset cannot make the program open files: a path is no device there.
. "$TOP/tests/cli/man/world.inc"
sed 's|xeon-emr-1t|./my-box.yaml|' programs/measurements.tsv >path && mv path programs/measurements.tsv
cdmpp train --epochs 1 --label log -o model.safetensors programs
