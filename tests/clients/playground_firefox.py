"""Checks the playground in Firefox, headless: `tests/clients/run playground`.

usage: tests/clients/playground_firefox.py FOLDER
  FOLDER  where screenshots go

First as Firefox is: where it has no WebGPU, the page compiles and says so. Then with WebGPU turned on (`dom.webgpu`),
which runs on a Vulkan driver of this system: the examples compute what they should.
"""

import runpy
import sys
import threading
from pathlib import Path

from firefox import Firefox, FirefoxError
from playground import EXAMPLES, SERVE, WRONG, Playground, drop, outputs, slices, survives

# Its list of drivers that it trusts does not have those that compute on the processor.
WEBGPU = {"dom.webgpu.enabled": True, "gfx.webgpu.ignore-blocklist": True}


def opened(browser, address):
    browser.open(address)
    browser.wait_for("document.documentElement.dataset.ready")
    return Playground(browser)


def as_installed(address, folder):
    """The page compiles, and runs or says why not. Gives whether it ran."""
    with Firefox() as browser:
        it = opened(browser, address)
        state = it.call("idle")
        has_webgpu = browser.evaluate("navigator.gpu !== undefined")
        if not has_webgpu:
            sentence = "This browser has no WebGPU. Sources compile here, but cannot run."
            assert state["problem"] == sentence, state
            shown = browser.evaluate("document.getElementById('problem').innerText")
            assert shown == sentence, shown
        it.call("open", WRONG, {})
        assert "wieght" in browser.evaluate("document.querySelector('.message').innerText")
        it.call("openExample", "edges")
        outputs_only(it)
        browser.screenshot(folder / "firefox.png")
        return browser.version, has_webgpu


def outputs_only(it):
    """The texts are shown without a device, too."""
    it.page.evaluate("document.querySelector('[data-tab=output-tab]').click()")
    it.page.wait_for("document.getElementById('output').textContent.includes('@compute')")


def with_webgpu(address, folder):
    """Gives the number of examples that compute what they should; `None` if there is no device."""
    with Firefox(WEBGPU) as browser:
        it = opened(browser, address)
        if not browser.evaluate("(async () => Boolean(await navigator.gpu?.requestAdapter()))()"):
            assert "WebGPU" in it.call("idle")["problem"]
            return None
        known = browser.evaluate("[...document.querySelectorAll('#examples option')].map(it => it.value)")
        assert known == [check.__name__ for check in EXAMPLES], known
        for check in EXAMPLES:
            it.open(check.__name__)
            check(it)
        for check in (survives, drop, slices, outputs):
            check(it)
        it.open("mandelbrot")
        browser.screenshot(folder / "firefox-webgpu.png")
        return len(EXAMPLES)


def main():
    folder = Path(sys.argv[1])
    serving = runpy.run_path(str(SERVE))["server"]("127.0.0.1", 0)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{serving.server_address[1]}/"
    version, has_webgpu = as_installed(address, folder)
    does = "runs" if has_webgpu else "says that there is no WebGPU"
    print(f"Firefox {version} as installed: the page compiles, and {does}")
    count = with_webgpu(address, folder)
    if count is None:
        print("with WebGPU turned on it finds no device, and the page says so")
    else:
        print(f"with WebGPU turned on, {count} examples compute what they should")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, FirefoxError) as error:
        sys.exit(f"the playground fails in Firefox: {error}")
