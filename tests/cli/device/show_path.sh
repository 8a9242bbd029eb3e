# A description of the user's own, with little in it. What is absent is not shown.
printf 'name: mine\nkind: cpu\ncores: 4\nclock_base_hz: 2 GHz\nsimd_bits: 256\nfma_units_per_core: 2\n' >mine.yaml
cdmpp device show ./mine.yaml --format table
cdmpp device show mine.yaml --format json
