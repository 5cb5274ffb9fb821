#!/usr/bin/env python3
"""Writes docs/log/speed.md and docs/speed.svg from what the tools measured on one machine.

    tools/speed-page.py --clvk target/clvk.json --opencl target/opencl.json --cuda target/cuda.json \\
        --cuda-relaxed target/cuda-relaxed.json --torch target/torch.json --date "27 November 2026"

Needs Python 3.9 or later with matplotlib. The page says with which commands the files are made.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install matplotlib")
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clvk", "font.family": "sans-serif", "font.size": 9})
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/log/speed.md"
CHART = ROOT / "docs/speed.svg"
OURS, OPENCL, CUDA = "#1b5e8c", "#76b900", "#c0601a"


def medians(path):
    """A report, and the median of each case that was verified."""
    report = json.loads(path.read_text())
    return report, {row["case"]: row["median_seconds"] for row in report["cases"]
                    if row["verified"] and row.get("median_seconds")}


def mean(ratios):
    return statistics.geometric_mean(ratios) if ratios else float("nan")


def ratios(ours, theirs):
    return {case: theirs[case] / time for case, time in ours.items() if case in theirs}


def cell(ours, theirs, case):
    if case not in theirs:
        return "| |"
    return f"| {theirs[case] * 1e3:.3f} ({theirs[case] / ours[case]:.2f}) |"


def kernel_table(ours, opencl, cuda, relaxed):
    lines = ["| kernel | clvk, ms | NVIDIA's OpenCL | nvcc | nvcc, relaxed |", "|---|---|---|---|---|"]
    compared = [case for case in ours if case in opencl or case in cuda]
    for case, time in ((case, ours[case]) for case in compared):
        others = "".join(cell(ours, theirs, case)[:-1] for theirs in (opencl, cuda, relaxed))
        lines.append(f"| {case} | {time * 1e3:.3f} {others}|")
    parts = [mean(ratios(ours, theirs).values()) for theirs in (opencl, cuda, relaxed)]
    lines.append("| geometric mean | | " + " | ".join(f"{part:.2f}" for part in parts) + " |")
    return "\n".join(lines)


def engine_table(report, ours, torch_report, torch):
    rate = {row["case"]: row.get("giga_operations_per_second") for row in report["cases"]}
    torch_rate = {row["case"]: row["giga_operations_per_second"] for row in torch_report["cases"]}
    lines = ["| product | clvk, ms | T/s | PyTorch, ms | T/s | share |", "|---|---|---|---|---|---|"]
    for case in torch:
        if case in ours:
            lines.append(f"| {case} | {ours[case] * 1e3:.3f} | {rate[case] * 1e-3:.1f} | {torch[case] * 1e3:.3f} | "
                         f"{torch_rate[case] * 1e-3:.1f} | {torch[case] / ours[case]:.0%} |")
    return "\n".join(lines)


def chart(ours, opencl, cuda, torch):
    """Above, how many times as fast as the others each kernel is; below, shares of PyTorch's speed."""
    left, right = ratios(ours, opencl), ratios(ours, cuda)
    kernels = sorted(set(left) | set(right), key=lambda case: left.get(case, right.get(case)))
    shares = {case: torch[case] / ours[case] for case in torch if case in ours}
    heights = [len(kernels) + 2, len(shares) + 2]
    figure, (upper, lower) = pyplot.subplots(
        2, 1, figsize=(8, 0.21 * sum(heights) + 1), gridspec_kw={"height_ratios": heights}, layout="constrained")
    rows = range(len(kernels))
    upper.axvline(1, color="#888", linewidth=1)
    for name, found, color, marker in (("NVIDIA's OpenCL", left, OPENCL, "o"), ("nvcc", right, CUDA, "D")):
        points = [(found[case], row) for row, case in zip(rows, kernels) if case in found]
        upper.scatter(*zip(*points), color=color, marker=marker, s=26, zorder=3, label=f"against {name}")
    upper.set_xscale("log", base=2)
    ticks = [0.5, 0.71, 0.8, 0.9, 1, 1.1, 1.25, 1.41, 2]
    upper.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    upper.minorticks_off()
    upper.set_yticks(rows, kernels)
    upper.set_ylim(-0.7, len(kernels) - 0.3)
    upper.grid(axis="both", color="#ddd", linewidth=0.6)
    upper.set_axisbelow(True)
    upper.legend(loc="lower right", framealpha=1)
    upper.set_title("Kernels in OpenCL C: their time divided by ours (to the right clvk is faster)", fontsize=10)
    names = sorted(shares, key=shares.get)
    bars = lower.barh(range(len(names)), [100 * shares[name] for name in names], color=OURS, height=0.6)
    lower.bar_label(bars, fmt="%.0f%%", padding=3)
    lower.set_yticks(range(len(names)), names)
    lower.set_xlim(0, 105)
    lower.set_title("Products: share of the speed of PyTorch (cuBLAS, cuDNN)", fontsize=10)
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0)
    figure.savefig(CHART, metadata={"Date": None, "Creator": None})


