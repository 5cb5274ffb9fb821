"""A sample of files that others wrote: how their hosts build them is known to tools/measure-corpus."""

import importlib.machinery
import importlib.util
from pathlib import Path

from stand_ins import WORK

HERE = Path(__file__).resolve().parent


def measure_corpus():
    """The program of this name, as a module."""
    path = str(HERE.parent / "measure-corpus")
    loader = importlib.machinery.SourceFileLoader("measure_corpus", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_corpus", loader))
    loader.exec_module(module)
    return module


def sample(folder, hosts, count):
    """At most `count` files that clang accepts, spread over the folder, as texts in files of their own: lists of
    build options with the files that are built with them."""
    corpus = measure_corpus()
    programs = list(corpus.programs_of([folder], corpus.Rules(hosts), None))
    texts = WORK / "corpus"
    texts.mkdir(exist_ok=True)
    # What clang refuses are fragments.
    clang = corpus.Clang("clang-19", WORK / "clang.json")
    accepted = []
    for program in programs:
        path = texts / program.name.replace("/", "__")
        path.write_text(program.text)
        if clang.accepts(path, program.builds[0])[0]:
            accepted.append((program.builds[0], [str(path)]))
    clang.save()
    taken = min(count, len(accepted))
    return [accepted[index * len(accepted) // taken] for index in range(taken)]
