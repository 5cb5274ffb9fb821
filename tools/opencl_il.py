"""SPIR-V of our own compiler, for the tools that run programs on an OpenCL driver."""

import shlex
import subprocess
import tempfile
from pathlib import Path

import pyopencl as cl

HELP = "the program clvk-run, and options for it: the driver is given the SPIR-V that it makes of the source"


class CompileError(Exception):
    """The compiler refuses a source; the text is its messages."""


def build(context, source, options, clvk_run):
    """Builds a program: from the source, or from the SPIR-V that clvk-run makes of it."""
    if not clvk_run:
        return cl.Program(context, source).build(options=options, cache_dir=False)
    with tempfile.TemporaryDirectory() as folder:
        text, module = Path(folder) / "source.cl", Path(folder) / "module.spv"
        text.write_text(source)
        program, *own = shlex.split(clvk_run)
        command = [program, "compile", text, "--emit", "opencl-spirv", *own, "-o", module, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise CompileError(done.stderr.strip())
        return cl.Program(context, module.read_bytes()).build(options=of_modules(options), cache_dir=False)


def of_modules(options):
    """The build options that also concern SPIR-V: how precise its arithmetic is."""
    return [option for option in options if option.startswith("-cl-") and not option.startswith("-cl-std")]
