# The script that gnuplot gets; its picture takes its place at the end.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o m programs >out
mkdir bin
cat >bin/gnuplot <<'EOF'
#!/bin/sh
cat >script
file=$(sed -n "s/^set output '\(.*\)'/\1/p" script | sed "s/''/'/g")
echo picture >"$file"
EOF
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH
cdmpp eval -m m --split all --plot "it's.svg" programs >out
cat "it's.svg"
sed -E 's/^[0-9.e-]+ [0-9.e-]+$/X Y/; s/\.[0-9]+\.tmp/.PID.tmp/' script | uniq
