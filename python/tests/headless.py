"""A headless Chromium, asked by its DevTools protocol over pipes: JSON texts that end in zero bytes."""

import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Opens pages and evaluates JavaScript in them; for `with`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="condens-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        arguments += ["--remote-debugging-pipe"]
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'  # the browser reads descriptor 3 and writes 4
        command = ["chromium", *arguments, f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.ids = itertools.count(1)
        self.rest = b""
        self.session = None
        self.requests = []  # of pages, beside their own files
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Network.enable")
        self.ask("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.session = None
            self.ask("Browser.close")
        os.close(self.write_end)
        os.close(self.read_end)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _next_message(self):
        while b"\0" not in self.rest:
            block = os.read(self.read_end, 1 << 16)
            assert block, "the browser has ended"
            self.rest += block
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        """The answer to a command of the protocol."""
        message = {"id": next(self.ids), "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("method") == "Network.requestWillBeSent":
                url = answer["params"]["request"]["url"]
                self.requests += [] if url.startswith("data:") else [url]
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer
                return answer["result"]

    def evaluate(self, expression):
        """The value of an expression, or what its promise comes to."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, path, fragment=""):
        """Opens a file, and waits until it says that it is ready."""
        self.ask("Page.navigate", url="about:blank")  # so that another fragment opens the page anew
        self.requests.clear()
        self.ask("Page.navigate", url=f"{path.as_uri()}{fragment}")
        self.evaluate("""new Promise((done, failed) => {
          setTimeout(() => failed(new Error("the page is not ready after a minute")), 60000);
          const look = () => (document.body?.dataset.ready ? requestAnimationFrame(done) : setTimeout(look, 10));
          look();
        }).then(() => true)""")

    def picture(self, path, width, height, dark=False):
        """Writes what a window of this size shows, PNG."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.evaluate("new Promise((done) => setTimeout(done, 200)).then(() => true)")
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
