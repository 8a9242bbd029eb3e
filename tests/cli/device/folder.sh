# $CDMPP_DEVICES adds devices and hides shipped ones of the same name.
mkdir devices
printf 'name: mine\nkind: cpu\naliases: [my box]\n' >devices/a.yaml
printf 'name: v100\nkind: gpu\nsms: 84\n' >devices/b.yaml
export CDMPP_DEVICES=devices
cdmpp device list | grep -e '^mine' -e '^v100'
cdmpp device show "My Box" v100
cdmpp device show t4 | grep '	sms	'
