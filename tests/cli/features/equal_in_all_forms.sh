# Standard input, gzip, a program line, --files-from: the same matrix.
. "$TOP/tests/cli/show/program.inc"
cdmpp features small.py | cut -f 4- >expected
cdmpp features <small.py | cut -f 4- | cmp - expected
gzip -c small.py >small.gz
cdmpp features small.gz | cut -f 4- | cmp - expected
echo small.py | cdmpp features --files-from - | cut -f 4- | cmp - expected
printf '{"id":"x","tir":"%s"}\n' "$(sed 's/"/\\"/g' small.py | awk '{ printf "%s\\n", $0 }')" >line
cdmpp features line | cut -f 4- | cmp - expected
wc -l <expected
