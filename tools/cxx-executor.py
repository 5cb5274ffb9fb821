#!/usr/bin/env python3
"""Runs programs in C++ for OpenCL on the host, one for each line of JSON on its input: clang 19 compiles each, and
`tools/cxx-host.cpp` holds the work-items. It answers like `tools/opencl-executor.py`.

    random-programs run --c++ --seeds 0..1000 --reference "clang=tools/cxx-executor.py"

Arguments of kernels are buffers and numbers of at most eight bytes. The lines are described in
`tests/src/executor/protocol.rs`.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HOST = pathlib.Path(__file__).resolve().parent / "cxx-host.cpp"
# Reads the launch and the buffers, calls the kernel of a shared object, and writes the buffers. The calling
# convention passes pointers and numbers alike, and ignores arguments that a function does not take.
MAIN = r"""
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <vector>
using size_type = unsigned long;
void clvk_launch(const size_type (&)[3], const size_type (&)[3], unsigned, std::function<void()>);
int main(int, char **arguments) {
    auto program = dlopen(arguments[1], RTLD_NOW);
    if (!program) { std::fputs(dlerror(), stderr); return 2; }
    auto kernel = (void (*)(size_type, size_type, size_type, size_type, size_type, size_type))dlsym(program, "test");
    if (!kernel) { std::fputs(dlerror(), stderr); return 2; }
    size_type header[8];
    if (std::fread(header, sizeof header, 1, stdin) != 1) return 3;
    size_type values[6] = {}, sizes[6] = {};
    for (size_type i = 0; i < header[7]; ++i) {
        size_type entry[2];
        if (std::fread(entry, sizeof entry, 1, stdin) != 1) return 3;
        values[i] = entry[1];
        if (!entry[0]) continue;
        sizes[i] = entry[1];
        values[i] = (size_type)std::aligned_alloc(128, (sizes[i] + 127) & ~127ul);
        if (std::fread((void *)values[i], 1, sizes[i], stdin) != sizes[i]) return 3;
    }
    const size_type global[3] = {header[0], header[1], header[2]}, local[3] = {header[3], header[4], header[5]};
    clvk_launch(global, local, header[6], [&] { kernel(values[0], values[1], values[2], values[3], values[4], values[5]); });
    for (size_type i = 0; i < header[7]; ++i)
        std::fwrite((void *)values[i], 1, sizes[i], stdout);
}
"""


def word(value):
    return int(value).to_bytes(8, "little")


def run(request, options, folder):
    source, program = folder / "program.clcpp", folder / "program.so"
    source.write_text(request["source"])
    command = [options.clang, "-x", "clcpp", *request["options"], "-O1", "-ffp-contract=off", "-Wno-everything", "-shared", "-fPIC",
               str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=options.timeout)
    if done.returncode:
        return {"refused": done.stderr.decode()}
    sizes = [(list(request[name]) + [1, 1, 1])[:3] for name in ("global", "local")]
    data = b"".join(map(word, [*sizes[0], *sizes[1], len(request["global"]), len(request["arguments"])]))
    wanted = []
    for argument in request["arguments"]:
        (kind, value), = argument.items()
        if kind == "buffer":
            contents = bytes.fromhex(value["contents"])
            data += word(1) + word(len(contents)) + contents
            wanted.append((len(contents), value["compare"]))
        elif kind == "value" and len(value) <= 16:
            data += word(0) + bytes.fromhex(value).ljust(8, b"\0")
        else:
            return {"failed": "only buffers and numbers can be arguments"}
    done = subprocess.run([str(folder / "host"), str(program)], input=data, capture_output=True, check=False, timeout=options.timeout)
    if done.returncode:
        return {"failed": done.stderr.decode() or f"exit code {done.returncode}"}
    outputs, at = [], 0
    for size, compare in wanted:
        if compare:
            outputs.append(done.stdout[at : at + size].hex())
        at += size
    return {"outputs": outputs}


def main():
    parser = argparse.ArgumentParser(description="Run programs in C++ for OpenCL on the host.")
    parser.add_argument("--clang", default="clang-19", help="the compiler to use (default: clang-19)")
    parser.add_argument("--timeout", type=int, default=60, help="seconds that a step may take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "main.cpp").write_text(MAIN)
        build = [options.clang, "--driver-mode=g++", "-std=c++17", "-O1", "-rdynamic", str(folder / "main.cpp"), str(HOST), "-lm",
                 "-ldl", "-o", str(folder / "host")]
        subprocess.run(build, check=True)
        print("ready", flush=True)
        for line in sys.stdin:
            try:
                answer = run(json.loads(line), options, folder)
            except subprocess.TimeoutExpired as error:
                answer = {"failed": f"a step takes more than {error.timeout} seconds"}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
