#!/usr/bin/env python3
"""Times PyTorch's matrix products (cuBLAS), attention and convolution at the shapes of the cases of `tests/kernels`.

    tools/torch-reference.py --runs 30 --json target/torch.json

Needs PyTorch and an NVIDIA GPU. The names and the size `bench` are those of the cases; times are medians by the
device's clock, after a warm-up. B of `matrix_product_bytes` lies by columns, which cuBLAS is faster with, although it
lies by rows in the case. `--edge 8192` makes the square products larger.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

try:
    import torch
    import torch.nn.functional as functional
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install torch")


def workloads(edge):
    """Name of the case, the operations of a run, and what makes one run."""
    def random(*shape, kind=torch.float16):
        return torch.randn(*shape, device="cuda", dtype=torch.float32).to(kind)

    def square(kind):
        a, b = random(edge, edge, kind=kind), random(edge, edge, kind=kind)
        return lambda: a @ b

    def bytes_product():
        a, b = (torch.randint(-128, 128, (edge, edge), device="cuda", dtype=torch.int8) for _ in range(2))
        return lambda: torch._int_mm(a, b.t())

    def batched():
        a, b = random(128, 512, 512), random(128, 512, 512)
        return lambda: torch.bmm(a, b)

    def attention():
        q, k, v = (random(1, 32, 4096, 64) for _ in range(3))
        return lambda: functional.scaled_dot_product_attention(q, k, v)

    def convolution():
        image = random(32, 64, 128, 128).to(memory_format=torch.channels_last)
        weights = random(64, 64, 3, 3).to(memory_format=torch.channels_last)
        return lambda: functional.conv2d(image, weights, padding=1)

    cube = 2 * edge**3
    yield "sgemm", cube, lambda: square(torch.float32)
    yield "matrix_product", cube, lambda: square(torch.float16)
    yield "matrix_product_bfloat16", cube, lambda: square(torch.bfloat16)
    yield "matrix_product_bytes", cube, bytes_product
    if edge == 4096:
        yield "matrix_product_batched", 2 * 128 * 512**3, batched
        yield "attention", 4 * 32 * 4096**2 * 64, attention
        yield "convolution_product", 2 * 32 * 128 * 128 * 64 * 64 * 9, convolution


def measure(run, runs, warm_up):
    """Seconds of each of `runs` runs, after `warm_up` seconds of them."""
    start = time.perf_counter()
    while time.perf_counter() - start < warm_up:
        for _ in range(runs):
            run()
        torch.cuda.synchronize()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(runs + 1)]
    marks[0].record()
    for mark in marks[1:]:
        run()
        mark.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) * 1e-3 for a, b in zip(marks, marks[1:])]


def main():
    parser = argparse.ArgumentParser(description="Time PyTorch at the shapes of the cases.")
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each (default: 30)")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds of runs before them (default: 1)")
    parser.add_argument("--edge", type=int, default=4096, help="edge of the square matrices (default: 4096)")
    parser.add_argument("--json", type=Path, help="also write the results here")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False

    rows = []
    for name, operations, prepare in workloads(arguments.edge):
        seconds = measure(prepare(), arguments.runs, arguments.warm_up)
        best, middle = min(seconds), statistics.median(seconds)
        rate = operations / middle * 1e-9
        rows.append({"case": name, "verified": True, "errors": [], "runs": arguments.runs, "min_seconds": best,
                     "median_seconds": middle, "giga_operations_per_second": rate})
        print(f"{name:24} {best * 1e3:10.3f} {middle * 1e3:10.3f} ms {rate * 1e-3:8.1f} T/s", flush=True)
    if arguments.json:
        about = {"device": torch.cuda.get_device_name(), "platform": f"PyTorch {torch.__version__}"}
        arguments.json.write_text(json.dumps({**about, "cases": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
