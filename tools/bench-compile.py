#!/usr/bin/env python3
"""Compares the time to compile a kernel: `clvk-run compile` against clspv.

    cargo build --release -p clvk-run
    python3.11 -m pip install pyclspv
    tools/bench-compile.py

Both compile the same text to SPIR-V. For clvk it is the CPU time (user and system) of the whole process, started cold:
loading, reading, compiling, writing. For clspv (the Python package pyclspv, which is built for Python 3.11) it is the CPU
time of `pyclspv.compile` alone, measured inside a fresh process; starting Python and loading the library do not count.
Prints both medians and their ratio; with --at-least it fails if the ratio is smaller.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Runs in a process of its own: the CPU seconds of a first compilation and of a second one.
CLSPV = """
import json, sys, time
import pyclspv
text = open(sys.argv[1]).read()
seconds = []
for _ in range(2):
    start = time.process_time()
    words = pyclspv.compile(text)
    seconds.append(time.process_time() - start)
assert len(words) > 0
print(json.dumps(seconds))
"""


def clspv_seconds(python, source):
    done = subprocess.run([python, "-c", CLSPV, source], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        sys.exit(f"clspv failed: {lines[-1]}\n(is it installed? {python} -m pip install pyclspv)")
    return json.loads(done.stdout)


def clvk_seconds(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with code {process.returncode}:\n{message}")
    return usage.ru_utime + usage.ru_stime


def main():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description="Compare the time to compile a kernel with clspv's.")
    parser.add_argument("source", nargs="?", default=str(ROOT / "tests/kernels/sgemm/sgemm.cl"))
    parser.add_argument("--clvk-run", default=str(target / "release/clvk-run"), help="the program to measure")
    parser.add_argument("--profile", default="nvidia-h200", help="device profile that clvk compiles for")
    parser.add_argument("--python", default=sys.executable, help="the Python 3.11 that has pyclspv")
    parser.add_argument("--runs", type=int, default=20, help="processes of each (default: 20)")
    parser.add_argument("--at-least", type=float, help="fail unless clvk is this many times faster")
    arguments = parser.parse_args()
    if not Path(arguments.clvk_run).is_file():
        sys.exit(f"{arguments.clvk_run} does not exist; build it with: cargo build --release -p clvk-run")

    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "out.spv")
        command = [arguments.clvk_run, "compile", arguments.source, "-o", output, "--profile", arguments.profile]
        ours = [clvk_seconds(command) for _ in range(arguments.runs)]
        size = Path(output).stat().st_size
    theirs = [clspv_seconds(arguments.python, arguments.source) for _ in range(arguments.runs)]
    clvk = statistics.median(ours)
    first, second = (statistics.median(column) for column in zip(*theirs))

    print(f"{Path(arguments.source).name}, median of {arguments.runs} processes, CPU milliseconds (user + system)")
    print(f"  clvk-run compile, whole process    {clvk * 1e3:9.2f}   ({size} bytes of SPIR-V)")
    print(f"  clspv, first compilation           {first * 1e3:9.2f}")
    print(f"  clspv, second compilation          {second * 1e3:9.2f}")
    print(f"  clspv's first / clvk               {first / clvk:9.1f}")
    print(f"  clspv's second / clvk              {second / clvk:9.1f}")
    if arguments.at_least is not None and min(first, second) / clvk < arguments.at_least:
        print(f"clvk is not {arguments.at_least} times faster", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
