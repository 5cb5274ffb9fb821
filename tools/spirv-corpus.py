#!/usr/bin/env python3
"""Gives SPIR-V modules of others to `clvk-run compile`, and reports how it takes them.

    tools/spirv-corpus.py tests FOLDER    the modules in the tests of a checkout of SPIRV-Tools, right and wrong ones
    tools/spirv-corpus.py files FILE...   modules, and the modules in programs and libraries (such as those of SYCL)

`tests` finds the text of modules in test/val/*.cpp: it joins literals, variables and the results of the functions
that make text of them, and assembles what results. What it does not understand is left out. Modules for shaders are
given as they are, and once more with the header of a kernel, so that their bodies are read too. A function of a module
without kernels becomes one. Each module must be read, or refused with a message, within the limits of time and memory.
The report has the rules of `spirv-val` that accepted modules break.

`files` translates each module for each profile and checks what results with `spirv-val`.

Needs `spirv-as` and `spirv-val` (Debian: spirv-tools). docs/log/opencl-spirv.md has results."""

import argparse
import collections
import concurrent.futures
import glob
import hashlib
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 5
MEMORY = 2 << 30

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<raw>R"(?P<mark>[^()\s]*)\((?P<text>.*?)\)(?P=mark)")|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|'(?:[^'\\]|\\.)+'|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<number>[0-9][0-9A-Za-z_.]*)"
    r"|(?P<mark2>\+=|<<|::|->|[^\sA-Za-z_0-9])|\s+|.",
    re.S,
)
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "0": "\0"}


def tokens(text):
    """The tokens of C++ that matter: ("text", ...), ("name", ...) and ("mark", ...)."""
    found = []
    for match in TOKEN.finditer(text):
        if match["raw"]:
            found.append(("text", match["text"]))
        elif match["string"]:
            body = match["string"][1:-1]
            found.append(("text", re.sub(r"\\(.)", lambda it: ESCAPES.get(it[1], it[1]), body)))
        elif match["name"]:
            found.append(("name", match["name"]))
        elif match["number"]:
            found.append(("number", match["number"]))
        elif match["mark2"]:
            found.append(("mark", match["mark2"]))
    return found


OPEN, CLOSE = "([{", ")]}"


def closing(words, at):
    """The position of the bracket that closes the one at a position."""
    depth = 0
    for position in range(at, len(words)):
        kind, value = words[position]
        if kind == "mark" and value in OPEN:
            depth += 1
        elif kind == "mark" and value in CLOSE:
            depth -= 1
            if depth == 0:
                return position
    return len(words) - 1


def parts(words, separators):
    """Tokens between separators outside brackets."""
    found, current, at = [], [], 0
    while at < len(words):
        if words[at][0] == "mark" and words[at][1] in OPEN:
            end = closing(words, at)
            current += words[at : end + 1]
            at = end + 1
            continue
        if words[at] in separators:
            found.append(current)
            current = []
        else:
            current.append(words[at])
        at += 1
    return found + [current]


class Function:
    """A function that makes text: its parameters, their defaults, and its statements."""

    def __init__(self, params, body):
        self.params, self.body = params, body


