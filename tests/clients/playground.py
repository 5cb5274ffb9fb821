"""Checks the playground in a headless browser: `tests/clients/run playground`.

usage: tests/clients/playground.py FOLDER [--keep]
  FOLDER  where screenshots go
  --keep  print times, and take screenshots of every example, light and dark
"""

import collections
import json
import math
import runpy
import struct
import sys
import threading
import time
import zlib
from pathlib import Path

from browser import Browser, BrowserError

HERE = Path(__file__).resolve().parent
SERVE = HERE.parent.parent / "tools/playground/serve"


def single(number):
    """The nearest float."""
    return struct.unpack("f", struct.pack("f", number))[0]


def randoms(seed, count, low, high):
    """The numbers of the page's generator, mulberry32, from `low` to `high`."""
    state, out = seed & 0xFFFFFFFF, []
    for _ in range(count):
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        word = (state ^ state >> 15) * (state | 1) & 0xFFFFFFFF
        word ^= (word + (word ^ word >> 7) * (word | 61)) & 0xFFFFFFFF
        out.append(low + ((word ^ word >> 14) & 0xFFFFFFFF) / 2**32 * (high - low))
    return out


def near(got, expected, tolerance, what):
    """Fails unless two numbers are equal but for a tolerance, relative above 1."""
    if not abs(got - expected) <= tolerance * max(1, abs(expected)):
        raise AssertionError(f"{what} is {got}, not {expected}")


def same(got, expected, what):
    if got != expected:
        where = next((i for i, (one, other) in enumerate(zip(got, expected)) if one != other), "the length")
        raise AssertionError(f"{what} differs at {where}: {got[where]} is not {expected[where]}")


class Playground:
    """The page, as its users' hands see it."""

    def __init__(self, page):
        self.page = page

    def call(self, function, *arguments):
        text = ", ".join(json.dumps(argument) for argument in arguments)
        return self.page.evaluate(f"playground.{function}({text})", timeout=120)

    def open(self, name):
        """Opens an example, paused after its first run from the start."""
        self.call("openExample", name)
        self.call("stop")
        self.call("run")
        self.fine(name)

    def fine(self, name):
        state = self.call("idle")
        if state["problem"] or "error" in state["messages"]:
            raise AssertionError(f"{name}: {state['problem']} {state['messages']}")

    def read(self, key):
        return self.call("read", key)

    def value(self, key, number):
        """Gives an argument a number."""
        self.page.evaluate(f"void (playground.plan().arguments[{json.dumps(key)}] = {{value: '{number}'}})")
        self.call("run")


def saxpy(it):
    y = [single(number) for number in randoms(1, 64, 0, 1)]
    for index, (got, old) in enumerate(zip(it.read("y"), y)):
        near(got, 2 * index + old, 1e-6, f"y[{index}]")


def sort(it):
    same(it.read("numbers"), sorted(int(number) for number in randoms(3, 1024, 0, 1000)), "numbers")


def reduction(it):
    expected = math.fsum(single(number) for number in randoms(1, 16384, 0, 1))
    near(it.read("total")[0], expected, 1e-5, "the sum")
    printed = it.page.evaluate("document.getElementById('printed').textContent")
    near(float(printed.removeprefix("the sum is ")), expected, 1e-5, "the printed sum")


def matrix(it):
    side = 128
    a, b = (randoms(seed, side * side, -1, 1) for seed in (1, 2))
    c = it.read("c")
    for row, column in ((0, 0), (3, 100), (127, 127), (64, 17), (90, 1)):
        expected = math.fsum(a[row * side + k] * b[k * side + column] for k in range(side))
        near(c[row * side + column], expected, 1e-4, f"c[{row}][{column}]")


def histogram(it):
    counts = collections.Counter(it.read("photo"))
    same(it.read("histogram"), [counts[level] for level in range(256)], "the histogram")
    assert len(counts) > 50, "the picture has too few shades"


def life(it):
    width, height = 192, 144
    cells = [int(number) for number in randoms(1, width * height, 0, 2)]
    for _ in range(3):
        beside = [0] * len(cells)
        for at in (at for at, lives in enumerate(cells) if lives):
            y, x = divmod(at, width)
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dx or dy:
                        beside[(y + dy) % height * width + (x + dx) % width] += 1
        cells = [int(count == 3 or count == 2 and lives) for count, lives in zip(beside, cells)]
        # The example has run once; what is new is in `cells` after each run.
        same(it.read("cells"), cells, "the cells")
        it.call("step")


