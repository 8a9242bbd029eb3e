#!/usr/bin/env python3
"""Chooses the golden cases of the tests and writes tests/golden/features.ndjson.gz.

usage: make-golden.py PROGRAMS OUTPUT

PROGRAMS is a folder with golden/features.ndjson.gz (values that TVM computed) and programs.*.ndjson.gz (the texts). Chosen are,
in the order of their ids, the first program of each operator, tuner and kind of device, then the first of each template
that has none yet. The same input gives the same file to the byte.
"""
import gzip
import json
import pathlib
import sys

# Rows of these hold what TVM's allocator left behind (see take_freed() in features/leaf_region.c): no other program repeats it.
LEFT_OUT = {"1fe49823d4ba1977", "c973ac7f4424851e", "7969f953b40361e9", "d8e9a154d074bb14", "977dde3e58a6e8d8",
            "282a81c2bd42a512"}


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def choose(golden):
    golden = sorted((record for record in golden if record["program"] not in LEFT_OUT), key=lambda record: record["program"])
    keys = [lambda record: (record["op"], record["kind"], record["target"].startswith(("cuda", "rocm"))),
            lambda record: record["task"].split("__")[-1]]
    chosen = {}
    for key in keys:
        seen = {key(record) for record in chosen.values()}
        for record in golden:
            if key(record) not in seen:
                seen.add(key(record))
                chosen[record["program"]] = record
    return [chosen[program] for program in sorted(chosen)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    chosen = choose(read_lines(folder / "golden" / "features.ndjson.gz"))
    wanted = {record["program"] for record in chosen}
    texts = {}
    for path in sorted(folder.glob("programs.*.ndjson.gz")):
        for record in read_lines(path):
            if record["id"] in wanted:
                texts[record["id"]] = record["tir"]
    missing = wanted - set(texts)
    if missing:
        sys.exit(f"no text of {sorted(missing)}")
    with open(sys.argv[2], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for record in chosen:
            line = {"id": record["program"], "task": record["task"], "op": record["op"], "kind": record["kind"],
                    "target": record["target"].split()[0], "raw": record["raw"], "tir": texts[record["program"]]}
            file.write((json.dumps(line) + "\n").encode())
    print(f"{len(chosen)} programs, {sum(len(record['raw']) for record in chosen)} rows")


if __name__ == "__main__":
    main()
