#!/usr/bin/env python3
"""Baselines that the predictor is compared with, on the split of `cdmpp train`.

Needs numpy and xgboost (tried with 3.2.0). The features come from `cdmpp features`, so baselines and predictor see the
same leaf matrices. Split (h(x) = first 8 hex digits of SHA-1(x), modulo 100):

    h("split:" + task) >= 90      test-unseen: every program of the task
                       80 .. 89   validation
                       below 80   by h("prog:" + id): below 90 train, 90 .. 94 validation, else test-seen

One training set and one model serve both test tables. Everything is fitted on train; boosting stops when the error
on validation has not improved for --patience rounds, and predicts with the rounds up to the best.

A program is good when its latency is at most 4 times the best of its task on that device, over the whole set.
Quantiles are interpolated linearly; Spearman is the mean over tasks with at least 10 programs in which neither
truths nor predictions are all equal. The rows of device "mean" are plain means over devices.
"""

import argparse
import glob
import gzip
import hashlib
import json
import math
import os
import shlex
import subprocess
import sys
import time

import numpy as np
import xgboost

TRAIN, VALIDATION_SEEN, VALIDATION_UNSEEN, TEST_SEEN, TEST_UNSEEN = range(5)
TABLES = {"test-seen": TEST_SEEN, "test-unseen": TEST_UNSEEN}
SUBSETS = ("all", "good")
GOOD_FACTOR = 4.0
MIN_TASK = 10
METRICS = ("n", "mape", "median_ape", "p90", "within10", "within20", "rmse_log", "spearman", "spearman_tasks")
COLUMNS = ("baseline", "table", "device", "subset", "devices") + METRICS + ("rounds", "note")


class BadInput(Exception):
    """The message is for the user; the run ends with exit status 1."""


def say(text):
    print(f"baselines: {text}", file=sys.stderr, flush=True)


# ---- the dataset ----------------------------------------------------------------------------------------------


