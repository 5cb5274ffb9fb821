"""The tables of docs/log/gpu-compilers.md. What the page says of GPUs that are not in a run is kept."""

import collections
import re
from pathlib import Path

OUTCOMES = ["compiled", "refused", "failed", "crashed", "timed-out"]
# The kernels of the tests come first, then those of other projects, then what is written by hand.
OTHERS, BY_HAND = "## Kernels of other projects", "## What was found"
HEADS = (
    "| GPU | compiled | refused | failed | crashed | timed out | instructions | most registers | kernels that spill | slowest to compile |\n"
    "|---|---|---|---|---|---|---|---|---|---|",
    "| outcome | kernels | reason | GPUs |\n|---|---|---|---|",
)

TESTS = """# Compilers of GPUs that are not here

    tools/gpu-compilers --write

compiles every kernel of `tests/kernels` and `tests/programs` to machine code with {driver}, each with the profile that
the driver reports for the GPU. Nothing is executed. A kernel that needs what a GPU lacks is refused by clvk, by name.

{table}

Instructions of all kernels together. Registers and instructions of different GPUs are different things; the numbers are for comparing a change of the compiler
on one GPU. The drivers for `mali` and `v3dv` ran in an emulator of AArch64, on a machine that did other things too; the times of all say only what is slow.

## What did not compile

{exceptions}
"""

SAMPLE = """{heading}

    tools/gpu-compilers --write --corpus FOLDER

does the same with files of other projects ([the log of real code](corpus.md) says where they come from): a sample of those that clang accepts, spread over all, each in the first of its builds.
*Files* is its size (`--sample`, 500 if it is left out).

{table}

### What did not compile of them

With the number of kernels on each GPU, and some of the kernels.

{exceptions}
"""


def summary(gpu, files, rows):
    count = collections.Counter(row["outcome"] for row in rows)
    done = [row for row in rows if row["outcome"] == "compiled"]
    numbers = lambda name: [row["cost"][name] for row in done if name in row["cost"]]
    largest = max(numbers("registers"), default="-")
    spilling = sum(spills > 0 for spills in numbers("spills")) if numbers("spills") else "-"
    instructions = sum(numbers("instructions")) or "-"
    slowest = max(done, key=lambda row: row["seconds"], default=None)
    slowest = f"{slowest['seconds']:.1f} s ({slowest['kernel']})" if slowest else "-"
    cells = [gpu, *files, *(count[outcome] for outcome in OUTCOMES), instructions, largest, spilling, slowest]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def name_of(row):
    file = Path(row["file"])
    # The file of a sample has its folders in its name.
    path = file.stem.replace("__", "/") if "__" in file.stem else f"{file.parent.name}/{file.stem}"
    return f"`{path}`" + (f": `{row['kernel']}`" if row["kernel"] else "")


def failures(gpu, rows):
    """What did not compile: outcome, reason, kernel, GPU."""
    for row in rows:
        if row["outcome"] != "compiled":
            reason = re.sub(r"^(\S+:)?(line )?\d+(:\d+)?: ", "", (row.get("reasons") or [""])[0])
            yield row["outcome"], reason.replace("|", "/").replace("\n", " "), name_of(row), gpu


def cells(text):
    """The cells of a table's rows, without the heads."""
    rows = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("GPU", "outcome")]


def by_kernel(old, results, order):
    """Rows of what did not compile, by kernels and GPUs; `old` is the part of the page."""
    where = collections.defaultdict(list)
    for row in cells(old):
        if row[0] in OUTCOMES and len(row) == 4:
            for name in row[1].split(", "):
                where[row[0], row[2], name] = [gpu for gpu in row[3].split(", ") if gpu not in results]
    for gpu, (_, rows) in results.items():
        for outcome, reason, name, gpu in failures(gpu, rows):
            where[outcome, reason, name].append(gpu)
    together = collections.defaultdict(list)
    for (outcome, reason, name), gpus in where.items():
        if gpus:
            together[outcome, reason, ", ".join(sorted(gpus, key=order.index))].append(name)
    for (outcome, reason, gpus), names in sorted(together.items(), key=lambda item: (OUTCOMES.index(item[0][0]), item)):
        yield f"| {outcome} | {', '.join(sorted(set(names)))} | {reason} | {gpus} |"


def by_reason(old, results, order):
    """The same of many kernels: by reason, with numbers."""
    counts, examples = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for row in cells(old):
        if row[0] in OUTCOMES and len(row) == 4:
            found = re.findall(r"(\S+) \((\d+)\)", row[3])
            counts[row[0], row[2]].update({gpu: int(number) for gpu, number in found if gpu not in results})
            examples[row[0], row[2]] += row[1].split(", ")
    for gpu, (_, rows) in results.items():
        for outcome, reason, name, gpu in failures(gpu, rows):
            counts[outcome, reason][gpu] += 1
            examples[outcome, reason].append(name)
    often = lambda item: (OUTCOMES.index(item[0][0]), -sum(item[1].values()), item[0])
    for (outcome, reason), found in sorted(counts.items(), key=often):
        if found:
            names = list(dict.fromkeys(examples[outcome, reason]))[:3]
            gpus = [f"{gpu} ({found[gpu]})" for gpu in sorted(found, key=order.index)]
            yield f"| {outcome} | {', '.join(names)} | {reason} | {', '.join(gpus)} |"


def render(page, results, order, sampled):
    """The page with the results of a run: for each GPU, the number of files and the rows."""
    tests, _, rest = page.partition(OTHERS)
    if not rest:
        tests, _, rest = page.partition(BY_HAND)
        rest = BY_HAND + rest
    others, _, by_hand = rest.partition(BY_HAND)
    old = others if sampled else tests
    lines = {row[0]: "| " + " | ".join(row) + " |" for row in cells(old) if row[0] in order}
    lines |= {gpu: summary(gpu, [files] if sampled else [], rows) for gpu, (files, rows) in results.items()}
    head, exceptions = HEADS
    if sampled:
        head = head.replace("| compiled", "| files | compiled", 1) + "---|"
    fields = {
        "table": "\n".join([head, *(lines[gpu] for gpu in order if gpu in lines)]),
        "exceptions": "\n".join([exceptions, *(by_reason if sampled else by_kernel)(old, results, list(order))]),
    }
    if sampled:
        others = SAMPLE.format(heading=OTHERS, **fields) + "\n"
    else:
        driver = re.search(r"Mesa [\d.]+", next(iter(results.values()))[1][0]["driver"])[0]
        others = OTHERS + others if others else ""
        tests = TESTS.format(driver=driver, **fields) + "\n"
    return tests + others + BY_HAND + by_hand
