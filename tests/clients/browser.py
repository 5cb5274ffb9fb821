"""A headless browser (Debian's `chromium`), driven by the DevTools protocol over a pipe.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:8000/")
        page.evaluate("document.title")

Nothing but Python's own library is needed. Pages see WebGPU on SwiftShader, which chromium brings along.
"""

import base64
import collections
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-quic",
    "--disable-sync",
    "--enable-unsafe-webgpu",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--use-webgpu-adapter=swiftshader",
]


class BrowserError(Exception):
    """The browser answers with an error, ends, or does not answer in time."""


class Browser:
    def __init__(self, flags=()):
        self.profile = tempfile.mkdtemp(prefix="clvk-browser-")
        # The browser reads commands from file 3 and writes to file 4.
        command_read, self.command = os.pipe()
        self.answer, answer_write = os.pipe()
        script = f'exec 3<&{command_read} 4>&{answer_write} && exec "$@"'
        arguments = ["chromium", *FLAGS, *flags, f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", script, "browser", *arguments],
            pass_fds=(command_read, answer_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        self.buffer = b""
        self.number = 0
        self.events = collections.deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=10)
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.command)
        os.close(self.answer)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, deadline):
        """The next message of the browser, or None if there is none before the deadline."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answer], [], [], left)[0]:
                return None
            data = os.read(self.answer, 1 << 16)
            if not data:
                raise BrowserError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, parameters=None, session=None, timeout=60):
        """Sends a command and gives its result; events that arrive meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self.message(deadline)
            if answer is None:
                raise BrowserError(f"{method}: no answer in {timeout} s")
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, address, width=1280, height=860):
        """A new page, loading this address."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session, target)
        page.call("Page.enable")
        page.call("Runtime.enable")
        page.resize(width, height)
        page.call("Page.navigate", {"url": address})
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser = browser
        self.session = session
        self.target = target

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})

    def call(self, method, parameters=None, timeout=60):
        return self.browser.call(method, parameters, self.session, timeout)

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", metrics)

    def evaluate(self, expression, timeout=60):
        """The value of an expression in the page; a promise is waited for."""
        parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        result = self.call("Runtime.evaluate", parameters, timeout)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            raise BrowserError(f"{expression}: {text}")
        return result["result"].get("value")

    def wait_for(self, condition, timeout=60):
        """Waits until an expression of the page is true, and gives its value."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                value = self.evaluate(condition, timeout)
            except BrowserError:
                # The page is being replaced by another.
                value = None
            if value:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"`{condition}` is not true after {timeout} s")
            time.sleep(0.05)

    def problems(self):
        """What the page has written to the console as an error, and exceptions that nothing caught."""
        found = []
        self.evaluate("0")
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] == "error":
                found.append(" ".join(str(it.get("value", it)) for it in parameters["args"]))
        return found

    def mouse(self, kind, x, y, **parameters):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **parameters})

    def screenshot(self, path, clip=None):
        """Writes a picture of the window, or of a part of it, as PNG."""
        parameters = {"format": "png"}
        if clip:
            parameters["clip"] = clip
        data = self.call("Page.captureScreenshot", parameters)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
