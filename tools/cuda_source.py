"""The text of a kernel in OpenCL C as NVIDIA's compiler takes it, behind `cuda-reference.cuh`."""

import re

GROUP_SIZE = re.compile(r"__attribute__\(\(reqd_work_group_size\(([^,]+),([^,]+),([^)]+)\)\)\)")
KERNEL = re.compile(r"\b(__kernel|kernel)\b")
GLOBAL = re.compile(r"\b(__global|global|__private|private)\b")
# A kernel from its parameters to its body; among them are pointers to local memory, whose size the host
# chooses.
HEAD = re.compile(r"(\b(?:__)?kernel\b[^{;]*?\bvoid\s+\w+\s*)\(([^)]*)\)(\s*\{)")
LOCAL_PARAMETER = re.compile(r"\b(?:__)?local\b([^,*]*\*)[\s\w]*?(\w+)\s*(?=,|$)")
# The qualifier of a declaration, and the declarator up to its name or its dimensions.
VARIABLE_SPACE = re.compile(r"\b(?:__)?(local|constant)\b(?=([^;,()\[\]{}=]*\(?[^;,()\[\]{}=]*))")
VARIABLE = {"local": "__shared__", "constant": "__constant__"}
# `(float4)(a, b, c, d)` would be a comma expression in C++.
LITERAL = re.compile(r"\((float|int|uint|uchar)([2348])\)\s*\(")
SWIZZLE = re.compile(r"\.(xyz|yzx|zxy|wzyx)\b")


def to_cuda(source):
    """Address spaces of variables become CUDA's; those of pointers go, because CUDA has them in no type. The required
    size of a work-group becomes the bound of a launch, vector literals constructors, and swizzles functions."""
    source = HEAD.sub(with_dynamic_memory, source)
    source = GROUP_SIZE.sub(r"__launch_bounds__((\1) * (\2) * (\3))", source)
    source = VARIABLE_SPACE.sub(lambda found: "" if "*" in found[2] else VARIABLE[found[1]], source)
    source = GLOBAL.sub("", source)
    source = KERNEL.sub('extern "C" __global__', source)
    source = LITERAL.sub(r"cl_\1\2(", source)
    return SWIZZLE.sub(r".\1()", source)


def with_dynamic_memory(found):
    """A kernel whose pointers to local memory are offsets into the launch's shared memory."""
    head, parameters, body = found.groups()
    for kind, name in LOCAL_PARAMETER.findall(parameters):
        body += f"{kind} {name} = ({kind})((char *)dynamic_memory + {name}_at);"
    return f"{head}({LOCAL_PARAMETER.sub(lambda local: f'uint {local[2]}_at', parameters)}){body}"


def options(source, options, folder, relaxed):
    """The options of NVRTC that say what these options of OpenCL C, and the text, say."""
    ours = ["--std=c++17", "-default-device", f"-I{folder}"]
    ours += [option for option in options if option.startswith("-D")]
    if "-cl-fast-relaxed-math" in options:
        ours.append("-use_fast_math")
    elif relaxed:
        ours += ["-prec-div=false", "-prec-sqrt=false"]
    if "FP_CONTRACT OFF" in source:
        ours.append("-fmad=false")
    return ours
