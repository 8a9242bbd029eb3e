# Without --raw all entries but the flags are sign(x) * log2(|x| + 1).
cdmpp features --raw "$TOP"/data/demo/*.py >raw
cdmpp features "$TOP"/data/demo/*.py >scaled
paste raw scaled | awk -F '\t' '
    NR == 1 { for (i = 6; i <= NF / 2; i++) flag[i] = $i ~ /_type|is_gpu/ }
    NR > 1 {
        for (i = 1; i <= NF / 2; i++) {
            expected = i < 6 || flag[i] ? $i : log($i + 1) / log(2)
            actual = $(i + NF / 2)
            if (i < 6 ? actual != expected : actual - expected > 1e-5 || expected - actual > 1e-5)
                print NR, i, actual, expected
            if (actual != $i)
                n++
        }
    }
    END { if (!n) print "nothing was scaled" }'
