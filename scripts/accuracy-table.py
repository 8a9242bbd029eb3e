#!/usr/bin/env python3
"""Prints the accuracy table of a model card: a model beside the baselines, on the same split.

    build/cdmpp eval -m MODEL DATASET --format tsv -o eval.tsv
    scripts/baselines.py --cdmpp build/cdmpp DATASET -o baselines.tsv
    scripts/accuracy-table.py eval.tsv baselines.tsv

Median absolute percentage error for each device; the baseline is the XGBoost that is best in the mean over the
devices on that table, chosen after the fact in its favour.
"""
import argparse
import csv


def rows_of(path):
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eval", help="table that `cdmpp eval --format tsv` wrote")
    parser.add_argument("baselines", help="table that scripts/baselines.py wrote")
    args = parser.parse_args()
    ours = {(r["tasks"], r["programs"], r["device"]): r for r in rows_of(args.eval)}
    theirs = {}
    for r in rows_of(args.baselines):
        table = r["table"].replace("test-", "")
        subset = r["subset"]
        theirs.setdefault((table, subset), {}).setdefault(r["baseline"], {})[r["device"]] = r
    for table in ("seen", "unseen"):
        for subset in ("all", "good"):
            baselines = {n: d for n, d in theirs[table, subset].items() if n.startswith("xgb") and "mean" in d}
            best = min(baselines, key=lambda n: float(baselines[n]["mean"]["median_ape"]))
            print(f"\n{table} tasks, {subset} programs; best XGBoost: {best}\n")
            print("| device | n | median APE % | XGBoost | task median | MAPE % | XGBoost | Spearman | XGBoost |")
            print("|---|---|---|---|---|---|---|---|---|")
            median = theirs[table, subset]["task-median"]
            devices = [d for (t, s, d) in ours if t == table and s == subset]
            for device in devices:
                our, their = ours[table, subset, device], baselines[best][device]

                def percent(row, key):
                    return f"{100 * float(row[key]):.1f}"

                def rank(row, key):
                    return f"{float(row[key]):.3f}" if row[key] not in ("", "nan") else "-"

                print(f"| {device} | {our['n']} | {percent(our, 'median_ape')} | {percent(their, 'median_ape')} "
                      f"| {percent(median[device], 'median_ape')} | {percent(our, 'mape')} | {percent(their, 'mape')} "
                      f"| {rank(our, 'spearman')} | {rank(their, 'spearman')} |")


if __name__ == "__main__":
    main()
