# A file without a program, one that is empty, a folder that is empty.
mkdir empty
echo 'no program here' >prose
: >nothing
status=0
cdmpp show prose nothing || status=$?
echo $status
cdmpp show empty