def nbody(it):
    it.call("step")
    bodies, speeds = it.read("bodies"), it.read("speeds")
    it.call("step")
    moved, faster = it.read("bodies"), it.read("speeds")
    all_bodies = [bodies[at : at + 4] for at in range(0, len(bodies), 4)]
    step = single(0.005)
    for own in range(0, 2048, 97):
        body = all_bodies[own]
        pull = [0.0, 0.0, 0.0]
        for other in all_bodies:
            way = [other[axis] - body[axis] for axis in range(3)]
            near_by = (sum(part * part for part in way) + 0.002) ** -1.5 * other[3]
            for axis in range(3):
                pull[axis] += way[axis] * near_by
        for axis in range(3):
            speed = speeds[4 * own + axis] + pull[axis] * step
            near(faster[4 * own + axis], speed, 1e-4, f"speed {own}")
            near(moved[4 * own + axis], body[axis] + speed * step, 1e-5, f"place {own}")


def waves(it):
    width, height = 320, 240
    for _ in range(2):
        it.call("step")
    before, now = it.read("before"), it.read("now")
    it.call("step")
    # The new heights have become `now`.
    new = it.read("now")
    assert max(map(abs, now)) > 0.1, "the pond is still"
    for x, y in ((0, 0), (319, 239), (160, 120), (7, 3), (20, 30), (300, 5)):
        beside = [(max(x - 1, 0), y), (min(x + 1, width - 1), y), (x, max(y - 1, 0)), (x, min(y + 1, height - 1))]
        at = y * width + x
        bend = sum(now[other_y * width + other_x] for other_x, other_y in beside) - 4 * now[at]
        near(new[at], 0.996 * (2 * now[at] - before[at] + 0.24 * bend), 1e-5, f"the height at {x}, {y}")
    shown = it.read("picture")
    assert len(set(shown)) > 20, "the picture of the pond is flat"


def texel(pixels, width, height, x, y):
    x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
    at = 4 * (y * width + x)
    return [channel / 255 for channel in pixels[at : at + 4]]


PLACES = [(0, 0), (511, 383), (256, 200), (100, 300), (300, 120), (359, 110), (40, 222), (480, 215)]


def edges(it):
    photo, drawing = it.read("photo"), it.read("drawing")

    def luma(x, y):
        red, green, blue, _ = texel(photo, 512, 384, x, y)
        return 0.299 * red + 0.587 * green + 0.114 * blue

    for x, y in PLACES:
        slope = [0.0, 0.0]
        for step, weight in ((-1, 1), (0, 2), (1, 1)):
            slope[0] += weight * (luma(x + 1, y + step) - luma(x - 1, y + step))
            slope[1] += weight * (luma(x + step, y + 1) - luma(x + step, y - 1))
        ink = min(1.5 * math.hypot(*slope), 1)
        near(texel(drawing, 512, 384, x, y)[0], 1 - ink, 0.006, f"the edge at {x}, {y}")
    assert len(set(drawing)) > 50, "there are no edges"


def blur(it):
    photo, blurred = it.read("photo"), it.read("blurred")
    weights = {step: math.exp(-0.5 * step * step / 36) for step in range(-15, 16)}
    total = sum(weights.values())
    for x, y in PLACES:
        for channel in range(3):
            expected = 0.0
            for dy, down in weights.items():
                row = sum(w * texel(photo, 512, 384, x + dx, y + dy)[channel] for dx, w in weights.items())
                expected += down * row / total
            near(texel(blurred, 512, 384, x, y)[channel], expected / total, 0.006, f"the blur at {x}, {y}")


def plasma(it):
    it.value("time", 1.5)
    it.fine("plasma")
    picture = it.read("picture")
    for x, y in PLACES:
        u, v = x / 384, y / 384
        wave = math.sin(10 * u + 1.5) + math.sin(8 * v - 1.3 * 1.5)
        wave += math.sin(20 * math.hypot(u - 0.5, v - 0.5) - 3)
        colour = [0.5 + 0.5 * math.sin(3 * wave), 0.5 + 0.5 * math.cos(3 * wave), 0.5 + 0.3 * wave]
        if math.hypot(x, y) < 12:
            colour = [1, 1, 1]
        for got, expected in zip(texel(picture, 512, 384, x, y), colour):
            near(got, min(max(expected, 0), 1), 0.01, f"the colour at {x}, {y}")


