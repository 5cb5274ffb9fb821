"""What the tools that run exported test cases elsewhere share: comparing outputs, and the table of results."""

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

DTYPES = {
    "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
    "i64": "<i8", "u64": "<u8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
}


def folders_of(folder, names):
    """The folders of the cases: all of them, or those of these names."""
    folders = sorted(path.parent for path in folder.glob("*/case.json"))
    if names:
        folders = [path for path in folders if path.name in names]
    if not folders:
        print(f"no case in {folder}; write some with export-cases", file=sys.stderr)
        sys.exit(2)
    return folders


def errors_of(folder, case, download):
    """What is wrong with the outputs, as a list of sentences; `download` gives the bytes of a resource."""
    found = []
    for output in case["outputs"]:
        entry = case["resources"][output["resource"]]
        expected = np.fromfile(folder / output["file"], dtype=np.uint8)
        wrong, total, worst = compare(entry, output["tolerance"], download(output["resource"]), expected)
        if wrong:
            found.append(f"`{entry['name']}`: {wrong} of {total} values are wrong, the worst by {worst:g}")
    return found


def compare(entry, tolerance, result, expected):
    """How many values are wrong, how many there are, and the greatest difference of a wrong one."""
    if np.array_equal(result, expected):
        return 0, expected.size, 0.0
    record = entry.get("record", ["u8"])
    if len(set(record)) == 1:
        columns = [(record[0], result, expected)]
    else:
        fields = np.dtype([(f"f{i}", DTYPES[name]) for i, name in enumerate(record)])
        rows, wanted = result.view(fields), expected.view(fields)
        columns = [(name, rows[f"f{i}"].copy(), wanted[f"f{i}"].copy()) for i, name in enumerate(record)]
    wrong, total, worst = 0, 0, 0.0
    for name, got, want in columns:
        got, want = got.view(DTYPES[name]), want.view(DTYPES[name])
        bad, difference = differences(tolerance, got, want)
        wrong += int(np.count_nonzero(bad))
        total += want.size
        if bad.any():
            worst = max(worst, float(np.max(np.nan_to_num(difference[bad], nan=np.inf))))
    return wrong, total, worst


def differences(tolerance, got, want):
    """Which values are wrong, and all differences."""
    is_float = want.dtype.kind == "f"
    with np.errstate(all="ignore"):
        difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
    if tolerance["kind"] == "exact":
        bits = f"<u{want.dtype.itemsize}"
        return got.view(bits) != want.view(bits), difference
    if tolerance["kind"] == "steps":
        return difference > tolerance["steps"], difference
    if not is_float:
        raise ValueError("a float tolerance on integers")
    allowed = tolerance["absolute"] + tolerance["relative"] * np.abs(want.astype(np.float64))
    finite = np.isfinite(got) & np.isfinite(want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(finite, ~(difference <= allowed), ~same), difference


def measure(run, runs, warm_up):
    """Runs a case once and verifies it, then for `warm_up` seconds, then times it: its row of the table."""
    run.run()
    errors = run.errors()
    start = time.perf_counter()
    while runs > 0 and time.perf_counter() - start < warm_up:
        run.run(runs)
    seconds = run.run(runs)
    case = run.case
    row = {"case": case["name"], "verified": not errors, "errors": errors, "build_seconds": run.build_seconds}
    if seconds:
        best, middle = min(seconds), statistics.median(seconds)
        row.update(min_seconds=best, median_seconds=middle, runs=runs)
        row.update(gigabytes_per_second=case["bytes"] / middle * 1e-9)
        if case["operations"]:
            row.update(giga_operations_per_second=case["operations"] / middle * 1e-9)
    return row


def print_header():
    print(f"{'case':14} {'result':6} {'min ms':>10} {'median ms':>10} {'GB/s':>9} {'Gop/s':>10}")


def print_row(row):
    state = "ok" if row["verified"] else "WRONG"
    times = ""
    if "min_seconds" in row:
        rate = row.get("giga_operations_per_second")
        times = f"{row['min_seconds'] * 1e3:10.3f} {row['median_seconds'] * 1e3:10.3f}"
        times += f" {row['gigabytes_per_second']:9.2f} " + (f"{rate:10.1f}" if rate else f"{'':10}")
    print(f"{row['case']:14} {state:6} {times}", flush=True)
    for error in row["errors"]:
        print(f"    {error}", flush=True)


def finish(rows, about, path):
    """Prints how many cases are right, writes the results, and gives the exit code."""
    right = sum(row["verified"] for row in rows)
    print(f"{right} of {len(rows)} cases verified")
    if path:
        path.write_text(json.dumps({**about, "cases": rows}, indent=2) + "\n")
    return 0 if right == len(rows) else 1


def add_arguments(parser):
    """The arguments that these tools have in common."""
    parser.add_argument("folder", type=Path, help="what export-cases wrote")
    parser.add_argument("--case", action="append", default=[], help="only this case (may be repeated)")
    parser.add_argument("--runs", type=int, default=10, help="timed runs of each case (default: 10)")
    parser.add_argument("--warm-up", type=float, default=3.0,
                        help="seconds that each case is run before it is timed (default: 3)")
    parser.add_argument("--json", type=Path, help="also write the results here")
