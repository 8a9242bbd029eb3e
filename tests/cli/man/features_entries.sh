# The entries in cdmpp-features(5) are those of leaf.def: number, name, unit and meaning.
awk '
/^(LEAF|SLOT)_ENTRY\(/ {
    entry = $0
    sub(/^[A-Z_]*\(/, "", entry)
    sub(/"\)$/, "", entry)
    name = unit = meaning = entry
    sub(/,.*/, "", name)
    sub(/^[^,]*, */, "", unit)
    sub(/,.*/, "", unit)
    sub(/^[^"]*"/, "", meaning)
    if (/^SLOT/)
        print "+" slot++ " B k ." name " (" unit ") " meaning "."
    else
        print entries++ " " name " (" unit ") " meaning "."
}
/^LEAF_SLOTS/ { entries += 5 * slot }' "$TOP/features/leaf.def" >wanted
sed -n '/^\.Sh ENTRIES/,$p' "$TOP/man/cdmpp-features.5" | awk '
/^\.It / {
    unit = $NF
    sub(/ Pq [^ ]*$/, "")
    sub(/^\.It /, "")
    gsub(/ (Cm|Ns|Ar)/, "")
    head = $0 " (" unit ") "
    next
}
head { print head $0; head = "" }' >said
diff wanted said
test "$(wc -l <said)" -eq $((164 - 4 * 18)) || echo "$(wc -l <said) entries"
# And the names are what the program prints.
cdmpp features "$TOP/data/demo/matmul_cpu.py" | head -n 1 | tr '\t' '\n' | tail -n +6 >names
test "$(wc -l <names)" -eq 164 || echo "$(wc -l <names) names"
sed -n 's/^[0-9]* \([^ ]*\) .*/\1/p; s/^+[0-9]* B k \([^ ]*\) .*/B0\1\nB1\1\nB2\1\nB3\1\nB4\1/p' said | sort >documented
sort names | diff - documented
