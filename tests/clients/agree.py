#!/usr/bin/env python3
"""Runs kernels that read and write images, and that print, on an OpenCL platform, and compares what two platforms gave.

    agree.py run FOLDER          on the only platform that there is: FOLDER/images.npz and FOLDER/printed.txt
    agree.py compare OURS THEIRS

What is compared are values that the specification decides: coordinates lie inside of texels where the nearest one is read, and
lines whose text is open are not printed. Depth images are not among them: PoCL 3.1 has none. Differences that are the other implementation's are listed here with the section that
decides (`judged_read`, `judged_line`). Exit code: 0 if the rest agrees, 1 if not.
"""

import sys
from pathlib import Path

import numpy as np

SIZES = {
    "image1d_t": (9, 1, 1),
    "image2d_t": (7, 5, 1),
    "image3d_t": (5, 4, 6),
    "image1d_array_t": (9, 1, 4),
    "image2d_array_t": (7, 5, 3),
}
# Lanes of coordinates, and the number of those that the sampler addresses.
LANES = {
    "image1d_t": (1, 1),
    "image2d_t": (2, 2),
    "image3d_t": (4, 3),
    "image1d_array_t": (2, 1),
    "image2d_array_t": (4, 2),
}
ORDERS = ["R", "RG", "RGBA", "BGRA"]
CHANNELS = {
    "UNORM_INT8": ("f", np.uint8),
    "UNORM_INT16": ("f", np.uint16),
    "SNORM_INT8": ("f", np.int8),
    "SNORM_INT16": ("f", np.int16),
    "HALF_FLOAT": ("f", np.float16),
    "FLOAT": ("f", np.float32),
    "SIGNED_INT8": ("i", np.int8),
    "SIGNED_INT16": ("i", np.int16),
    "SIGNED_INT32": ("i", np.int32),
    "UNSIGNED_INT8": ("ui", np.uint8),
    "UNSIGNED_INT16": ("ui", np.uint16),
    "UNSIGNED_INT32": ("ui", np.uint32),
}
CHOSEN = [("RGBA", "UNORM_INT8"), ("R", "FLOAT"), ("RG", "SNORM_INT16"), ("RGBA", "SIGNED_INT16"), ("R", "UNSIGNED_INT32")]
TYPES = {"f": ("float4", np.float32), "i": ("int4", np.int32), "ui": ("uint4", np.uint32)}
POINTS = 96


def kernels(kind, function):
    lanes, _ = LANES[kind]
    swizzle = {1: "x", 2: "xy", 4: "xyzw"}[lanes]
    texel, _ = TYPES[function]
    integers = {1: "at[i].x", 2: "at[i].xy", 4: "at[i]"}[lanes]
    return f"""
    kernel void floats(read_only {kind} image, sampler_t s, global const float4 *at, global {texel} *out) {{
        size_t i = get_global_id(0); out[i] = read_image{function}(image, s, at[i].{swizzle}); }}
    kernel void integers(read_only {kind} image, sampler_t s, global const int4 *at, global {texel} *out) {{
        size_t i = get_global_id(0); out[i] = read_image{function}(image, s, {integers}); }}
    kernel void plain(read_only {kind} image, global const int4 *at, global {texel} *out) {{
        size_t i = get_global_id(0); out[i] = read_image{function}(image, {integers}); }}
    kernel void put(write_only {kind} image, global const int4 *at, global const {texel} *colors) {{
        size_t i = get_global_id(0); write_image{function}(image, {integers}, colors[i]); }}
    """


def texels(random, channel, count):
    dtype = CHANNELS[channel][1]
    if dtype in (np.float16, np.float32):
        return (random.integers(-512, 512, count) / 64).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, int(limits.max) + 1, count, dtype=np.int64).astype(dtype)


