#!/usr/bin/env python3
"""Runs programs on an OpenCL driver, one for each line of JSON on its input, and answers each with a line of JSON, after a first
line that says that it is ready.

    cargo run --release -p clvk-tests --bin random-programs -- run --seeds 0..1000 \\
        --reference "tools/opencl-executor.py --platform portable"

Needs Python 3.9 or later with pyopencl and numpy, and an OpenCL driver. The lines are described in
`tests/src/executor/protocol.rs`.
"""

import argparse
import json
import os
import sys
import warnings

# PoCL: one thread, since many programs run beside each other, and no files for programs that never come
# again.
os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "1")
os.environ.setdefault("POCL_KERNEL_CACHE", "0")

try:
    import numpy as np
    import pyopencl as cl
except ImportError as missing:
    sys.exit(f"{missing}; install it with: python3 -m pip install pyopencl numpy")
import opencl_il

# What a compiler says of a source that it builds anyway.
warnings.filterwarnings("ignore", category=getattr(cl, "CompilerWarning", UserWarning))


def choose_device(wanted):
    platforms = cl.get_platforms()
    for platform in platforms:
        if wanted.lower() in (platform.name + platform.vendor).lower():
            return platform.get_devices()[0]
    sys.exit(f"no platform matches `{wanted}`; there are: {', '.join(platform.name for platform in platforms)}")


def run(context, queue, request, options, il):
    try:
        program = opencl_il.build(context, request["source"], request["options"] + options, il)
    except (cl.RuntimeError, opencl_il.CompileError) as error:
        return {"refused": str(error)}
    kernel = cl.Kernel(program, "test")
    # A kernel does not keep its buffers alive.
    outputs, held = [], []
    for index, argument in enumerate(request["arguments"]):
        (kind, value), = argument.items()
        if kind == "buffer":
            contents = np.frombuffer(bytes.fromhex(value["contents"]), dtype=np.uint8)
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            buffer = cl.Buffer(context, flags, hostbuf=contents)
            kernel.set_arg(index, buffer)
            held.append(buffer)
            if value["compare"]:
                outputs.append((buffer, contents.size))
        elif kind == "value":
            kernel.set_arg(index, bytes.fromhex(value))
        else:
            kernel.set_arg(index, cl.LocalMemory(value))
    cl.enqueue_nd_range_kernel(queue, kernel, request["global"], request["local"])
    queue.finish()
    results = []
    for buffer, size in outputs:
        result = np.empty(size, dtype=np.uint8)
        cl.enqueue_copy(queue, result, buffer)
        results.append(result.tobytes().hex())
    return {"outputs": results}


def main():
    parser = argparse.ArgumentParser(description="Run programs on an OpenCL driver.")
    parser.add_argument("--platform", default="", help="part of the platform's name (default: the first one)")
    parser.add_argument("--options", default="", help="further build options, such as -cl-opt-disable")
    parser.add_argument("--il", default="", metavar="CLVK-RUN", help=opencl_il.HELP)
    arguments = parser.parse_args()
    device = choose_device(arguments.platform)
    options = arguments.options.split()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    # Some drivers print; only answers belong on the output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = run(context, queue, json.loads(line), options, arguments.il)
        except cl.Error as error:
            answer = {"failed": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
