# A model cannot make the program open files either.
. "$TOP/tests/cli/man/world.inc"
grep -v v100 programs/measurements.tsv >cpu && mv cpu programs/measurements.tsv
cdmpp train --epochs 1 --label log -o model.safetensors programs >train.out || exit
sed 's|"devices":"xeon-emr-1t"|"devices":"./dev3.yaml"|' model.safetensors >hostile.safetensors
cdmpp predict -m hostile.safetensors matmul_cpu.py
