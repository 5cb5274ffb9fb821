#!/usr/bin/env python3
"""Runs exported test cases on an OpenCL platform: verifies them and measures their speed.

    cargo run --release -p clvk-tests --bin export-cases -- target/cases --size small
    tools/opencl-reference.py target/cases --platform pocl --runs 5 --json target/opencl.json

Needs Python 3.9 or later with pyopencl and numpy, and an OpenCL driver. Every case is built from its source, run once
on fresh inputs and compared with its expected outputs within its tolerances; then it is run again, RUNS times, and timed
by profiling events. The time of a run is the sum of its kernels' times on the device. Exit code: 0 if all are right,
1 if a case is wrong or failed, 2 on bad usage.
"""

import argparse
import json
import statistics
import sys
import time
import warnings
from pathlib import Path

try:
    import numpy as np
    import pyopencl as cl
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install pyopencl numpy")
import opencl_il

# What a compiler says of a source that it builds anyway.
warnings.filterwarnings("ignore", category=getattr(cl, "CompilerWarning", UserWarning))

DTYPES = {
    "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
    "i64": "<i8", "u64": "<u8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
}
ADDRESSING = {"clamp": cl.addressing_mode.CLAMP, "clamp-to-edge": cl.addressing_mode.CLAMP_TO_EDGE}
FILTER = {"nearest": cl.filter_mode.NEAREST, "linear": cl.filter_mode.LINEAR}


class CaseRun:
    """A case on a device: its program, its memory and its kernels with their arguments set."""

    def __init__(self, context, queue, folder, il):
        self.queue = queue
        self.folder = folder
        self.case = json.loads((folder / "case.json").read_text())
        self.contents = [np.fromfile(folder / entry["file"], dtype=np.uint8) for entry in self.case["resources"]]
        start = time.perf_counter()
        source = (folder / self.case["source"]).read_text()
        program = opencl_il.build(context, source, [*self.case["options"], "-I", str(folder)], il)
        self.build_seconds = time.perf_counter() - start
        self.memory = [
            make_memory(context, entry, contents) for entry, contents in zip(self.case["resources"], self.contents)
        ]
        self.upload()
        # A kernel does not keep its samplers alive.
        self.held = []
        self.launches = [self.prepare(context, program, launch) for launch in self.case["launches"]]

    def prepare(self, context, program, launch):
        kernel = cl.Kernel(program, launch["kernel"])
        for index, argument in enumerate(launch["arguments"]):
            value = self.argument(context, argument)
            self.held.append(value)
            kernel.set_arg(index, value)
        return kernel, tuple(launch["global"]), tuple(launch["local"]), tuple(launch["offset"]) or None

    def argument(self, context, argument):
        kind = argument["kind"]
        if kind == "resource":
            return self.memory[argument["index"]]
        if kind == "value":
            return bytes.fromhex(argument["hex"])
        if kind == "null":
            return None
        if kind == "local":
            return cl.LocalMemory(argument["bytes"])
        if kind == "sampler":
            addressing, sampling = ADDRESSING[argument["addressing"]], FILTER[argument["filter"]]
            return cl.Sampler(context, argument["normalized"], addressing, sampling)
        raise ValueError(f"unknown kind of argument: {kind}")

    def upload(self):
        for entry, memory, contents in zip(self.case["resources"], self.memory, self.contents):
            if entry["kind"] == "image-rgba8":
                cl.enqueue_copy(self.queue, memory, contents, origin=(0, 0), region=(entry["width"], entry["height"]))
            else:
                cl.enqueue_copy(self.queue, memory, contents)
        self.queue.finish()

    def run(self, times=1):
        """Enqueues every launch that many times; for each time the sum of the launches' times on the device, in seconds."""
        events = [
            [
                cl.enqueue_nd_range_kernel(self.queue, kernel, global_size, local_size, global_work_offset=offset)
                for kernel, global_size, local_size, offset in self.launches
            ]
            for _ in range(times)
        ]
        self.queue.finish()
        return [sum(event.profile.end - event.profile.start for event in run) * 1e-9 for run in events]

    def download(self, index):
        entry = self.case["resources"][index]
        result = np.empty(entry["size"], dtype=np.uint8)
        if entry["kind"] == "image-rgba8":
            region = (entry["width"], entry["height"])
            cl.enqueue_copy(self.queue, result, self.memory[index], origin=(0, 0), region=region)
        else:
            cl.enqueue_copy(self.queue, result, self.memory[index])
        return result

    def errors(self):
        """What is wrong with the outputs, as a list of sentences."""
        found = []
        for output in self.case["outputs"]:
            entry = self.case["resources"][output["resource"]]
            expected = np.fromfile(self.folder / output["file"], dtype=np.uint8)
            result = self.download(output["resource"])
            wrong, total, worst = compare(entry, output["tolerance"], result, expected)
            if wrong:
                found.append(f"`{entry['name']}`: {wrong} of {total} values are wrong, the worst by {worst:g}")
        return found