class File:
    """The functions and tests of a file of C++."""

    def __init__(self, text):
        self.functions, self.tests, self.globals = {}, [], {}
        words, at = tokens(text), 0
        while at < len(words):
            if words[at] == ("mark", "(") and at > 0 and words[at - 1][0] == "name":
                end = closing(words, at)
                if end + 1 < len(words) and words[end + 1] == ("mark", "{"):
                    last = closing(words, end + 1)
                    body = words[end + 2 : last]
                    name = words[at - 1][1]
                    if name.startswith("TEST"):
                        self.tests.append((words[at + 1 : end], body))
                    else:
                        self.functions.setdefault(name, self.function(words[at + 1 : end], body))
                    at = last
                else:
                    at = end
            elif words[at] == ("mark", "=") and at > 0 and words[at - 1][0] == "name":
                end = next((to for to in range(at, len(words)) if words[to] == ("mark", ";")), len(words))
                if text := self.value(words[at + 1 : end], self.globals, 0):
                    self.globals[words[at - 1][1]] = text
                    at = end
            at += 1

    @staticmethod
    def function(words, body):
        params = []
        for param in parts(words, [("mark", ",")]):
            sides = parts(param, [("mark", "=")])
            names = [value for kind, value in sides[0] if kind == "name"]
            if names:
                params.append((names[-1], sides[1] if len(sides) > 1 else []))
        return Function(params, body)

    def modules(self):
        """The texts that tests assemble, with the environment that they name."""
        for _, body in self.tests:
            found = []
            self.run(body, dict(self.globals), 0, found)
            yield from found

    def run(self, words, names, depth, found):
        """Follows assignments and streams; gives the text that is returned."""
        returned, at, statement = "", 0, []
        while at < len(words):
            kind, value = words[at]
            if kind == "mark" and value in "{}" and not self.is_initialiser(statement):
                statement = []
            elif kind == "mark" and value in OPEN:
                end = closing(words, at)
                statement += words[at : end + 1]
                at = end
            elif kind == "mark" and value == ";":
                returned = self.statement(statement, names, depth, found) or returned
                statement = []
            else:
                statement.append(words[at])
            at += 1
        return returned

    @staticmethod
    def is_initialiser(statement):
        return ("mark", "=") in statement

    def statement(self, words, names, depth, found):
        for at, (kind, value) in enumerate(words):
            if kind == "name" and value == "CompileSuccessfully" and found is not None:
                arguments = parts(words[at + 2 : closing(words, at + 1)], [("mark", ",")])
                environment = next((value for part in arguments[1:] for kind, value in part if kind == "name"), "")
                environment = names.get(environment) or environment
                found.append((self.value(arguments[0], names, depth), environment))
                return ""
        if words and words[0] == ("name", "return"):
            return self.value(words[1:], names, depth)
        for mark in ("+=", "="):
            sides = parts(words, [("mark", mark)])
            if len(sides) == 2:
                left = [value for kind, value in sides[0] if kind == "name"]
                if left:
                    value = self.value(sides[1], names, depth)
                    if "env" in left[-1].lower() and not value:
                        value = next((it for kind, it in sides[1] if kind == "name" and "ENV" in it), "")
                    names[left[-1]] = names.get(left[-1], "") + value if mark == "+=" else value
                return ""
        sides = parts(words, [("mark", "<<")])
        if len(sides) > 1 and sides[0] and sides[0][-1][0] == "name":
            name = sides[0][-1][1]
            names[name] = names.get(name, "") + self.value(words[len(sides[0]) + 1 :], names, depth)
        return ""

    def value(self, words, names, depth):
        """The text of an expression; what is not known is empty."""
        text = []
        for term in parts(words, [("mark", "+"), ("mark", "<<")]):
            text.append(self.term(term, names, depth))
        return "".join(text)

    def term(self, words, names, depth):
        if not words or depth > 8:
            return ""
        if words[0][0] == "text":
            return "".join(value for kind, value in words if kind == "text")
        if words[0][0] == "number":
            return words[0][1]
        if words[0][1] == "(":
            return self.value(words[1 : closing(words, 0)], names, depth + 1)
        while words[:2] == [("name", "std"), ("mark", ":")] or words[:1] in ([("name", "std")], [("mark", "::")]):
            words = words[1:]
        if not words or words[0][0] != "name":
            return ""
        name = words[0][1]
        if words[1:2] == [("mark", "(")]:
            arguments = parts(words[2 : closing(words, 1)], [("mark", ",")])
            if name in ("string", "str", "to_string", "MakeString"):
                return self.value(arguments[0], names, depth + 1)
            function = self.functions.get(name)
            if function is None:
                return ""
            inner = dict(self.globals)
            for number, (param, default) in enumerate(function.params):
                given = arguments[number] if number < len(arguments) and arguments[number] else None
                inner[param] = self.value(given, names, depth + 1) if given else self.value(default, inner, depth + 1)
            return self.run(function.body, inner, depth + 1, None)
        return names.get(name, "")


VERSIONS = {
    "VULKAN_1_0": "1.0", "VULKAN_1_1": "1.3", "VULKAN_1_2": "1.5", "VULKAN_1_3": "1.6", "VULKAN_1_4": "1.6",
    "OPENCL_2_2": "1.2", "OPENCL_EMBEDDED_2_2": "1.2",
}  # fmt: skip


def version_of(environment):
    """The version of SPIR-V that an environment of the tests has."""
    name = environment.removeprefix("SPV_ENV_")
    if match := re.fullmatch(r"UNIVERSAL_(\d)_(\d)", name):
        return f"{match[1]}.{match[2]}"
    if name == "VULKAN_1_1_SPIRV_1_4":
        return "1.4"
    return VERSIONS.get(name, "1.0")


def as_kernel(text):
    """The text of a module for shaders with the header of one for kernels."""
    text = re.sub(r"OpCapability (Shader|VulkanMemoryModel)\b", "OpCapability Kernel", text)
    text = re.sub(r"OpMemoryModel\s+\w+\s+\w+", "OpMemoryModel Physical64 OpenCL", text)
    text = re.sub(r"OpEntryPoint\s+\w+", "OpEntryPoint Kernel", text)
    kept = re.sub(r"^.*OpExecutionMode .*$", "", text, flags=re.M)
    return "OpCapability Addresses\nOpCapability Linkage\n" + kept


