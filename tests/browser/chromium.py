"""Drives a headless Chromium through its DevTools protocol, over a pair of pipes. It needs the standard library
only."""

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
    """A browser. Its pages share the process, but neither storage nor settings."""

    def __init__(self, program):
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
        self.buffer, self.number, self.pages = b"", 0, {}

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # its children too, which would make the profile again
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, timeout=60, **parameters):
        """Calls a method of the browser, or of the page that the session is with, and returns the answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            answer = self.next(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def next(self, end):
        """Returns the next message. An event is added to those of its page."""
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message and message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].events.append((message["method"], message["params"]))
        return message


class Page:
    """A page of a browser. `events` keeps the events that arrive, as (method, parameters)."""

    def __init__(self, browser, width=1280, height=900, dark=False):
        self.browser, self.events = browser, []
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        del self.browser.pages[self.session]
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def wait_for(self, method, timeout=60):
        """Waits until an event has come."""
        end = time.monotonic() + timeout
        while all(name != method for name, _ in self.events):
            self.browser.next(end)

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
