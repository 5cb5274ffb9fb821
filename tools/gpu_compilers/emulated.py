"""Drivers that Debian has for AArch64 only, run by an emulator of that processor. clvk-run makes SPIR-V for the
profile that the driver reports; a small program (pipelines.c) gives it to the driver.
"""

import json
import os
import re
import select
import subprocess
import time
from pathlib import Path

from answers import refused, rows_of
from stand_ins import GPUS, QEMU, WORK, environment

# Names of the drivers' statistics (vk-runtime has the same table).
COSTS = {
    "instructions": ("instructions", "instruction count", "qpu instruction count", "instrs"),
    "registers": ("registers used", "work registers", "registers", "register count", "max live registers"),
    "spills": ("spills", "spill count", "spills to memory", "tmu spills"),
    "cycles": ("cycles", "cycle count", "estimated cycles"),
}
STORAGE_BUFFER, SAMPLER, SAMPLED_IMAGE, STORAGE_IMAGE, UNIFORM_TEXELS, STORAGE_TEXELS = 7, 0, 2, 3, 4, 5
# How much more time an emulated driver gets.
SLOWNESS = 5
# Pipelines that a process compiles: stand-ins keep memory of each.
MOST = 200


def emulated(gpu, program):
    """The command that runs a program for AArch64 with the GPU's driver."""
    stand_in = WORK / f"lib{GPUS[gpu].driver}.so"
    return [QEMU, "-L", WORK / "arm64", "-E", f"LD_PRELOAD={stand_in}", program]