def with_kernel(text):
    """The text of a module with its first function without parameters as a kernel, if it has no kernels: functions
    that no kernel calls are not read."""
    if "OpEntryPoint" in text:
        return text
    plain = set(re.findall(r"(%\w+)\s*=\s*OpTypeFunction\s+%\w+[ \t]*(?:;.*)?$", text, flags=re.M))
    for function, ty in re.findall(r"(%\w+)\s*=\s*OpFunction\s+%\w+\s+\w+\s+(%\w+)", text):
        if ty in plain:
            entry = f'OpEntryPoint Kernel {function} "reached"'
            return re.sub(r"^(.*OpMemoryModel.*)$", lambda it: it[1] + "\n" + entry, text, count=1, flags=re.M)
    return text


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def called(command, seconds=SECONDS):
    """Exit code (None: it took too long), what it said, and the processor time of it in seconds."""
    began = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None, "", time.monotonic() - began
    text = (done.stderr or done.stdout).decode(errors="replace")
    return done.returncode, text, time.monotonic() - began


def has_crashed(code, text):
    """Whether a signal or a panic ended the compiler. A refusal has another exit code."""
    return code < 0 or code in (101, 134, 139) or "panicked" in text


def rule(text):
    """A message without its numbers and names."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    line = re.sub(r"^error: (line )?\d+: |^.*?\.spv: |^error: ", "", line)
    line = re.sub(r"'[^']*'|`[^`]*`|<id>|%?\b\d+\b(\[[^\]]*\])?|%\w+|\[[^\]]*\]", "…", line)
    return re.sub(r"(… ?)+", "… ", line)[:170]


class Outcome:
    """What became of a module."""

    def __init__(self, path, kind, message="", wrong=None, output_wrong=None):
        self.path, self.kind, self.message = path, kind, message
        self.wrong, self.output_wrong = wrong, output_wrong


def judge(options, path, environment):
    """Gives an assembled module to spirv-val and to the compiler."""
    code, text, _ = called(["spirv-val", "--target-env", environment, path])
    wrong = None if code == 0 else rule(text)
    output = path.removesuffix(".spv") + ".out"
    command = [options.clvk_run, "compile", path, "--profile", options.profile[0], "--emit", "spirv", "-o", output]
    code, text, _ = called(command)
    if code is None:
        return Outcome(path, "slow", wrong=wrong)
    if has_crashed(code, text):
        return Outcome(path, "crash", text, wrong)
    if code != 0:
        return Outcome(path, "refused", text, wrong)
    valid, said, _ = called(["spirv-val", "--target-env", "vulkan1.2", output]) if os.path.exists(output) else (0, "", 0)
    return Outcome(path, "accepted", wrong=wrong, output_wrong=rule(said) if valid else None)


def tests(options, folder):
    """`tests`: extracts, assembles and judges."""
    texts, unknown = {}, 0
    for file in sorted(glob.glob(os.path.join(options.paths[0], "test/val/*.cpp"))):
        with open(file, encoding="utf-8") as opened:
            content = File(opened.read())
        for text, environment in content.modules():
            if "OpMemoryModel" not in text:
                unknown += 1
                continue
            version = version_of(environment)
            shape = "kernel" if re.search(r"OpCapability\s+Kernel", text) else "other"
            own = with_kernel(text) if shape == "kernel" else text
            texts.setdefault((own, version), (shape, os.path.basename(file)))
            if shape != "kernel":
                turned = with_kernel(as_kernel(text))
                texts.setdefault((turned, version), ("turned", os.path.basename(file)))
    rows = []
    for number, ((text, version), (shape, file)) in enumerate(texts.items()):
        if options.shape in (None, shape):
            rows.append((number, text, version, shape, file))
    rows = rows[:: options.every]

    def one(row):
        number, text, version, shape, file = row
        path = os.path.join(folder, f"{number:05}-{shape}-{file.removesuffix('.cpp')}.spv")
        with open(path + "asm", "w", encoding="utf-8") as written:
            written.write(text)
        command = ["spirv-as", "--preserve-numeric-ids", "--target-env", f"spv{version}", path + "asm", "-o", path]
        code, _, _ = called(command)
        return (shape, judge(options, path, f"spv{version}")) if code == 0 else (shape, None)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(one, rows))
    print(f"{unknown} calls make text that this script does not understand")
    for shape in ("kernel", "turned", "other"):
        own = [outcome for kind, outcome in outcomes if kind == shape]
        counts = collections.Counter()
        for outcome in own:
            if outcome is None:
                counts["not assembled"] += 1
            else:
                counts[("wrong " if outcome.wrong else "right ") + outcome.kind] += 1
        print(f"{shape}: {len(own)} modules; " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    known = [outcome for _, outcome in outcomes if outcome]
    report("crashes and slow ones", ((it.kind + ": " + it.message[:300], it) for it in known if it.kind in ("crash", "slow")))
    report("right modules that give wrong output", ((it.output_wrong, it) for it in known if it.output_wrong and not it.wrong))
    report("wrong modules that give wrong output", ((it.output_wrong, it) for it in known if it.output_wrong and it.wrong))
    report("messages without an instruction", ((rule(it.message), it) for it in known if it.kind == "refused" and " at byte " not in it.message))
    report("rules that accepted modules break", ((it.wrong, it) for it in known if it.kind == "accepted" and it.wrong))
    report("why right kernels are refused", ((rule(it.message), it) for kind, it in outcomes if kind != "other" and it and it.kind == "refused" and not it.wrong))


def report(title, rows):
    groups = collections.defaultdict(list)
    for key, outcome in rows:
        groups[key].append(os.path.basename(outcome.path))
    print(f"\n{title}:")
    for key, paths in sorted(groups.items(), key=lambda it: -len(it[1])):
        print(f"{len(paths):6} {key}  ({paths[0]})")


def embedded(content):
    """The modules in a file, by their magic number."""
    at = content.find(b"\x03\x02\x23\x07")
    while at >= 0:
        end = at + 20
        if end <= len(content) and content[at + 6 : at + 8] == b"\x01\x00":
            while end + 4 <= len(content):
                (word,) = struct.unpack_from("<I", content, end)
                size = 4 * (word >> 16)
                if content[end : end + 4] == content[at : at + 4] or size == 0 or not 0 < word & 0xFFFF < 7000 and word != 1 << 16 or end + size > len(content):
                    break
                end += size
            if end > at + 20:
                yield content[at:end]
        at = content.find(b"\x03\x02\x23\x07", at + 4)


def files(options, folder):
    """`files`: translates the modules for each profile."""
    modules = {}
    for path in options.paths:
        with open(path, "rb") as opened:
            for module in embedded(opened.read()):
                modules.setdefault(hashlib.sha256(module).hexdigest()[:12], module)
    modules = list(modules.items())[:: options.every]
    total = sum(len(module) for _, module in modules)
    print(f"{len(modules)} different modules, {total / 1e6:.1f} MB")

    def one(row):
        name, module = row
        path = os.path.join(folder, name + ".spv")
        with open(path, "wb") as written:
            written.write(module)
        outcomes = []
        for profile in options.profile:
            output = os.path.join(folder, name + ".out")
            command = [options.clvk_run, "compile", path, "--profile", profile, "--emit", "spirv", "-o", output]
            code, text, seconds = called(command, 60)
            if code is None or has_crashed(code, text):
                outcomes.append((profile, "crash" if code is not None else "slow", text[:300], name, seconds))
            elif code != 0:
                outcomes.append((profile, "refused", rule(text), name, seconds))
            else:
                valid, said, _ = called(["spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", output], 60)
                outcomes.append((profile, "wrong output" if valid else "valid", rule(said) if valid else "", name, seconds))
                os.remove(output)
        return outcomes

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = [outcome for row in pool.map(one, modules) for outcome in row]
    for profile in options.profile:
        own = [outcome for outcome in outcomes if outcome[0] == profile]
        slowest = max(own, key=lambda it: it[4])
        print(f"\n{profile}: {sum(it[4] for it in own):.1f} s; {slowest[3]} takes longest: {slowest[4]:.2f} s")
        groups = collections.defaultdict(list)
        for _, kind, message, name, _ in own:
            groups[(kind, message)].append(name)
        for (kind, message), names in sorted(groups.items(), key=lambda it: -len(it[1])):
            print(f"{len(names):6} {kind}: {message}  ({names[0]})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tests", "files"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--clvk-run", default="target/release/clvk-run", help="the program to test")
    parser.add_argument("--profile", action="append", help="a profile (default: lavapipe-25.0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1, help="take one module of this many")
    parser.add_argument("--shape", help="take only modules that are `kernel`, `turned` or `other`")
    parser.add_argument("--keep", help="a folder for the modules")
    options = parser.parse_args()
    options.profile = options.profile or ["lavapipe-25.0"]
    run = tests if options.what == "tests" else files
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        run(options, options.keep)
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(options, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