SIDE = 48


def volume(it):
    it.value("time", 1.5)
    it.fine("volume")
    texels = it.read("volume")
    assert len(texels) == 4 * SIDE**3, "the volume has another size"

    def stored(x, y, z):
        at = 4 * ((z * SIDE + y) * SIDE + x)
        return [channel / 255 for channel in texels[at : at + 4]]

    for x, y, z in ((24, 24, 24), (10, 20, 30), (0, 0, 0), (40, 12, 25), (30, 31, 9), (13, 37, 40)):
        place = [(2 * at + 1) / SIDE - 1 for at in (x, y, z)]
        wave = [7 * part for part in place]
        height = sum(math.sin(wave[axis]) * math.cos(wave[(axis + 1) % 3]) for axis in range(3))
        dense = min(max(2 - 4 * abs(height), 0), 1) * (math.hypot(*place) < 0.9)
        for got, expected in zip(stored(x, y, z), [0.5 + 0.5 * part for part in place] + [dense]):
            near(got, expected, 0.006, f"the volume at {x}, {y}, {z}")

    def sampled(place):
        """The texel between the eight nearest ones."""
        below, share = [], []
        for part in place:
            at = part * SIDE - 0.5
            below.append(math.floor(at))
            share.append(at - math.floor(at))
        out = [0.0] * 4
        for corner in range(8):
            up = [corner >> axis & 1 for axis in range(3)]
            weight = math.prod(share[axis] if up[axis] else 1 - share[axis] for axis in range(3))
            nearest = [min(max(below[axis] + up[axis], 0), SIDE - 1) for axis in range(3)]
            out = [sum_so_far + weight * channel for sum_so_far, channel in zip(out, stored(*nearest))]
        return out

    picture, turn, ahead = it.read("picture"), math.sin(0.6), math.cos(0.6)
    for x, y in ((192, 144), (100, 80), (250, 200), (210, 60), (130, 230), (2, 2)):
        across, down = (x + 0.5 - 192) / 144, (y + 0.5 - 144) / 144
        seen, left = [0.0] * 3, 1.0
        for step in range(64):
            if left <= 0.02:
                break
            depth = (step + 0.5) / 32 - 1
            place = [across * ahead + depth * turn, down, depth * ahead - across * turn]
            if math.hypot(*place) >= 1:
                continue
            here = sampled([part * 0.5 + 0.5 for part in place])
            part = left * here[3] * 0.35
            seen = [so_far + part * channel * (1.25 - 0.5 * (depth + 1)) for so_far, channel in zip(seen, here)]
            left -= part
        colour = [so_far + left * back for so_far, back in zip(seen, (0.05, 0.06, 0.09))]
        at = 4 * (y * 384 + x)
        for got, expected in zip(picture[at : at + 3], colour):
            near(got / 255, min(max(expected, 0), 1), 0.012, f"what is seen at {x}, {y}")


def mandelbrot_colour(x, y, centre=(-0.6, 0.0), scale=0.0065, limit=250):
    c = complex(centre[0] + (x - 256) * scale, centre[1] + (y - 192) * scale)
    z, steps = 0j, 0
    while z.real * z.real + z.imag * z.imag < 64 and steps < limit:
        z, steps = z * z + c, steps + 1
    if steps == limit:
        return [0, 0, 0]
    count = steps + 1 - math.log2(0.5 * math.log2(abs(z) ** 2))
    return [round(255 * (0.5 - 0.5 * math.cos(phase + 0.16 * count))) for phase in (0, 0.55, 1.1)]


def mandelbrot_shows(pixels, what, **view):
    """Compares every eighth pixel. At the set's edge the last bits of a sum decide."""
    wrong = count = 0
    for y in range(0, 384, 8):
        for x in range(0, 512, 8):
            got = pixels[4 * (y * 512 + x) :][:3]
            expected = mandelbrot_colour(x, y, **view)
            wrong += any(abs(one - other) > 4 for one, other in zip(got, expected))
            count += 1
    assert wrong <= count // 100, f"{what}: {wrong} of {count} pixels are wrong"


def mandelbrot(it):
    mandelbrot_shows(it.read("picture"), "mandelbrot")


