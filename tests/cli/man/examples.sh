# The examples in the manual pages work.
. "$TOP/tests/cli/man/world.inc"
cdmpp train --epochs 1 --label log -o standard.safetensors programs >train.out || exit
export CDMPP_MODEL="$PWD/standard.safetensors"
# That of train makes the model that others use.
for page in "$TOP/man/cdmpp-train.1" "$TOP"/man/cdmpp*.1; do
    sed -n 's/^\.Dl //p' "$page" | sed 's/\\(dq/"/g; s/\\e/\\/g; s/\\&//g' | while IFS= read -r line; do
        case $line in
        *--plot*) command -v gnuplot >/dev/null || continue ;;
        esac
        printf '%s\n' "$line" >>ran
        rm -f latencies.tsv errors.svg
        sh -c "$line" >out 2>err </dev/null
        status=$?
        # In a pipeline only the messages tell.
        case $line in
        *' -v'*) : >err ;;
        esac
        test $status -eq 0 -a ! -s err && test -s out -o -e latencies.tsv -o -e latencies.ndjson || {
            echo "${page##*/}: $line: status $status"
            cat err
        }
    done
done
test "$(sort -u ran | wc -l)" -ge 20 || cat ran
