. "$TOP/tests/cli/predict/model.inc"
CDMPP_MODEL=m.safetensors cdmpp predict -d xeon-emr-1t --format json matmul_cpu.py | plain
cp m.safetensors other.safetensors
CDMPP_MODEL=nonsuch cdmpp predict -m other.safetensors -d xeon-emr-1t --format json matmul_cpu.py | plain
mkdir -p data/pretrained
cp m.safetensors data/pretrained/base.safetensors
CDMPP_DATA_DIR=data cdmpp predict -d xeon-emr-1t --format json matmul_cpu.py | plain
