# Twenty starts in 0.2 s of processor time (10 ms each; the sanitizers take longer to start and are not asked).
! ldd "$CDMPP" | grep -q libasan || { echo "sanitizers take longer" >&2; exit 77; }
! nm "$CDMPP" 2>/dev/null | grep -q __asan_init || { echo "sanitizers take longer" >&2; exit 77; }
before=$(awk '{ print $16 + $17 }' /proc/$$/stat)
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    cdmpp --help >/dev/null
done
after=$(awk '{ print $16 + $17 }' /proc/$$/stat)
ticks=$((after - before))
test "$ticks" -le 20 || { echo "$ticks ticks of 10 ms"; exit 1; }