def colors(random, function, channel, count):
    """Colours beyond the range of the channels, too; halves between two channel values are left out."""
    if function == "f":
        if channel in ("FLOAT", "HALF_FLOAT"):
            return (random.integers(-512, 512, (count, 4)) / 64).astype(np.float32)
        steps = np.iinfo(CHANNELS[channel][1]).max
        return ((random.integers(-300, 300, (count, 4)) + 0.2) / min(steps, 200)).astype(np.float32)
    dtype = TYPES[function][1]
    limits = np.iinfo(dtype)
    wide = random.integers(limits.min, int(limits.max) + 1, (count, 4), dtype=np.int64)
    small = random.integers(-70000, 70000, (count, 4)).clip(limits.min, limits.max)
    return np.where(np.arange(count)[:, None] % 2 == 0, wide, small).astype(dtype)


def places(random, kind, normalized, linear, inside):
    """Coordinates with a fraction of a texel that leaves no doubt; the layer of an array lies in it."""
    lanes, axes = LANES[kind]
    width, height, last = SIZES[kind]
    sizes = {1: [width], 2: [width, last if "array" in kind else height], 4: [width, height, last, 1]}[lanes]
    at = np.zeros((POINTS, 4), np.float32)
    for axis, size in enumerate(sizes[:3]):
        addressed = axis < axes
        low, high = (0, size) if inside or not addressed else (-2 * size, 3 * size)
        fractions = np.array([0.125, 0.25, 0.5, 0.75, 0.875])
        place = random.integers(low, high, POINTS) + (random.choice(fractions, POINTS) if addressed else 0.25)
        if inside and addressed and linear:
            place = place.clip(0.5, size - 0.5)
        at[:, axis] = place / size if normalized and addressed else place
    return at


def samplers(cl, function):
    modes = cl.addressing_mode
    for name in ("NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"):
        for normalized in (True, False):
            if name.endswith("REPEAT") and not normalized:
                continue
            for filter_mode in ("NEAREST", "LINEAR") if function == "f" else ("NEAREST",):
                yield name, normalized, filter_mode, getattr(modes, name), getattr(cl.filter_mode, filter_mode)


def make_image(cl, context, kind, image_format, data):
    width, height, last = SIZES[kind]
    is_array = "array" in kind
    shape = {1: (width,), 2: (width, last if is_array else height), 4: (width, height, last)}[LANES[kind][0]]
    flags = cl.mem_flags.READ_WRITE
    if data is None:
        return cl.create_image(context, flags, image_format, shape=shape, is_array=is_array)
    flags |= cl.mem_flags.COPY_HOST_PTR
    return cl.create_image(context, flags, image_format, shape=shape, hostbuf=data, is_array=is_array)


def run_images(cl, context, queue):
    results = {}
    flags = cl.mem_flags
    for kind in SIZES:
        programs = {f: cl.Program(context, kernels(kind, f)).build(["-cl-std=CL1.2"]) for f in TYPES}
        programs = {
            f: {kernel.function_name: kernel for kernel in program.all_kernels()} for f, program in programs.items()}
        width, height, last = SIZES[kind]
        extent = (width, last, 1) if kind == "image1d_array_t" else (width, height, last)
        supported = {str(f) for f in cl.get_supported_image_formats(
            context, flags.READ_WRITE, getattr(cl.mem_object_type, kind[:-2].upper()))}
        for order in ORDERS:
            for channel, (function, _) in CHANNELS.items():
                image_format = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, channel))
                # Properties that do not depend on the shape are tried with one shape.
                chosen = kind == "image2d_t" or (order, channel) in CHOSEN
                if not chosen or str(image_format) not in supported:
                    continue
                random = np.random.default_rng(hash_of(kind + order + channel))
                channels = {"R": 1, "RG": 2, "RGBA": 4, "BGRA": 4}[order]
                data = texels(random, channel, width * height * last * channels)
                image = make_image(cl, context, kind, image_format, data)
                key = f"{kind}/{order}/{channel}"
                program, dtype = programs[function], TYPES[function][1]
                out = np.zeros((POINTS, 4), dtype)
                target = cl.Buffer(context, flags.READ_WRITE, out.nbytes)

                def read(name, *arguments):
                    program[name](queue, (POINTS,), None, *arguments, target)
                    cl.enqueue_copy(queue, out, target)
                    return out.copy()

                for name, normalized, filter_mode, mode, filtering in samplers(cl, function):
                    sampler = cl.Sampler(context, normalized, mode, filtering)
                    at = places(random, kind, normalized, filter_mode == "LINEAR", name == "NONE")
                    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=at)
                    label = f"{key}/{name}/{filter_mode}/{'unit' if normalized else 'texels'}"
                    results[label] = read("floats", image, sampler, source)
                    if not normalized and filter_mode == "NEAREST":
                        whole = cl.Buffer(
                            context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.floor(at).astype(np.int32))
                        results[label + "/integers"] = read("integers", image, sampler, whole)
                at = np.floor(places(random, kind, False, False, True)).astype(np.int32)
                source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=at)
                results[key + "/plain"] = read("plain", image, source)
                # Every texel once.
                z, y, x = (axis.ravel() for axis in np.indices(extent[::-1]))
                at = np.stack([x, y, z, 0 * x], 1).astype(np.int32)
                values = colors(random, function, channel, len(at))
                written = make_image(cl, context, kind, image_format, None)
                buffers = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b) for b in (at, values)]
                program["put"](queue, (len(at),), None, written, *buffers)
                back = np.zeros_like(values)
                target = cl.Buffer(context, flags.READ_WRITE, back.nbytes)
                program["plain"](queue, (len(at),), None, written, buffers[0], target)
                cl.enqueue_copy(queue, back, target)
                results[key + "/write"] = back
    return results