def make_memory(context, entry, contents):
    flags = cl.mem_flags.READ_WRITE
    if entry["kind"] == "image-rgba8":
        flags = cl.mem_flags.WRITE_ONLY if entry["written"] else cl.mem_flags.READ_ONLY
        pixel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        return cl.create_image(context, flags, pixel, shape=(entry["width"], entry["height"]))
    return cl.Buffer(context, flags, size=contents.nbytes)


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


def choose_device(arguments):
    platforms = cl.get_platforms()
    wanted = arguments.platform.lower()
    for platform in platforms:
        if wanted in platform.name.lower() or wanted in platform.vendor.lower() or wanted in platform.version.lower():
            return platform, platform.get_devices()[0]
    names = ", ".join(platform.name for platform in platforms)
    print(f"no OpenCL platform matches `{arguments.platform}`; there are: {names}", file=sys.stderr)
    sys.exit(2)


def run_case(context, queue, folder, runs, warm_up, il):
    run = CaseRun(context, queue, folder, il)
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


def main():
    parser = argparse.ArgumentParser(description="Run exported test cases on an OpenCL platform.")
    parser.add_argument("folder", type=Path, help="what export-cases wrote")
    parser.add_argument("--platform", default="", help="part of the platform's name (default: the first one)")
    parser.add_argument("--case", action="append", default=[], help="only this case (may be repeated)")
    parser.add_argument("--runs", type=int, default=10, help="timed runs of each case (default: 10)")
    parser.add_argument("--warm-up", type=float, default=3.0,
                        help="seconds that each case is run before it is timed (default: 3)")
    parser.add_argument("--il", default="", metavar="CLVK-RUN", help=opencl_il.HELP)
    parser.add_argument("--json", type=Path, help="also write the results here")
    arguments = parser.parse_args()

    folders = sorted(path.parent for path in arguments.folder.glob("*/case.json"))
    if arguments.case:
        folders = [folder for folder in folders if folder.name in arguments.case]
    if not folders:
        print(f"no case in {arguments.folder}; write some with export-cases", file=sys.stderr)
        sys.exit(2)
    platform, device = choose_device(arguments)
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    print(f"{device.name.strip()}: {platform.version.strip()}, driver {device.driver_version.strip()}")
    print(f"{'case':14} {'result':6} {'min ms':>10} {'median ms':>10} {'GB/s':>9} {'Gop/s':>10}")

    rows = []
    for folder in folders:
        try:
            row = run_case(context, queue, folder, arguments.runs, arguments.warm_up, arguments.il)
        except (cl.Error, opencl_il.CompileError, ValueError, OSError) as error:
            row = {"case": folder.name, "verified": False, "errors": [str(error).strip()]}
        print_row(row)
        rows.append(row)
    right = sum(row["verified"] for row in rows)
    print(f"{right} of {len(rows)} cases verified")
    if arguments.json:
        report = {"device": device.name, "platform": platform.version, "driver": device.driver_version, "cases": rows}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    sys.exit(0 if right == len(rows) else 1)


if __name__ == "__main__":
    main()