def open_text(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")


def dataset_files(folder, stem, ending):
    found = [p for e in (ending, ending + ".gz") for p in glob.glob(os.path.join(glob.escape(folder), stem + "*" + e))]
    if not found:
        raise BadInput(f"{folder}: no {stem}*{ending} or {stem}*{ending}.gz in it")
    return sorted(found)


def dataset_hash(paths):
    """What `sha256sum measurements* programs* | sha256sum` prints in the dataset's folder (LC_ALL=C)."""
    total = hashlib.sha256()
    for path in sorted(paths, key=os.path.basename):
        one = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                one.update(block)
        total.update(f"{one.hexdigest()}  {os.path.basename(path)}\n".encode())
    return total.hexdigest()


def read_tasks(paths):
    """{program id: task name}"""
    tasks = {}
    for path in paths:
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                try:
                    program = json.loads(line)
                    name = program["id"]
                except (ValueError, KeyError, TypeError) as error:
                    raise BadInput(f"{path}:{number}: not a program line: {error!r}") from None
                if name in tasks:
                    raise BadInput(f"{path}:{number}: program {name} occurs twice")
                tasks[name] = program.get("task") or name
    return tasks


def read_measurements(paths):
    """[(program id, device, seconds)] in file order"""
    rows = []
    for path in paths:
        with open_text(path) as file:
            header = file.readline().rstrip("\n").split("\t")
            try:
                columns = [header.index(c) for c in ("program", "device", "seconds")]
            except ValueError as error:
                raise BadInput(f"{path}:1: no such column: {error}") from None
            for number, line in enumerate(file, 2):
                fields = line.rstrip("\n").split("\t")
                try:
                    program, device, seconds = (fields[c] for c in columns)
                    seconds = float(seconds)
                except (ValueError, IndexError):
                    raise BadInput(f"{path}:{number}: not a measurement") from None
                if not (seconds > 0 and math.isfinite(seconds)):
                    raise BadInput(f"{path}:{number}: {seconds} is not a latency in seconds")
                rows.append((program, device, seconds))
    return rows


def percent_of(text):
    return int(hashlib.sha1(text.encode()).hexdigest()[:8], 16) % 100


def part_of(task, program):
    by_task = percent_of("split:" + task)
    if by_task >= 90:
        return TEST_UNSEEN
    if by_task >= 80:
        return VALIDATION_UNSEEN
    by_program = percent_of("prog:" + program)
    return TRAIN if by_program < 90 else VALIDATION_SEEN if by_program < 95 else TEST_SEEN


class Rows:
    """One row a measurement: arrays of equal length.

    program indexes the feature matrix, device `devices`, task any numbering; part is one of the five parts.
    """

    def __init__(self, measurements, tasks, ids):
        index = {name: i for i, name in enumerate(ids)}
        for name, device, _ in measurements:
            if name not in tasks:
                raise BadInput(f"program {name}, measured on {device}, is in no programs file")
        kept = [m for m in measurements if m[0] in index]
        self.without_features = len(measurements) - len(kept)
        if not kept:
            raise BadInput("no measured program has features")
        self.devices = sorted({m[1] for m in kept})
        device_index = {name: i for i, name in enumerate(self.devices)}
        task_index = {name: i for i, name in enumerate(sorted(set(tasks.values())))}
        part = {name: part_of(tasks[name], name) for name in {m[0] for m in kept}}
        self.program = np.array([index[m[0]] for m in kept])
        self.device = np.array([device_index[m[1]] for m in kept])
        self.seconds = np.array([m[2] for m in kept])
        self.task = np.array([task_index[tasks[m[0]]] for m in kept])
        self.part = np.array([part[m[0]] for m in kept])
        self.n_tasks = len(task_index)
        # Task and device in one number: the group in which "best" and the medians are taken.
        self.group = self.device * self.n_tasks + self.task
        best = np.full(len(self.devices) * self.n_tasks, np.inf)
        np.minimum.at(best, self.group, self.seconds)
        self.good = self.seconds <= GOOD_FACTOR * best[self.group]

    def __len__(self):
        return len(self.seconds)


# ---- the features ---------------------------------------------------------------------------------------------


def run_features(cdmpp, paths):
    """Leaf matrices from `cdmpp features`: ids, leaves of each program, values [leaves of all][features]"""
    ids, counts, blocks, pending, failed = [], [], [], [], 0
    command = [cdmpp, "features", "--format", "json", *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            record = json.loads(line)
            if "error" in record:
                failed += 1
                continue
            ids.append(record["program"])
            counts.append(len(record["leaves"]))
            pending.extend(record["leaves"])
            if len(pending) > 20000:
                blocks.append(np.array(pending, np.float32))
                pending = []
    if pending:
        blocks.append(np.array(pending, np.float32))
    if process.returncode not in (0, 1) or not blocks:
        raise BadInput(f"{shlex.join(command[:4])} ... ended with status {process.returncode}")
    if failed:
        say(f"{failed} programs could not be read and are left out")
    return ids, np.array(counts, np.int32), np.concatenate(blocks)


def save_features(folder, digest, ids, counts, values):
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "counts.npy"), counts)
    np.save(os.path.join(folder, "values.npy"), values)
    with open(os.path.join(folder, "ids.txt"), "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in ids)
    # Last, so that a folder with this file is complete.
    with open(os.path.join(folder, "dataset.sha256"), "w", encoding="ascii") as file:
        file.write(digest + "\n")


def load_features(folder, digest):
    """As run_features(), or None where the folder holds none of this dataset."""
    try:
        with open(os.path.join(folder, "dataset.sha256"), encoding="ascii") as file:
            if file.read().strip() != digest:
                return None
        with open(os.path.join(folder, "ids.txt"), encoding="utf-8") as file:
            ids = file.read().split()
        counts = np.load(os.path.join(folder, "counts.npy"))
        values = np.load(os.path.join(folder, "values.npy"), mmap_mode="r")
    except FileNotFoundError:
        return None
    if len(ids) != len(counts) or counts.sum() != len(values):
        raise BadInput(f"{folder}: its files do not belong together")
    return ids, counts, values


def get_features(options, digest, paths):
    if options.features:
        loaded = load_features(options.features, digest)
        if loaded is None:
            raise BadInput(f"{options.features}: no features of this dataset (SHA-256 {digest})")
        return loaded
    if options.cache:
        loaded = load_features(options.cache, digest)
        if loaded is not None:
            return loaded
    computed = run_features(options.cdmpp, paths)
    if options.cache:
        save_features(options.cache, digest, *computed)
    return computed


def sum_and_max(counts, values):
    """Per program the sum and the maximum over its leaves: two arrays [programs][features]. No leaf gives 0."""
    starts = np.concatenate(([0], np.cumsum(counts)))
    sums = np.zeros((len(counts), values.shape[1]), np.float32)
    maxima = np.zeros_like(sums)
    full = np.flatnonzero(counts)
    step = 10000
    for first in range(0, len(full), step):
        some = full[first : first + step]
        begin = starts[some[0]]
        block = np.asarray(values[begin : starts[some[-1] + 1]])
        if not np.isfinite(block).all():
            raise BadInput("a feature is infinite or not a number")
        sums[some] = np.add.reduceat(block, starts[some] - begin, axis=0)
        maxima[some] = np.maximum.reduceat(block, starts[some] - begin, axis=0)
    return sums, maxima


# ---- metrics --------------------------------------------------------------------------------------------------


def ranks(values):
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[inverse]


def spearman(left, right):
    a, b = ranks(left), ranks(right)
    a, b = a - a.mean(), b - b.mean()
    squares = (a @ a) * (b @ b)
    return a @ b / math.sqrt(squares) if squares > 0 else math.nan


def spearman_within(predicted, truth, task):
    """Mean over tasks, and how many entered it"""
    order = np.argsort(task, kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(task[order])) + 1)
    all_of = [spearman(predicted[p], truth[p]) for p in pieces if len(p) >= MIN_TASK]
    defined = [r for r in all_of if not math.isnan(r)]
    return (sum(defined) / len(defined) if defined else math.nan), len(defined)