def run_buffer_images(cl, context, queue):
    """Pixels of a buffer, which are read and written without samplers."""
    kind, count = "image1d_buffer_t", 77
    results = {}
    flags = cl.mem_flags
    supported = {str(f) for f in cl.get_supported_image_formats(context, flags.READ_WRITE, cl.mem_object_type.IMAGE1D_BUFFER)}
    source = """
    kernel void get(read_only image1d_buffer_t image, global {texel} *out) {{
        int i = get_global_id(0); out[i] = read_image{function}(image, i); }}
    kernel void put(write_only image1d_buffer_t image, global const {texel} *colors) {{
        int i = get_global_id(0); write_image{function}(image, {last} - i, colors[i]); }}
    """
    programs = {}
    for function, (texel, _) in TYPES.items():
        program = cl.Program(context, source.format(texel=texel, function=function, last=count - 1)).build(["-cl-std=CL1.2"])
        programs[function] = {kernel.function_name: kernel for kernel in program.all_kernels()}
    for order in ORDERS:
        for channel, (function, dtype) in CHANNELS.items():
            image_format = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, channel))
            if str(image_format) not in supported:
                continue
            random = np.random.default_rng(hash_of(kind + order + channel))
            channels = {"R": 1, "RG": 2, "RGBA": 4, "BGRA": 4}[order]
            data = texels(random, channel, count * channels)
            values = colors(random, function, channel, count)
            buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=data)
            image = cl.create_image(context, flags.READ_WRITE, image_format, shape=(count,), buffer=buffer)
            key = f"{kind}/{order}/{channel}"
            out = np.zeros((count, 4), TYPES[function][1])
            target = cl.Buffer(context, flags.READ_WRITE, out.nbytes)
            programs[function]["get"](queue, (count,), None, image, target)
            cl.enqueue_copy(queue, out, target)
            results[key + "/plain"] = out
            given = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
            programs[function]["put"](queue, (count,), None, image, given)
            # The contents of the buffer afterwards.
            after = np.zeros_like(data)
            cl.enqueue_copy(queue, after, buffer)
            results[key + "/memory"] = after.reshape(count, channels)
    return results