TEXT = """# Speed

Every kernel of `tests/kernels` at the size `bench` on an {device}, against NVIDIA's own OpenCL and against `nvcc`; and matrix products against PyTorch, which calls cuBLAS and cuDNN. {date}, one after the
other.{note} [Kernels, launches and transfers](kernels.md) says what was tried, and how it was before.

![Times of others divided by ours, for each kernel](../speed.svg)

Times are medians of {runs} runs in milliseconds, after a warm-up; the inputs, launches and work-groups are the same, and all outputs were verified. In parentheses: the other's time divided by ours; above 1 we are faster.
Ours and those of nvcc, whose runs are CUDA graphs, are by the device's clock from before the first launch to after the last one, with what lies between launches. NVIDIA's OpenCL has the better of two: the sum of its kernels' own times (profiling events), or the mean time of runs on a queue without profiling.

{kernels}

- "NVIDIA's OpenCL" is {opencl}, driver {driver}.
- "nvcc" is {cuda} with the optimisation of `nvcc -O3`: the text of the kernel behind a header of macros and vectors (`tools/cuda-reference.cuh`). It divides and takes square roots with correct rounding; "relaxed"
  allows it what OpenCL allows (`-prec-div=false -prec-sqrt=false`). Kernels with images or cooperative matrices are left out there, and NVIDIA's OpenCL has no cooperative matrices.

{engines}

`matrix_product_bytes` has B by rows; PyTorch is given B by columns, which it is faster with.

The commands:

    cargo build --release -p clvk-tests
    target/release/export-cases target/cases --size bench
    target/release/run-cases --size bench --runs {runs} --warm-up 1 --json target/clvk.json
    tools/opencl-reference.py target/cases --platform nvidia --runs {runs} --warm-up 1 --json target/opencl.json
    tools/cuda-reference.py target/cases --runs {runs} --warm-up 1 --json target/cuda.json
    tools/cuda-reference.py target/cases --runs {runs} --warm-up 1 --relaxed --json target/cuda-relaxed.json
    tools/torch-reference.py --runs {runs} --json target/torch.json
    tools/speed-page.py --clvk target/clvk.json --opencl target/opencl.json --cuda target/cuda.json --cuda-relaxed target/cuda-relaxed.json --torch target/torch.json --date "{date}"
"""


def main():
    parser = argparse.ArgumentParser(description="Write docs/log/speed.md and docs/speed.svg.")
    for name in ("clvk", "opencl", "cuda", "cuda-relaxed", "torch"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="what that tool wrote with --json")
    parser.add_argument("--date", required=True, help="the day of the measurement, as the page says it")
    parser.add_argument("--note", default="", help="a sentence on the measurement")
    arguments = parser.parse_args()

    report, ours = medians(arguments.clvk)
    opencl_report, opencl = medians(arguments.opencl)
    cuda_report, cuda = medians(arguments.cuda)
    _, relaxed = medians(arguments.cuda_relaxed)
    torch_report, torch = medians(arguments.torch)
    PAGE.write_text(TEXT.format(
        device=report["device"], date=arguments.date, note=arguments.note and " " + arguments.note, runs=report["cases"][0]["runs"],
        opencl=opencl_report["platform"].strip(), driver=opencl_report["driver"].strip(),
        cuda=cuda_report["platform"], kernels=kernel_table(ours, opencl, cuda, relaxed),
        engines=engine_table(report, ours, torch_report, torch)))
    chart(ours, opencl, cuda, torch)


if __name__ == "__main__":
    main()