def measure(predicted, truth, task):
    error = np.abs(predicted - truth) / truth
    logs = np.log(predicted) - np.log(truth)
    rank, tasks = spearman_within(predicted, truth, task)
    return {
        "n": len(truth),
        "mape": error.mean(),
        "median_ape": np.median(error),
        "p90": np.quantile(error, 0.9),
        "within10": (error <= 0.1).mean(),
        "within20": (error <= 0.2).mean(),
        "rmse_log": math.sqrt((logs**2).mean()),
        "spearman": rank,
        "spearman_tasks": tasks,
    }


def mean_of(results):
    total = {"n": sum(r["n"] for r in results), "spearman_tasks": sum(r["spearman_tasks"] for r in results)}
    for name in METRICS:
        if name not in total:
            defined = [r[name] for r in results if not math.isnan(r[name])]
            total[name] = sum(defined) / len(defined) if defined else math.nan
    return total


def judge(rows, baseline, predicted, rounds=None, note=None):
    """Result lines of one baseline. predicted: [rows] seconds, used where the part is a test part.

    rounds: {device index: rounds}; note: {table: text}
    """
    lines = []
    for table, part in TABLES.items():
        for subset in SUBSETS:
            results = []
            common = {"baseline": baseline, "table": table, "subset": subset, "note": (note or {}).get(table, "")}
            for d, device in enumerate(rows.devices):
                chosen = (rows.part == part) & (rows.device == d)
                if subset == "good":
                    chosen &= rows.good
                if not chosen.any():
                    continue
                results.append(measure(predicted[chosen], rows.seconds[chosen], rows.task[chosen]))
                used = (rounds or {}).get(d, "")
                lines.append({**common, "device": device, "devices": 1, "rounds": used, **results[-1]})
            if results:
                lines.append({**common, "device": "mean", "devices": len(results), "rounds": "", **mean_of(results)})
    return lines


# ---- baselines ------------------------------------------------------------------------------------------------


def medians(keys, seconds, size):
    """[size] median of the seconds of each key, NaN where it has none"""
    result = np.full(size, np.nan)
    order = np.argsort(keys, kind="stable")
    for piece in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        if len(piece):
            result[keys[piece[0]]] = np.median(seconds[piece])
    return result