def hash_of(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def lines():
    """Calls of printf, each a line of its own."""
    calls = []
    flags = ["", "-", "+", " ", "0", "#", "-+", "+0", "-#"]
    widths = ["", "1", "9", "14"]
    for conversion in "diuoxX":
        signed = conversion in "di"
        for flag in flags:
            if "#" in flag and conversion in "diu" or not signed and ("+" in flag or " " in flag):
                continue
            for width in widths:
                calls.append((f"%{flag}{width}{conversion}", "12345" if width != "9" else "-77" if signed else "77u"))
        for precision in (".0", ".3", ".8", "6.3", "-8.4"):
            calls.append((f"%{precision}{conversion}", "42"))
        calls.append((f"%.0{conversion}", "0"))
        calls.append((f"%l{conversion}", "(long)-9000000000" if signed else "(ulong)18000000000000000000UL"))
        calls.append((f"%h{conversion}", "(short)-5" if signed else "(ushort)65531"))
        calls.append((f"%hh{conversion}", "(char)-5" if signed else "(uchar)251"))
    for conversion in "fFeEgGaA":
        for flag in flags:
            for value in ("1.5f", "-1234.0625f", "0.0f", "-0.0f"):
                calls.append((f"%{flag}12.3{conversion}", value))
        for shape in ("", ".0", "#.0", ".7", "20.9", "-20.2"):
            for value in ("1.0f", "0.1f", "123456789.0f", "1e-10f", "3.4e38f"):
                # The language does not say how many digits a hexadecimal number without a precision has, nor
                # which is the first.
                if conversion not in "aA":
                    calls.append((f"%{shape}{conversion}", value))
        for value in ("INFINITY", "-INFINITY"):
            calls.append((f"%{conversion}", value))
            calls.append((f"%+9.2{conversion}", value))
            calls.append((f"%09{conversion}", value))
    calls += [("%c", "'x'"), ("%5c|", "'y'"), ("%-5c|", "'z'"), ("%s", '"text"'), ("%9s|", '"text"'), ("%-9s|", '"text"')]
    calls += [("%.2s|", '"text"'), ("%%", None), ("%5.1f%%", "99.5f"), ("%d %s %c %g", '1, "a", \'b\', 2.5f')]
    for lanes in (2, 3, 4, 8, 16):
        numbers = ", ".join(str(n * 37 - 50) for n in range(lanes))
        floats = ", ".join(f"{n * 0.75 - 1:.2f}f" for n in range(lanes))
        calls.append((f"%v{lanes}hld", f"(int{lanes})({numbers})"))
        calls.append((f"%7.3v{lanes}hld|", f"(int{lanes})({numbers})"))
        calls.append((f"%v{lanes}hlx", f"(uint{lanes})({numbers})"))
        calls.append((f"%v{lanes}hd", f"(short{lanes})({numbers})"))
        calls.append((f"%#v{lanes}hx", f"(ushort{lanes})({numbers})"))
        calls.append((f"%v{lanes}hhd", f"(char{lanes})({', '.join(str(n * 9 - 60) for n in range(lanes))})"))
        calls.append((f"%v{lanes}ld", f"(long{lanes})({numbers})"))
        calls.append((f"%v{lanes}hlf", f"(float{lanes})({floats})"))
        calls.append((f"%+9.2v{lanes}hlf|", f"(float{lanes})({floats})"))
        calls.append((f"%.3v{lanes}hle", f"(float{lanes})({floats})"))
        calls.append((f"%v{lanes}hlg", f"(float{lanes})({floats})"))
    return calls


def run_print(cl, context, queue):
    calls = lines()
    parts = []
    size = 40
    for start in range(0, len(calls), size):
        body = "".join(
            f'printf("{start + index}: {text}\\n"{"" if value is None else ", " + value});\n'
            for index, (text, value) in enumerate(calls[start:start + size]))
        parts.append(f"kernel void print{start // size}() {{ {body} }}\n")
    program = cl.Program(context, "".join(parts)).build(["-cl-std=CL1.2"])
    for index in range(len(parts)):
        getattr(program, f"print{index}")(queue, (1,), (1,))
        queue.finish()


def run(folder):
    import os

    import pyopencl as cl

    [platform] = cl.get_platforms()
    device = platform.get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    print(f"{device.name.strip()}, {platform.version}")
    (folder / "platform.txt").write_text(f"{platform.name} {platform.version}")
    images = run_images(cl, context, queue) | run_buffer_images(cl, context, queue)
    np.savez(folder / "images.npz", **images)
    sys.stdout.flush()
    # Drivers write to the file descriptor directly.
    kept = os.dup(1)
    with open(folder / "printed.txt", "wb") as file:
        os.dup2(file.fileno(), 1)
        run_print(cl, context, queue)
        queue.finish()
    del queue, context
    import ctypes

    ctypes.CDLL(None).fflush(None)
    os.dup2(kept, 1)


def judged_read(label, theirs):
    """The sentence of OpenCL C that another platform's results are known not to follow, if it is one of those."""
    if "Portable Computing Language" not in theirs:
        return None
    kind, _, channel, *rest = label.split("/")
    if channel == "HALF_FLOAT":
        return "PoCL 3.1 reads other numbers than the halves of an image (8.3.2)"
    if kind == "image2d_array_t" and "unit" in rest:
        return "PoCL 3.1 multiplies layers by their number, but they are never normalised (8.1)"
    if kind == "image1d_array_t" and "write" in rest:
        return "PoCL 3.1 writes to other layers of arrays of one-dimensional images (6.15.15.4)"
    return None


def judged_line(call, theirs):
    if "Portable Computing Language" in theirs and "v16ld" in call:
        return "PoCL 3.1 prints other numbers for 16 long ones (6.15.14)"
    return None


def compare(ours, theirs):
    first, second = (np.load(folder / "images.npz") for folder in (ours, theirs))
    name = (theirs / "platform.txt").read_text()
    common = [label for label in first.files if label in second.files]
    problems, known, texels_compared = [], {}, 0
    for label in common:
        a, b = (array[label].astype(np.float64) for array in (first, second))
        if label.split("/")[1] in ("R", "RG") and not label.endswith("/memory"):
            # The alpha of texels and of the border (6.15.15.1.1, table 37), which PoCL 3.1 has as 0.
            if not (a[:, 3] == 1.0).all():
                problems.append(f"{label}: an alpha is not 1")
            a, b = a[:, :3], b[:, :3]
        texels_compared += len(a)
        tolerance = 1e-5
        if "/LINEAR/" in label:
            # Weights have at least 8 bits.
            tolerance = 0.02 * max(1.0, np.nanmax(np.abs(b)))
        elif label.endswith("/write"):
            # One step; 0.6 of a step is allowed (OpenCL C, 8.3.1.3).
            tolerance = 0.0 if "NORM" not in label else 0.0079 if "INT8" in label else 3.1e-5
        elif label.endswith("/memory"):
            tolerance = 1.0 if "NORM" in label else 0.0
        different = ~(np.abs(a - b) <= tolerance)
        if different.any():
            different_count = different.sum()
            reason = judged_read(label, name)
            if reason:
                known[reason] = known.get(reason, 0) + 1
                continue
            place = np.argwhere(different)[0]
            problems.append(f"{label}: {different_count} numbers; at {place}: {a[tuple(place)]}, not {b[tuple(place)]}")
    texts = []
    for folder in (ours, theirs):
        text = (folder / "printed.txt").read_bytes().decode(errors="replace")
        texts.append(dict(line.split(": ", 1) for line in text.splitlines() if ": " in line))
    calls = lines()
    for index, (call, value) in enumerate(calls):
        a, b = (text.get(str(index)) for text in texts)
        if a != b:
            reason = judged_line(call, name)
            if reason:
                known[reason] = known.get(reason, 0) + 1
            else:
                problems.append(f'printf("{call}", {value}): {a!r}, not {b!r}')
    print(f"{len(common)} reads and writes of images ({texels_compared} texels) and {len(calls)} printed lines compared")
    for reason, count in known.items():
        print(f"{count} differ: {reason}")
    for problem in problems[:40]:
        print(problem)
    if len(common) < 400:
        problems.append("too few images in common")
    if problems:
        print(f"{len(problems)} differences")
        sys.exit(1)


def main():
    match sys.argv[1:]:
        case ["run", folder]:
            run(Path(folder))
        case ["compare", ours, theirs]:
            compare(Path(ours), Path(theirs))
        case _:
            sys.exit(__doc__)


main()
