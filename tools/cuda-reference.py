#!/usr/bin/env python3
"""Runs exported test cases through NVIDIA's CUDA compiler: verifies them and measures their speed.

    cargo run --release -p clvk-tests --bin export-cases -- target/cases --size bench
    tools/cuda-reference.py target/cases --runs 30 --json target/cuda.json

Needs Python 3.9 or later with cupy and numpy, and an NVIDIA GPU. The text of a kernel is compiled as it is behind the
header `cuda-reference.cuh` (`cuda_source.py` says what is changed before), by NVRTC, which is the compiler of nvcc with
the optimisation of `nvcc -O3`. A run of a case is one CUDA graph, timed by events around it. Cases with images or with
cooperative matrices, which the header does not have, are left out by name. Exit code: 0 if all others are right, 1 if
a case is wrong or failed, 2 on bad usage.
"""

import argparse
import json
import sys
import time
from pathlib import Path

try:
    import cupy
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install cupy-cuda13x numpy")
import cuda_source
import reference_cases

HEADER = Path(__file__).with_name("cuda-reference.cuh")


class CaseRun:
    """A case on the GPU: its module, its memory and its launches as a graph."""

    def __init__(self, folder, relaxed):
        self.folder = folder
        self.case = json.loads((folder / "case.json").read_text())
        text = (folder / self.case["source"]).read_text()
        start = time.perf_counter()
        module = cupy.RawModule(
            code=HEADER.read_text() + "\n#line 1\n" + cuda_source.to_cuda(text),
            options=tuple(cuda_source.options(text, self.case["options"], folder, relaxed)),
        )
        module.compile()
        self.build_seconds = time.perf_counter() - start
        self.contents = [np.fromfile(folder / entry["file"], dtype=np.uint8) for entry in self.case["resources"]]
        self.memory = [cupy.asarray(contents) for contents in self.contents]
        self.stream = cupy.cuda.Stream(non_blocking=True)
        launches = [self.prepare(module, launch) for launch in self.case["launches"]]
        with self.stream:
            self.stream.begin_capture()
            for kernel, groups, local, arguments, shared in launches:
                kernel(groups, local, arguments, shared_mem=shared)
            self.graph = self.stream.end_capture()

    def prepare(self, module, launch):
        if any(launch["offset"]):
            raise ValueError("a launch with an offset")
        arguments, shared = [], 0
        for argument in launch["arguments"]:
            if argument["kind"] == "local":
                arguments.append(np.uint32(shared))
                shared += (argument["bytes"] + 15) // 16 * 16
            else:
                arguments.append(self.argument(argument))
        local = launch["local"]
        groups = [size // part for size, part in zip(launch["global"], local)]
        three = [tuple(sizes) + (1,) * (3 - len(sizes)) for sizes in (groups, local)]
        return module.get_function(launch["kernel"]), *three, tuple(arguments), shared

    def argument(self, argument):
        kind = argument["kind"]
        if kind == "resource":
            return self.memory[argument["index"]]
        if kind == "null":
            return np.uint64(0)
        if kind == "value":
            return value(bytes.fromhex(argument["hex"]))
        raise ValueError(f"unknown kind of argument: {kind}")

    def run(self, times=1):
        """Launches the graph that many times; the seconds of each."""
        marks = [cupy.cuda.Event() for _ in range(times + 1)]
        with self.stream:
            marks[0].record()
            for mark in marks[1:]:
                self.graph.launch()
                mark.record()
        self.stream.synchronize()
        return [cupy.cuda.get_elapsed_time(a, b) * 1e-3 for a, b in zip(marks, marks[1:])]

    def errors(self):
        return reference_cases.errors_of(self.folder, self.case, lambda index: cupy.asnumpy(self.memory[index]))


def value(data):
    """An argument by value, of its size."""
    if len(data) in (1, 2, 4, 8):
        return np.frombuffer(data, dtype=f"<u{len(data)}")[0]
    return np.frombuffer(data, dtype=np.dtype((np.void, len(data)))).reshape(())


def left_out(folder):
    """Why a case is not for this tool, if it is not."""
    case = json.loads((folder / "case.json").read_text())
    if any(entry["kind"].startswith("image") for entry in case["resources"]):
        return "images"
    if "coop_mat" in (folder / case["source"]).read_text():
        return "cooperative matrices"
    return ""


def main():
    parser = argparse.ArgumentParser(description="Run exported test cases through NVIDIA's CUDA compiler.")
    reference_cases.add_arguments(parser)
    parser.add_argument("--relaxed", action="store_true",
                        help="divisions and square roots as accurate as OpenCL wants them, not rounded correctly")
    arguments = parser.parse_args()

    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    version = cupy.cuda.nvrtc.getVersion()
    print(f"{device}: NVRTC {version[0]}.{version[1]}")
    reference_cases.print_header()
    rows = []
    for folder in reference_cases.folders_of(arguments.folder, arguments.case):
        reason = left_out(folder)
        if reason:
            print(f"{folder.name:14} left out: {reason}")
            continue
        try:
            row = reference_cases.measure(CaseRun(folder, arguments.relaxed), arguments.runs, arguments.warm_up)
        except (cupy.cuda.compiler.CompileException, cupy.cuda.driver.CUDADriverError, ValueError, OSError) as error:
            row = {"case": folder.name, "verified": False, "errors": [str(error).strip()]}
        reference_cases.print_row(row)
        rows.append(row)
        cupy.get_default_memory_pool().free_all_blocks()
    about = {"device": device, "platform": f"NVRTC {version[0]}.{version[1]}"}
    sys.exit(reference_cases.finish(rows, about, arguments.json))


if __name__ == "__main__":
    main()
