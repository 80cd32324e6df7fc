"""A headless Chromium, told what to do by the DevTools protocol over a pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30


def program():
    """The path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab, with everything that it said and asked for."""

    def __init__(self, *further):
        self.folder = tempfile.mkdtemp(prefix="edge-page-")
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        self.write, self.read, self.buffer = from_us, to_us, b""
        self.events, self.count = [], 0

        def pipes():
            # The protocol reads from 3 and writes to 4; high numbers first, since either may be 3 or 4 already.
            os.dup2(to_browser, 90)
            os.dup2(from_browser, 91)
            os.dup2(90, 3)
            os.dup2(91, 4)

        arguments = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
                     "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--disable-default-apps", "--hide-scrollbars", "--mute-audio", *further]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """Sends a command and returns its result; events that come meanwhile are kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.message(deadline - time.monotonic())
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def message(self, patience):
        """The next message; an event is kept as well. None when none comes in time."""
        deadline = time.monotonic() + patience
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            part = os.read(self.read, 1 << 20)
            if not part:
                raise EOFError("the browser ended")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def rest(self, seconds):
        """Takes in what the browser says for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.message(left)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression of the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, script, patience=PATIENCE):
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            value = self.run(script)
            if value:
                return value
            self.rest(0.1)
        raise TimeoutError(f"never true: {script}")

    def screen(self, width, height, scheme, scale=1, reduced=False):
        """Sets the size of the window and what the user prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}])

    def key(self, name, code=None, number=0, text=None):
        """Presses and releases one key."""
        event = {"key": name, "code": code or name, "windowsVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def picture(self, path):
        """Writes what the window shows as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def said(self, method):
        """The parameters of all events of one kind so far."""
        return [event["params"] for event in self.events if event["method"] == method]
