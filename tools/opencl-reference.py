#!/usr/bin/env python3
"""Runs exported test cases on an OpenCL platform: verifies them and measures their speed.

    cargo run --release -p clvk-tests --bin export-cases -- target/cases --size small
    tools/opencl-reference.py target/cases --platform pocl --runs 5 --json target/opencl.json

Needs Python 3.9 or later with pyopencl and numpy, and an OpenCL driver. Every case is built from its source, run once
on fresh inputs and compared with its expected outputs within its tolerances; then it is run again, RUNS times, and timed
by profiling events. The time of a run is the sum of its kernels' times on the device, without what lies between them,
or the time that runs take in the mean on a queue without profiling, if that is less. Exit code: 0 if all are right, 1 if
a case is wrong or failed, 2 on bad usage.
"""

import argparse
import json
import sys
import time
import warnings

try:
    import numpy as np
    import pyopencl as cl
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install pyopencl numpy")
import opencl_il
import reference_cases

# What a compiler says of a source that it builds anyway.
warnings.filterwarnings("ignore", category=getattr(cl, "CompilerWarning", UserWarning))

ADDRESSING = {"clamp": cl.addressing_mode.CLAMP, "clamp-to-edge": cl.addressing_mode.CLAMP_TO_EDGE}
FILTER = {"nearest": cl.filter_mode.NEAREST, "linear": cl.filter_mode.LINEAR}


class CaseRun:
    """A case on a device: its program, its memory and its kernels with their arguments set."""

    def __init__(self, context, queue, folder, il):
        self.queue = queue
        self.plain_queue = cl.CommandQueue(context)
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
        """Enqueues every launch that many times; the seconds of each time."""
        runs = [self.enqueue(self.queue) for _ in range(times)]
        self.queue.finish()
        sums = [sum(event.profile.end - event.profile.start for event in run) * 1e-9 for run in runs]
        if times == 1:
            return sums
        self.enqueue(self.plain_queue)
        self.plain_queue.finish()
        start = time.perf_counter()
        for _ in range(times):
            self.enqueue(self.plain_queue)
        self.plain_queue.finish()
        mean = (time.perf_counter() - start) / times
        return [min(of_kernels, mean) for of_kernels in sums]

    def enqueue(self, queue):
        """Enqueues every launch; their events."""
        return [
            cl.enqueue_nd_range_kernel(queue, kernel, global_size, local_size, global_work_offset=offset)
            for kernel, global_size, local_size, offset in self.launches
        ]

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
        return reference_cases.errors_of(self.folder, self.case, self.download)


def make_memory(context, entry, contents):
    flags = cl.mem_flags.READ_WRITE
    if entry["kind"] == "image-rgba8":
        flags = cl.mem_flags.WRITE_ONLY if entry["written"] else cl.mem_flags.READ_ONLY
        pixel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        return cl.create_image(context, flags, pixel, shape=(entry["width"], entry["height"]))
    return cl.Buffer(context, flags, size=contents.nbytes)


def choose_device(arguments):
    platforms = cl.get_platforms()
    wanted = arguments.platform.lower()
    for platform in platforms:
        if wanted in platform.name.lower() or wanted in platform.vendor.lower() or wanted in platform.version.lower():
            return platform, platform.get_devices()[0]
    names = ", ".join(platform.name for platform in platforms)
    print(f"no OpenCL platform matches `{arguments.platform}`; there are: {names}", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description="Run exported test cases on an OpenCL platform.")
    reference_cases.add_arguments(parser)
    parser.add_argument("--platform", default="", help="part of the platform's name (default: the first one)")
    parser.add_argument("--il", default="", metavar="CLVK-RUN", help=opencl_il.HELP)
    arguments = parser.parse_args()

    folders = reference_cases.folders_of(arguments.folder, arguments.case)
    platform, device = choose_device(arguments)
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    print(f"{device.name.strip()}: {platform.version.strip()}, driver {device.driver_version.strip()}")
    reference_cases.print_header()

    rows = []
    for folder in folders:
        try:
            run = CaseRun(context, queue, folder, arguments.il)
            row = reference_cases.measure(run, arguments.runs, arguments.warm_up)
        except (cl.Error, opencl_il.CompileError, ValueError, OSError) as error:
            row = {"case": folder.name, "verified": False, "errors": [str(error).strip()]}
        reference_cases.print_row(row)
        rows.append(row)
    about = {"device": device.name, "platform": platform.version, "driver": device.driver_version}
    sys.exit(reference_cases.finish(rows, about, arguments.json))


if __name__ == "__main__":
    main()
