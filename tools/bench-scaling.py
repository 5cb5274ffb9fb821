#!/usr/bin/env python3
"""Measures how the time and memory of `clvk-run compile` grow with the size of the source.

    cargo build --release -p clvk-run
    tools/bench-scaling.py

For each shape of program it compiles one of N and one of 10 N parts and prints the CPU time (user and system; the least of
the runs) and the peak memory of both, and how many times the second is the first. Linear is 10, less what every
compilation costs; with --at-most it fails if a ratio of times is larger (the project's promise for functions is 12).
Shapes may be named to measure only those.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "kernel void run(global int *p, int n) {\n  int s = n;\n"
TAIL = "  p[get_global_id(0)] = s;\n}\n"


def functions(count):
    """Functions, all called by one kernel."""
    text = [f"int f{i}(int a, global int *p) {{ for (int k = 0; k < a; ++k) {{ if (p[k] > {i}) a += k * {i}; else a ^= 3; }} return a; }}\n" for i in range(count)]
    return "".join(text) + HEAD + "".join(f"  s += f{i}(s, p);\n" for i in range(count)) + TAIL


def unused(count):
    """Functions that no kernel calls."""
    return functions(count).split("kernel")[0] + HEAD + TAIL


def kernels(count):
    """Kernels."""
    return "".join(f"kernel void run{i}(global int *p, int n) {{ int s = p[n]; if (s > {i}) s += n * {i}; p[get_global_id(0)] = s; }}\n" for i in range(count))


def statements(count):
    """Statements of one function."""
    return HEAD + "".join(f"  s = s * {i % 7 + 3} + p[(s + {i}) & 255];\n" for i in range(count)) + TAIL


def branches(count):
    """`if` statements of one function."""
    return HEAD + "".join(f"  if (s > {i}) s += p[{i}]; else s ^= {i};\n" for i in range(count)) + TAIL


def returns(count):
    """Early returns of one function."""
    return HEAD + "".join(f"  if (p[{i}] > n) return;\n" for i in range(count)) + TAIL


def loops(count):
    """Loops of one function."""
    return HEAD + "".join(f"  for (int k = 0; k < n; ++k) s = s * 3 + p[k + {i}];\n" for i in range(count)) + TAIL


def variables(count):
    """Variables of one function, all alive."""
    text = "".join(f"  int v{i} = p[{i}] + s;\n" for i in range(count))
    return HEAD + text + "".join(f"  s ^= v{i};\n" for i in range(count)) + TAIL


def arrays(count):
    """Arrays of one function that are indexed by variables."""
    text = "".join(f"  int v{i}[4] = {{s, n, {i}, 1}}; s += v{i}[p[{i}] & 3];\n" for i in range(count))
    return HEAD + text + TAIL


def table(count):
    """Elements of an initialiser."""
    numbers = ", ".join(str(i * 2654435761 % 65536) for i in range(count))
    return f"constant int t[{count}] = {{{numbers}}};\n" + HEAD + f"  s += t[n % {count}];\n" + TAIL


def cases(count):
    """Cases of a switch, each with a `break`."""
    return HEAD + "  switch (p[n]) {\n" + "".join(f"  case {i}: s += p[{i * 3}]; break;\n" for i in range(count)) + "  }\n" + TAIL


def fallthrough(count):
    """Cases of a switch that fall into each other."""
    return HEAD + "  switch (p[n]) {\n" + "".join(f"  case {i}: s += p[{i * 3}];\n" for i in range(count)) + "  }\n" + TAIL


def gotos(count):
    """Jumps forward, each over a few statements."""
    return HEAD + "".join(f"  if (s > {i}) goto l{i};\n  s += p[{i}];\nl{i}:\n  s ^= {i};\n" for i in range(count)) + TAIL


def failures(count):
    """Jumps to one label at the end."""
    return HEAD + "".join(f"  s += p[{i}];\n  if (s < 0) goto end;\n" for i in range(count)) + "end:\n" + TAIL


def terms(count):
    """Terms of a sum."""
    return HEAD + "  s = " + " + ".join(f"p[{i}]" for i in range(count)) + ";\n" + TAIL


def macros(count):
    """Macro definitions, each used."""
    return "".join(f"#define M{i}(x) ((x) * {i} + p[{i}])\n" for i in range(count)) + HEAD + "".join(f"  s = M{i}(s);\n" for i in range(count)) + TAIL


SHAPES = {
    functions: 100, unused: 100, kernels: 100, statements: 1000, branches: 300, returns: 90, loops: 100, variables: 1000,
    arrays: 100, table: 6400, cases: 100, fallthrough: 50, gotos: 100, failures: 80, terms: 90, macros: 500,
}


def measure(program, source, profile, runs):
    """CPU seconds and peak megabytes of a compilation; the message if it fails."""
    best = None
    for _ in range(runs):
        command = [program, "compile", source, "--profile", profile, "-o", os.devnull]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        message = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            return None, (message.strip().splitlines() or [f"code {process.returncode}"])[0]
        seconds = usage.ru_utime + usage.ru_stime
        if best is None or seconds < best[0]:
            best = (seconds, usage.ru_maxrss / 1024)
    return best, None


def main():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description="Measure how compile time and memory grow with the source.")
    parser.add_argument("shapes", nargs="*", help=", ".join(shape.__name__ for shape in SHAPES))
    parser.add_argument("--clvk-run", default=str(target / "release/clvk-run"), help="the program to measure")
    parser.add_argument("--profile", default="nvidia-h200", help="device profile that clvk compiles for")
    parser.add_argument("--runs", type=int, default=3, help="compilations of each source (default: 3)")
    parser.add_argument("--at-most", type=float, help="fail if ten times the parts take more than this many times as long")
    arguments = parser.parse_args()
    failed = False
    print(f"{'shape':12} {'parts':>6} {'ms':>9} {'MB':>6} {'parts':>7} {'ms':>9} {'MB':>6} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.cl")
        for shape, count in SHAPES.items():
            if arguments.shapes and shape.__name__ not in arguments.shapes:
                continue
            row, times = f"{shape.__name__:12}", []
            for parts in (count, 10 * count):
                Path(source).write_text(shape(parts))
                best, problem = measure(arguments.clvk_run, source, arguments.profile, arguments.runs)
                if problem:
                    row += f"  {parts} parts: {problem}"
                    failed = True
                    break
                times.append(best[0])
                row += f" {parts:6} {best[0] * 1e3:9.1f} {best[1]:6.0f}"
            if len(times) == 2:
                row += f" {times[1] / times[0]:6.1f}"
                failed |= arguments.at_most is not None and times[1] / times[0] > arguments.at_most
            print(row, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
