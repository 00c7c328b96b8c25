"""A small client of WebDriver for Chromium: starts chromedriver, and keeps the console and the network of each page."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# Tools and the packages of Debian that have them.
BROWSER = {"chromium": "chromium", "chromedriver": "chromium-driver"}
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


class Browser:
    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.base = f"http://127.0.0.1:{self.port}"
        for _ in range(100):
            try:
                self.ask("GET", "/status")
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        options = {"args": [*ARGUMENTS, f"--user-data-dir={self.profile}"]}
        logs = {"browser": "ALL", "performance": "ALL"}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logs}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + session["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        except (urllib.error.URLError, ConnectionError):
            pass
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        # Not through a proxy: this is a program on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=10):
        """Waits until the script returns something true."""
        end = time.monotonic() + seconds
        while not (found := self.run(script)):
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for: {script}")
            time.sleep(0.05)
        return found

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def dark(self, is_dark):
        """What the system prefers."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.command("Emulation.setEmulatedMedia", features=scheme)

    def screenshot(self):
        import base64

        return base64.b64decode(self.ask("GET", "/screenshot"))
