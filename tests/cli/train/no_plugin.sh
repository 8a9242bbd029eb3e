. "$TOP/tests/cli/man/world.inc"
mkdir none
CDMPP_PLUGIN_DIR=none cdmpp train -o m programs