def profile(gpu, clvk_run):
    """Writes the profile that the driver reports, and gives the file."""
    folder = WORK / "profiles"
    folder.mkdir(exist_ok=True)
    report, file = folder / f"{gpu}.report.json", folder / f"{gpu}.json"
    vulkaninfo = [*emulated(gpu, WORK / "arm64/usr/bin/vulkaninfo"), "--json=0", "-o", report]
    for _ in range(20):
        told = subprocess.run([str(part) for part in vulkaninfo], env=environment(gpu), capture_output=True, text=True)
        # Where vulkaninfo crashes when it closes the device, the report may be incomplete.
        if told.returncode == 0 or is_complete(report):
            break
    else:
        raise RuntimeError(told.stderr.strip() or told.stdout.strip() or f"vulkaninfo ends with {told.returncode}")
    found = clvk_run("devices", "--profile", report)
    try:
        described = json.loads(found.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(found.stderr.strip()) from None
    file.write_text(json.dumps(described, indent=2) + "\n")
    version = re.search(r"Mesa [\d.]+", report.read_text())
    return file, described, version[0] if version else "Mesa"


def is_complete(report):
    try:
        return bool(json.loads(report.read_text()))
    except (OSError, json.JSONDecodeError):
        return False


def bindings(kernel):
    """The numbers and types of a kernel's descriptors."""
    found = [(sampler["binding"], SAMPLER) for sampler in kernel["samplers"]]
    buffers = [kernel["argument_buffer"] and kernel["argument_buffer"]["location"]]
    buffers += [location for _, location in kernel["implicit_buffers"]]
    found += [(buffer["descriptor"]["binding"], STORAGE_BUFFER) for buffer in buffers if buffer and "descriptor" in buffer]
    for argument in kernel["arguments"]:
        ((kind, value),) = argument["kind"].items()
        if kind == "storage-buffer":
            found.append((value["binding"], STORAGE_BUFFER))
        elif kind == "sampler":
            found.append((value["binding"], SAMPLER))
        elif kind == "image":
            read = value["access"] == "read-only"
            if value["dimension"] == "d1-buffer":
                type_ = UNIFORM_TEXELS if read else STORAGE_TEXELS
            else:
                type_ = SAMPLED_IMAGE if read else STORAGE_IMAGE
            found += [(value["binding"] + level, type_) for level in range(value["levels"])]
    return found


def line(file, kernel, described):
    """A pipeline, as pipelines.c reads it."""
    required = kernel["local_size"]
    size = [min(256, described["max_work_group_invocations"], described["max_work_group_size"][0]), 1, 1]
    if required != "specialised":
        (size,) = required.values()
    constants = list(enumerate([*size, *size]))
    locals_ = [argument["kind"]["local"] for argument in kernel["arguments"] if "local" in argument["kind"]]
    room = (described["max_local_memory"] - kernel["static_local_memory"]) // max(len(locals_), 1)
    for local in locals_:
        element = max(local["element_size"], 1)
        constants.append((local["spec_id"], max(min(16 * size[0] * size[1] * size[2], room) // element, 1)))
    items = size[0] * size[1] * size[2]
    full = kernel["sub_groups"] and described["compute_full_subgroups"] and items % described["subgroup_size"] == 0
    found = bindings(kernel)
    words = [file, kernel["name"], kernel["push_constant_size"], int(full), len(constants)]
    words += [word for pair in constants for word in pair] + [len(found)] + [word for pair in found for word in pair]
    # Names of kernels may have spaces.
    return "\t".join(str(word) for word in words) + "\n"


class Helper:
    """pipelines.c, started when it is needed, and again after a crash."""

    def __init__(self, gpu):
        self.gpu, self.process, self.done = gpu, None, 0

    def start(self):
        command = emulated(self.gpu, WORK / "pipelines")
        self.process = subprocess.Popen(
            command, env=environment(self.gpu), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.done = 0

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def compile(self, job, timeout):
        """The outcome of a pipeline, with the reason or the words of the answer."""
        if self.process is None or self.done == MOST:
            self.stop()
            self.start()
        self.done += 1
        try:
            self.process.stdin.write(job.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        answer, end = b"", time.monotonic() + timeout
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                self.stop()
                return "timed-out", f"the driver did not finish within {timeout:g} s"
            read = os.read(self.process.stdout.fileno(), 1 << 16)
            if not read:
                self.stop()
                return "crashed", "the driver crashed"
            answer += read
        words = answer.decode().strip("\n").split("\t")
        if words[0] != "0":
            return "failed", f"the driver's result is {words[0]}"
        return "compiled", words


def costs(words):
    statistics = dict(word.rsplit("=", 1) for word in words)
    found = {}
    for name, value in statistics.items():
        for cost, names in COSTS.items():
            if name.strip().lower() in names:
                found[cost] = found.get(cost, 0) + int(value)
    return found


class Driver:
    """Compiles files as `clvk-run check --stats --json` does for a driver that runs here."""

    def __init__(self, gpu, clvk_run, timeout):
        self.file, self.described, self.version = profile(gpu, clvk_run)
        self.helper, self.clvk_run, self.timeout = Helper(gpu), clvk_run, timeout

    def stop(self):
        self.helper.stop()

    def compile(self, options, paths):
        """The rows of these files."""
        verdicts = rows_of(paths, self.clvk_run("check", "--json", "--profile", self.file, *options, *paths))
        # A file that clvk-run refuses as a whole has a row already.
        rows = [row for row in verdicts if "outcome" in row]
        for path in paths:
            own = [row for row in verdicts if row["file"] == path and "verdict" in row]
            for row in own:
                if row["verdict"] == "cannot-run":
                    reasons = [f"{reason['text']}; {reason['remedy'] or ''}".rstrip("; ") for reason in row["reasons"]]
                    rows.append(refused(path, row["kernel"], reasons[0]))
            kernels = [row["kernel"] for row in own if row["verdict"] != "cannot-run" and row["kernel"]]
            if kernels:
                rows += self.compile_file(path, kernels, options)
        return [{**row, "driver": self.version} for row in rows]

    def compile_file(self, path, kernels, options):
        module = WORK / f"module.{os.getpid()}.spv"
        interface = module.with_suffix(".json")
        chosen = [part for kernel in kernels for part in ("--kernel", kernel)]
        done = self.clvk_run("compile", path, "--profile", self.file, *chosen, "-o", module, *options)
        if done.returncode != 0:
            reason = done.stderr.strip().split("\n")[0]
            return [refused(path, kernel, reason) for kernel in kernels]
        rows = []
        for kernel in json.loads(interface.read_text())["kernels"]:
            outcome, answer = self.helper.compile(line(module, kernel, self.described), SLOWNESS * self.timeout)
            row = {"file": path, "kernel": kernel["name"], "outcome": outcome, "cost": {}, "seconds": 0}
            if outcome == "compiled":
                row["seconds"], row["cost"] = float(answer[1]), costs(answer[2:])
            else:
                row["reasons"] = [answer]
            rows.append(row)
        module.unlink()
        interface.unlink()
        return rows