EXAMPLES = [mandelbrot, saxpy, life, nbody, waves, edges, blur, plasma, volume, sort, reduction, matrix, histogram]


def png_pixels(path):
    """Width, height and the colours of a PNG of 8 bits, each as red, green, blue and alpha."""
    data = path.read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colours = struct.unpack(">IIBB", body[:10])
            assert bits == 8, "8 bits"
            step = {2: 3, 6: 4}[colours]
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, out = zlib.decompress(packed), bytearray()
    above = bytes(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        filter_type, row = raw[start], bytearray(raw[start + 1 : start + 1 + width * step])
        for x in range(len(row) if filter_type else 0):
            left = row[x - step] if x >= step else 0
            up, corner = above[x], above[x - step] if x >= step else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda near_by: abs(guess - near_by))
            row[x] = row[x] + (0, left, up, (left + up) // 2, paeth)[filter_type] & 255
        above = bytes(row)
        for x in range(0, len(row), step):
            out += row[x : x + 3] + b"\xff"
    return width, height, out


def picture_on_screen(it, folder):
    """What the window shows of the first example is the picture that it must be."""
    it.open("mandelbrot")
    box = it.page.evaluate("JSON.stringify(document.querySelector('.picture canvas').getBoundingClientRect())")
    box = json.loads(box)
    path = folder / "mandelbrot.png"
    it.page.screenshot(path, clip={**{key: round(box[key]) for key in ("x", "y", "width", "height")}, "scale": 1})
    width, height, pixels = png_pixels(path)
    assert (width, height) == (512, 384), f"the picture has {width} by {height} pixels"
    mandelbrot_shows(pixels, "the screenshot")


def zoom(it):
    """The wheel zooms to what is under the mouse, and dragging moves the picture."""
    it.open("mandelbrot")
    box = json.loads(it.page.evaluate("JSON.stringify(document.querySelector('.picture canvas').getBoundingClientRect())"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    it.page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-200)
    it.page.wait_for("playground.plan().view.scale < 0.005")
    it.page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    it.page.mouse("mouseMoved", x + 40, y - 20, button="left", buttons=1)
    it.page.mouse("mouseReleased", x + 40, y - 20, button="left", buttons=0, clickCount=1)
    it.call("idle")
    it.call("step")
    view = it.page.evaluate("playground.plan().view")
    assert view["x"] < -0.7 and view["y"] > 0.05, view
    mandelbrot_shows(it.read("picture"), "zoomed", centre=(view["x"], view["y"]), scale=view["scale"])


WRONG = """kernel void scale(global float *a, float by)
{
    size_t i = get_global_id(0);
    a[i] = by * wieght;
}
"""


def errors(it):
    """An error is listed with its place and marked there; correcting it removes it."""
    page = it.page
    it.call("open", WRONG, {})
    row = page.evaluate("document.querySelector('.message').innerText")
    assert "4:17" in row and "wieght" in row, row
    assert page.evaluate("document.querySelector('.copy .m-error').textContent") == "wieght"
    assert page.evaluate("document.querySelector('.n-error').textContent") == "4"
    page.evaluate("document.querySelector('.message .place').click()")
    chosen = "(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))(document.getElementById('text'))"
    assert page.evaluate(chosen) == "wieght"
    # As typed: the selection is replaced.
    page.call("Input.insertText", {"text": "a[i]"})
    page.wait_for("document.querySelectorAll('.message, .m-error').length === 0")
    it.call("run")
    got, y = it.read("a"), [single(number) for number in randoms(1, 4, 0, 1)]
    same(got[:4], [0, 0, 0, 0], "a, which begins with zeros")
    # What the device cannot do is an error of the program, at its place.
    it.call("open", "kernel void f(global double *a)\n{\n    *a = 1.0;\n}\n", {})
    row = page.evaluate("document.querySelector('.message').innerText")
    assert "error" in row and "double" in row, row


def survives(it):
    """Sources that are too much for the compiler are refused, and the page goes on."""
    deep = "kernel void f(global int *a) { *a = " + "(" * 5000 + "1" + ")" * 5000 + "; }"
    it.call("open", deep, {})
    assert "error" in it.call("idle")["messages"]
    terms = "kernel void f(global int *a) { *a = " + "+".join(["a[1]"] * 3000) + "; }"
    it.call("open", terms, {})
    blocks = "kernel void f(global int *a) {" + "if (*a) {" * 250 + "*a = 1;" + "}" * 250 + "}"
    it.call("open", blocks, {})
    it.call("openExample", "saxpy")
    it.fine("saxpy")
    # There is no clock, no file and no network, and that is not an error.
    it.call("open", 'kernel void f(global char *a) { *a = (__DATE__ __TIME__)[10]; }', {})
    it.fine("__DATE__")
    it.call("open", '#include "other.h"\nkernel void f(global int *a) { *a = 1; }', {})
    assert "other.h" in it.call("idle")["messages"]


def links(it, address):
    """A link has the source and the arguments."""
    it.open("sort")
    it.page.evaluate("playground.plan().arguments.numbers.seed = 9")
    it.page.evaluate("document.getElementById('share').click()")
    fragment = it.page.wait_for("location.hash.length > 40 && location.hash")
    other = Playground(it.page.browser.open(address + fragment))
    other.page.wait_for("document.documentElement.dataset.ready")
    same(other.read("numbers"), sorted(int(number) for number in randoms(9, 1024, 0, 1000)), "the numbers of the link")
    other.page.close()
    broken = Playground(it.page.browser.open(address + "#" + "A" * 40))
    broken.page.wait_for("document.documentElement.dataset.ready")
    assert "damaged" in broken.call("idle")["problem"]
    broken.page.close()


def camera(it):
    """The camera's picture, which changes, is an image like any other."""
    it.open("edges")
    it.page.evaluate("void (playground.plan().arguments.photo.picture = 'camera')")
    it.call("run")
    it.fine("the camera")
    first = it.read("photo")
    assert len(set(first)) > 10, "the camera shows nothing"
    deadline = time.monotonic() + 20
    while it.read("photo") == first:
        assert time.monotonic() < deadline, "the camera's picture stands still"
        it.call("step")


def drop(it):
    """A picture that is dropped on the page is read by the kernel."""
    it.open("edges")
    it.page.evaluate(
        """(async () => {
            const canvas = new OffscreenCanvas(512, 384);
            const context = canvas.getContext("2d");
            context.fillStyle = "rgb(255, 0, 0)";
            context.fillRect(0, 0, 512, 384);
            const data = new DataTransfer();
            data.items.add(new File([await canvas.convertToBlob()], "red.png", { type: "image/png" }));
            document.getElementById("results").dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
        })()"""
    )
    it.page.wait_for("playground.plan().arguments.photo.picture === 'file'")
    it.fine("drop")
    same(it.read("photo"), [255, 0, 0, 255] * (512 * 384), "the picture that was dropped")
    same(it.read("drawing"), [255] * (4 * 512 * 384), "its edges")


DEEP = """constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
kernel void take(read_only image3d_t from, read_only image2d_array_t layers, global float4 *out)
{
    int4 at = (int4)(1, 2, get_global_id(0), 0);
    out[2 * at.z] = read_imagef(from, exact, at);
    out[2 * at.z + 1] = read_imagef(layers, exact, at);
    if (at.z == 0)
        out[0].w = get_image_depth(from) * 100 + get_image_array_size(layers);
}
"""


def slices(it):
    """Volumes and arrays of pictures have forms, and kernels read each slice of them."""
    arguments = {
        "from": {"width": 8, "height": 6, "depth": 5, "picture": "ball", "show": "picture", "slice": 2},
        "layers": {"width": 8, "height": 6, "depth": 3, "picture": "shapes"},
        "out": {"length": 6},
    }
    it.call("open", DEEP, {"launches": [{"kernel": "take", "global": [3]}], "arguments": arguments})
    it.fine("slices")
    ball, layers, out = it.read("from"), it.read("layers"), it.read("out")
    assert (len(ball), len(layers)) == (4 * 8 * 6 * 5, 4 * 8 * 6 * 3)
    assert len({bytes(ball[at : at + 4 * 48]) for at in range(0, len(ball), 4 * 48)}) > 2, "all slices are alike"
    for z in range(3):
        for position, texels in enumerate((ball, layers)):
            at = 4 * ((z * 6 + 2) * 8 + 1)
            for lane, channel in enumerate(texels[at : at + 4]):
                if (z, position, lane) == (0, 0, 3):
                    near(out[3], 503, 0, "depth and size")
                else:
                    near(out[8 * z + 4 * position + lane], channel / 255, 1e-6, f"slice {z}")
    caption = it.page.evaluate("document.querySelector('figcaption').textContent")
    same(caption, "from, 8 × 6 × 5, slice 2", "the caption")
    # The form of the volume chooses another slice.
    field = "[...document.querySelectorAll('#arguments .field')].find(it => it.innerText.startsWith('slice shown'))"
    change = "(it => { it.value = '4'; it.dispatchEvent(new Event('change')); })"
    it.page.evaluate(f"{change}({field}.querySelector('input'))")
    it.page.wait_for("document.querySelector('figcaption').textContent.endsWith('slice 4')")
    shown = it.page.evaluate(
        "[...document.querySelector('.picture canvas').getContext('2d').getImageData(0, 0, 8, 6).data]"
    )
    # Canvases keep no colour where nothing covers it.
    same(shown[3::4], ball[4 * 48 * 4 + 3 :: 4], "the slice that is shown")


def outputs(it):
    """Every language has a text."""
    it.open("edges")
    page = it.page
    page.evaluate("document.querySelector('[data-tab=output-tab]').click()")
    first = {"wgsl": "@compute", "spirv": "OpEntryPoint GLCompute", "msl": "#include <metal_stdlib>"}
    first |= {"hlsl": "[numthreads(", "glsl": "#version 450"}
    for language, text in first.items():
        choose = f"(it => {{ it.value = '{language}'; it.dispatchEvent(new Event('change')); }})"
        page.evaluate(choose + "(document.getElementById('language'))")
        page.wait_for(f"document.getElementById('output').textContent.includes({json.dumps(text)})")
    page.evaluate("document.querySelector('[data-tab=run-tab]').click()")


def layout(it):
    """Nothing is wider than the window, from a phone's to a desk's, and the parts do not cover each other."""
    it.open("mandelbrot")
    for width, height in ((390, 840), (1024, 700), (1280, 860), (1920, 1080)):
        it.page.resize(width, height)
        wide = it.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide in a window of {width}"
        at = it.page.evaluate("JSON.stringify(['source', 'side'].map(id => document.getElementById(id).getBoundingClientRect()))")
        source, side = json.loads(at)
        assert source["right"] <= side["left"] + 1 or source["bottom"] <= side["top"] + 1, "the halves cover each other"
    it.page.resize(1280, 860)


def first_result(browser, address):
    """Milliseconds from the navigation to the first picture, with a warm cache."""
    page = browser.open(address)
    page.wait_for("document.documentElement.dataset.ready")
    page.call("Page.reload")
    time.sleep(0.3)
    page.wait_for("document.documentElement.dataset.ready")
    took = page.evaluate("playground.firstResult")
    page.close()
    return took


def main():
    folder = Path(sys.argv[1])
    keep = "--keep" in sys.argv
    serving = runpy.run_path(str(SERVE))["server"]("127.0.0.1", 0)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{serving.server_address[1]}/"
    with Browser() as browser:
        warm = [first_result(browser, address) for _ in range(3)]
        print(f"first result {min(warm):.0f} ms after the navigation, with a warm cache")
        page = browser.open(address)
        page.wait_for("document.documentElement.dataset.ready")
        it = Playground(page)
        known = page.evaluate("[...document.querySelectorAll('#examples option')].map(it => it.value)")
        same(known, [check.__name__ for check in EXAMPLES], "the examples")
        for check in EXAMPLES:
            it.open(check.__name__)
            check(it)
            if keep:
                take(it, folder, check.__name__)
        for check in (zoom, errors, survives, camera, drop, slices, outputs, layout):
            check(it)
        picture_on_screen(it, folder)
        links(it, address)
        problems = page.problems()
        if problems:
            raise AssertionError("the page wrote to the console: " + "; ".join(problems))
    print(f"{len(EXAMPLES)} examples compute what they should; errors, links, the camera and the zoom work")


def take(it, folder, name):
    """Screenshots for people to look at."""
    it.call("idle")
    for theme in ("light", "dark"):
        it.page.evaluate(f"void (document.documentElement.dataset.theme = '{theme}')")
        it.page.screenshot(folder / f"{name}-{theme}.png")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, BrowserError) as error:
        sys.exit(f"the playground fails: {error}")
