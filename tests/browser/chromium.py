"""Drives a headless Chromium through its DevTools protocol, over a pair of pipes. It needs the standard library
only."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium():
    """Returns the path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """One page in one browser. `events` keeps the events that arrive, as (method, parameters)."""

    def __init__(self, program, width=1280, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="beatscan-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def give_pipes():  # the browser reads from descriptor 3 and writes to 4
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        flags = ["headless", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"]
        flags += ["force-color-profile=srgb", "remote-debugging-pipe", f"user-data-dir={self.profile}"]
        self.process = subprocess.Popen(
            [program, *("--" + flag for flag in flags), "about:blank"],
            preexec_fn=give_pipes,
            close_fds=False,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.events, self.buffer, self.number, self.session = [], b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # its children too, which would make the profile again
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, method, timeout=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            answer = self._next(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append((answer.get("method"), answer.get("params", {})))

    def wait_for(self, method, timeout=60):
        """Waits until an event has come, and returns its parameters."""
        end = time.monotonic() + timeout
        while True:
            for name, parameters in self.events:
                if name == method:
                    return parameters
            answer = self._next(end)
            self.events.append((answer.get("method"), answer.get("params", {})))

    def _next(self, end):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def run(self, expression):
        """Returns the value of a JavaScript expression. A promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "exception"))
        return result["result"].get("value")

    def until(self, condition, timeout=20):
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + timeout
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {timeout} s: {condition}")
            time.sleep(0.02)

    def screenshot(self, path, full=False):
        options = {"format": "png", "captureBeyondViewport": full}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        self._save(path, self.call("Page.captureScreenshot", **options))

    def pdf(self, path):
        self._save(path, self.call("Page.printToPDF", preferCSSPageSize=True))

    @staticmethod
    def _save(path, answer):
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
