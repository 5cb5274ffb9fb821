"""A headless Firefox (Debian's `firefox-esr`), driven by its Marionette protocol.

    with Firefox({"dom.webgpu.enabled": True}) as browser:
        browser.open("http://127.0.0.1:8000/")
        browser.evaluate("document.title")

Nothing but Python's own library is needed.
"""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

# What a new profile asks or fetches is turned off.
PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}


class FirefoxError(Exception):
    """The browser answers with an error, ends, or does not answer in time."""


class Firefox:
    def __init__(self, preferences=None, program="firefox-esr"):
        self.profile = tempfile.mkdtemp(prefix="clvk-firefox-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        wanted = PREFERENCES | {"marionette.port": port} | (preferences or {})
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in wanted.items()]
        Path(self.profile, "user.js").write_text("".join(lines))
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", self.profile]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.buffer, self.number, self.socket = b"", 0, None
        try:
            self.connect(port)
            self.message(60)
            capabilities = self.call("WebDriver:NewSession", {"strictFileInteractability": True})
            self.version = capabilities["capabilities"]["browserVersion"]
            self.call("WebDriver:SetTimeouts", {"script": 120_000, "pageLoad": 60_000})
        except BaseException:
            self.close()
            raise

    def connect(self, port):
        deadline = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=1)
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise FirefoxError("the browser does not start") from None
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.socket:
                self.call("Marionette:Quit", {"flags": ["eForceQuit"]}, timeout=10)
            self.process.wait(10)
        except (FirefoxError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        if self.socket:
            self.socket.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, timeout):
        """The next message: its length in bytes, a colon, and JSON."""
        deadline = time.monotonic() + timeout
        while True:
            head, colon, rest = self.buffer.partition(b":")
            if colon and len(rest) >= int(head):
                self.buffer = rest[int(head) :]
                return json.loads(rest[: int(head)])
            left = deadline - time.monotonic()
            if left <= 0:
                raise FirefoxError(f"no answer in {timeout} s")
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                continue
            if not data:
                raise FirefoxError("the browser has ended")
            self.buffer += data

    def call(self, method, parameters, timeout=120):
        """Sends a command and gives its result."""
        self.number += 1
        data = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.sendall(f"{len(data)}:".encode() + data)
        while True:
            kind, number, error, result = self.message(timeout)
            if (kind, number) != (1, self.number):
                continue
            if error:
                raise FirefoxError(f"{method}: {error['message']}")
            return result

    def open(self, address):
        self.call("WebDriver:Navigate", {"url": address})

    def evaluate(self, expression, timeout=120):
        """The value of an expression in the page; a promise is waited for."""
        work = f"(async () => ({{ value: await ({expression}) }}))()"
        script = f"const [done] = arguments; {work}.then(done, error => done({{ error: String(error) }}));"
        parameters = {"script": script, "args": [], "sandbox": None}
        answer = self.call("WebDriver:ExecuteAsyncScript", parameters, timeout)["value"]
        if "error" in answer:
            raise FirefoxError(f"{expression}: {answer['error']}")
        return answer.get("value")

    def wait_for(self, condition, timeout=60):
        """Waits until an expression of the page is true, and gives its value."""
        deadline = time.monotonic() + timeout
        while True:
            value = self.evaluate(condition)
            if value:
                return value
            if time.monotonic() > deadline:
                raise FirefoxError(f"never true in {timeout} s: {condition}")
            time.sleep(0.05)

    def screenshot(self, path):
        image = self.call("WebDriver:TakeScreenshot", {"full": False})["value"]
        Path(path).write_bytes(base64.b64decode(image))