def task_median(rows, name):
    size = len(rows.devices) * rows.n_tasks
    train = rows.part == TRAIN
    predicted = medians(rows.group[train], rows.seconds[train], size)[rows.group]
    seen = rows.part == TEST_SEEN
    lost = seen & np.isnan(predicted)
    by_device = medians(rows.device[train], rows.seconds[train], len(rows.devices))
    predicted[lost] = by_device[rows.device[lost]]
    unseen = rows.part == TEST_UNSEEN
    predicted[unseen] = medians(rows.group[unseen], rows.seconds[unseen], size)[rows.group[unseen]]
    note = {
        "test-seen": f"{lost.sum()} rows of tasks without a training row on the device: the device's median",
        "test-unseen": "sees test labels: a yardstick, not a predictor",
    }
    return judge(rows, name, predicted, note=note)


class Progress(xgboost.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if (epoch + 1) % 100 == 0:
            errors = next(iter(evals_log["validation"].values()))
            say(f"  round {epoch + 1}: validation error {errors[-1]:.4f}")
        return False


def boost(options, rows, chosen, matrix, objective):
    """Train on the chosen rows and predict their test parts: [rows] seconds (NaN elsewhere), and the rounds used.

    chosen: [rows] bool; matrix: function of row numbers giving their inputs [numbers][inputs]
    """
    label = np.log(rows.seconds)
    train = np.flatnonzero(chosen & (rows.part == TRAIN))
    held = np.flatnonzero(chosen & ((rows.part == VALIDATION_SEEN) | (rows.part == VALIDATION_UNSEEN)))
    test = np.flatnonzero(chosen & ((rows.part == TEST_SEEN) | (rows.part == TEST_UNSEEN)))
    if not len(train) or not len(held):
        raise BadInput("a device has no training or no validation rows")
    data = xgboost.QuantileDMatrix(matrix(train), label=label[train], nthread=options.threads)
    validation = xgboost.QuantileDMatrix(matrix(held), label=label[held], ref=data, nthread=options.threads)
    parameters = {
        "objective": objective,
        "eval_metric": "rmse" if objective == "reg:squarederror" else "mae",
        "tree_method": "hist",
        "max_depth": 10,
        "eta": 0.1,
        "subsample": 0.8,
        "colsample_bytree": 0.4,
        "min_child_weight": 5,
        "seed": options.seed,
        "nthread": options.threads,
    }
    model = xgboost.train(
        parameters,
        data,
        options.rounds,
        evals=[(validation, "validation")],
        early_stopping_rounds=options.patience,
        callbacks=[Progress()],
        verbose_eval=False,
    )
    rounds = model.best_iteration + 1
    predicted = np.full(len(rows), np.nan)
    if len(test):
        inputs = xgboost.DMatrix(matrix(test), nthread=options.threads)
        predicted[test] = np.exp(model.predict(inputs, iteration_range=(0, rounds)).astype(np.float64))
    return predicted, rounds


def boost_per_device(options, rows, name, per_program, objective):
    predicted = np.full(len(rows), np.nan)
    rounds = {}
    for d, device in enumerate(rows.devices):
        began = time.time()
        chosen = rows.device == d
        values, rounds[d] = boost(options, rows, chosen, lambda s: per_program[rows.program[s]], objective)
        predicted[chosen] = values[chosen]
        say(f"{name}: {device}: {rounds[d]} rounds, {time.time() - began:.0f} s")
    return judge(rows, name, predicted, rounds)


def boost_pooled(options, rows, name, per_program, per_device, objective):
    def matrix(s):
        return np.hstack((per_program[rows.program[s]], per_device[rows.device[s]]))

    predicted, rounds = boost(options, rows, np.ones(len(rows), bool), matrix, objective)
    return judge(rows, name, predicted, dict.fromkeys(range(len(rows.devices)), rounds))


def device_numbers(options, devices):
    """[devices][numbers] as `cdmpp device show --format json` gives them"""
    vectors = []
    for device in devices:
        command = [options.cdmpp, "device", "show", "--format", "json", device]
        shown = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if shown.returncode != 0:
            raise BadInput(f"{shlex.join(command)} ended with status {shown.returncode}")
        vectors.append(list(json.loads(shown.stdout)["vector"].values()))
    return np.array(vectors, np.float32)


def one_hot(devices):
    return np.eye(len(devices), dtype=np.float32)


SQUARED, ABSOLUTE = "reg:squarederror", "reg:absoluteerror"

# Functions of (options, rows, name, sums, maxima) giving result lines.
BASELINES = {
    "task-median": lambda o, r, n, s, m: task_median(r, n),
    "xgb-device-summax": lambda o, r, n, s, m: boost_per_device(o, r, n, np.hstack((s, m)), SQUARED),
    "xgb-device-summax-abs": lambda o, r, n, s, m: boost_per_device(o, r, n, np.hstack((s, m)), ABSOLUTE),
    "xgb-device-sum": lambda o, r, n, s, m: boost_per_device(o, r, n, s, SQUARED),
    "xgb-pooled-summax": lambda o, r, n, s, m: boost_pooled(
        o, r, n, np.hstack((s, m)), one_hot(r.devices), SQUARED
    ),
    "xgb-pooled-summax-abs": lambda o, r, n, s, m: boost_pooled(
        o, r, n, np.hstack((s, m)), one_hot(r.devices), ABSOLUTE
    ),
    "xgb-pooled-summax-vector": lambda o, r, n, s, m: boost_pooled(
        o, r, n, np.hstack((s, m)), device_numbers(o, r.devices), SQUARED
    ),
}


def scale_factors(rows, least):
    """One factor for each ordered pair of devices with at least `least` programs in common in train and in a test part.

    The factor is the exponential of the median log ratio over the common programs of train.
    """
    columns = [dict(zip(rows.program[rows.device == d], np.flatnonzero(rows.device == d))) for d in range(len(rows.devices))]
    lines = []
    for a, source in enumerate(rows.devices):
        for b, target in enumerate(rows.devices):
            common = sorted(columns[a].keys() & columns[b].keys()) if a != b else []
            left = np.array([columns[a][p] for p in common], int)
            right = np.array([columns[b][p] for p in common], int)
            train = rows.part[left] == TRAIN
            if train.sum() < least:
                continue
            ratio = np.log(rows.seconds[right]) - np.log(rows.seconds[left])
            factor = math.exp(np.median(ratio[train]))
            for table, part in TABLES.items():
                test = rows.part[left] == part
                if test.sum() < least:
                    continue
                truth = rows.seconds[right[test]]
                result = measure(factor * rows.seconds[left[test]], truth, rows.task[right[test]])
                lines.append({"from": source, "to": target, "table": table, "train": train.sum(), "factor": factor, **result})
    return lines


# ---- output ---------------------------------------------------------------------------------------------------

SHARES = ("mape", "median_ape", "p90", "within10", "within20")


def cell(name, value):
    """For people: shares in percent"""
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "-"
    if name in SHARES:
        return f"{100 * value:.1f}"
    return str(value) if isinstance(value, (int, np.integer)) else f"{value:.3f}"


def print_table(title, header, body):
    table = [header, *body]
    widths = [max(len(line[i]) for line in table) for i in range(len(header))]
    print(f"\n{title}")
    for line in table:
        first = line[0].ljust(widths[0])
        print("  ".join([first, *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]).rstrip())
    sys.stdout.flush()


def print_baseline(lines):
    short = {"median_ape": "medAPE", "mape": "MAPE", "within10": "in10", "within20": "in20", "spearman_tasks": "tasks"}
    header = [short.get(name, name) for name in METRICS]
    for baseline in dict.fromkeys(line["baseline"] for line in lines):
        for table in TABLES:
            chosen = [r for r in lines if r["baseline"] == baseline and r["table"] == table]
            note = f" ({chosen[0]['note']})" if chosen and chosen[0]["note"] else ""
            for subset in SUBSETS:
                body = [
                    [r["device"], *(cell(m, r[m]) for m in METRICS), str(r["rounds"])]
                    for r in chosen
                    if r["subset"] == subset
                ]
                if body:
                    title = f"{baseline}, {table}, {subset} programs{note}; errors and shares in %"
                    print_table(title, ["device", *header, "rounds"], body)


def print_summary(lines):
    names = list(dict.fromkeys(line["baseline"] for line in lines))
    where = {(r["baseline"], r["table"], r["subset"], r["device"]): r for r in lines}
    devices = sorted({r["device"] for r in lines} - {"mean"}) + ["mean"]
    for table in TABLES:
        for subset in SUBSETS:
            body = [
                [device, *(cell("median_ape", where[n, table, subset, device]["median_ape"]) for n in names)]
                for device in devices
                if (names[0], table, subset, device) in where
            ]
            if body:
                print_table(f"median APE in %, {table}, {subset} programs", ["device", *names], body)


def print_scale(lines):
    names = ("n", "mape", "median_ape", "p90", "spearman")
    body = [
        [f"{r['from']} -> {r['to']}", r["table"], str(r["train"]), cell("", r["factor"]), *(cell(m, r[m]) for m in names)]
        for r in lines
    ]
    title = "one factor for a pair of devices; errors in %"
    print_table(title, ["pair", "table", "train", "factor", "n", "MAPE", "medAPE", "p90", "spearman"], body)


def tsv_value(value):
    if isinstance(value, (float, np.floating)):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def write_results(path, head, lines):
    text = "".join(f"# {line}\n" for line in head) + "\t".join(COLUMNS) + "\n"
    text += "".join("\t".join(tsv_value(r[c]) for c in COLUMNS) + "\n" for r in lines)
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


# ---- command line ---------------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", metavar="DATASET", help="folder with programs*.ndjson[.gz] and measurements*.tsv[.gz]")
    parser.add_argument("--cdmpp", default="build/cdmpp", metavar="FILE", help="the program (default: %(default)s)")
    parser.add_argument("-o", "--output", metavar="FILE", help="results in long form, rewritten after each baseline")
    parser.add_argument(
        "--only", metavar="NAME[,NAME...]", help=f"of {', '.join(BASELINES)} (default: all)"
    )
    parser.add_argument("--cache", metavar="FOLDER", help="keep the features here (0.6 GB for a million leaves)")
    parser.add_argument("--features", metavar="FOLDER", help="take the features from such a folder, and fail without")
    parser.add_argument(
        "--scale", type=int, metavar="N", help="also print one factor for each pair of devices with N common programs"
    )
    parser.add_argument("--rounds", type=int, default=800, metavar="N", help="boosting rounds, at most (default: 800)")
    parser.add_argument(
        "--patience", type=int, default=50, metavar="N", help="rounds without gain that end a training (default: 50)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the boosting (default: 0)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of the boosting (default: 1)")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else list(BASELINES)
    for name in options.only:
        if name not in BASELINES:
            parser.error(f"no baseline {name}")
    if min(options.rounds, options.patience, options.threads) < 1 or (options.scale is not None and options.scale < 1):
        parser.error("rounds, patience, threads and common programs are at least 1")
    return options


def describe(options, rows, digest):
    parts = ("train", "validation-seen", "validation-unseen", "test-seen", "test-unseen")
    counts = ", ".join(f"{name} {(rows.part == i).sum()}" for i, name in enumerate(parts))
    return [
        f"dataset sha256 {digest}",
        f"seed {options.seed}, at most {options.rounds} rounds, patience {options.patience}, xgboost {xgboost.__version__}, numpy {np.__version__}",
        f"measurements: {counts}; {rows.without_features} left out for want of features",
    ]


def run(options):
    if options.output:
        # Before the work and not after it.
        with open(options.output + ".tmp", "w", encoding="utf-8"):
            pass
    program_files = dataset_files(options.dataset, "programs", ".ndjson")
    measurement_files = dataset_files(options.dataset, "measurements", ".tsv")
    digest = dataset_hash(program_files + measurement_files)
    tasks = read_tasks(program_files)
    measurements = read_measurements(measurement_files)
    ids, counts, values = get_features(options, digest, program_files)
    rows = Rows(measurements, tasks, ids)
    sums, maxima = sum_and_max(counts, values)
    head = describe(options, rows, digest)
    print("\n".join(head), flush=True)
    lines = []
    for name in options.only:
        began = time.time()
        new = BASELINES[name](options, rows, name, sums, maxima)
        say(f"{name}: {time.time() - began:.0f} s")
        print_baseline(new)
        lines += new
        if options.output:
            write_results(options.output, head, lines)
    print_summary(lines)
    if options.scale:
        print_scale(scale_factors(rows, options.scale))


def main():
    options = parse_arguments()
    try:
        run(options)
    except (BadInput, OSError, ValueError) as error:
        say(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
