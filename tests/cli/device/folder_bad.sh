mkdir devices
printf 'name: mine\n' >devices/a.yaml
CDMPP_DEVICES=devices cdmpp device list
