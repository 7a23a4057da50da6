# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through chromedriver's own protocol: open, click, drag, look."""
import base64
import json
import shutil
import struct
import subprocess
import time
import urllib.error
import urllib.request
import zlib

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
DRIVER = shutil.which("chromedriver")


def missing():
    """Why there is no browser; None when there is one."""
    if not CHROMIUM:
        return "chromium is not installed"
    if not DRIVER:
        return "chromedriver is not installed (Debian: chromium-driver)"
    return None


class Browser:
    """`downloads` is a folder for what pages save. Without `online` no page reaches a network."""

    def __init__(self, width, height, online=False, downloads=None):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = None
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for line in self.driver.stdout:
            if "successfully on port " in line:
                self.base = "http://127.0.0.1:" + line.split("successfully on port ")[1].split(".")[0].strip()
                break
        try:  # a driver must not outlive a session that did not begin
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--force-device-scale-factor=1", "--no-first-run"]
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = "/session/" + made["sessionId"]
            self.resize(width, height)
            self.cdp("Network.enable")
            if not online:
                self.disconnect()
            if downloads:
                self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
        except BaseException:
            self.close()
            raise

    def disconnect(self):
        self.cdp("Network.emulateNetworkConditions", offline=True, latency=0,
                 downloadThroughput=0, uploadThroughput=0)

    def resize(self, width, height):
        """Windows are no narrower than 500 pixels, phones are."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 500)

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(20)
            self.driver.stdout.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with self.opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:600]) from None

    def cdp(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute",
                         {"cmd": command, "params": parameters})

    def open(self, path):
        url = path if "://" in path else "file://" + path
        self.call("POST", self.session + "/url", {"url": url})
        for _ in range(200):
            if self.run("return document.readyState === 'complete' && "
                        "[...document.images].every(i => i.complete)"):
                return
            time.sleep(0.05)
        raise AssertionError("the page does not finish")

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync",
                         {"script": script, "args": list(arguments)})

    def find(self, selector):
        found = self.call("POST", self.session + "/element",
                          {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.call("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def choose(self, selector, value):
        """What a person does with a list: its value changes, and the page hears of it."""
        self.run("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                 "s.dispatchEvent(new Event('change'))", selector, value)

    def box(self, selector):
        return self.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.left, b.top, b.width, b.height]", selector)

    def drag(self, selector, dx, dy):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        left, top, width, height = self.box(selector)
        x, y = int(left + width / 2), int(top + height / 2)
        steps = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                 {"type": "pointerMove", "x": x + dx, "y": y + dy, "duration": 50},
                 {"type": "pointerUp", "button": 0}]
        self.call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": steps}]})

    def look(self, selector):
        """The pixels of an element as rows of (r, g, b)."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        shot = self.call("GET", f"{self.session}/element/{self.find(selector)}/screenshot")
        return read_png(base64.b64decode(shot))

    def errors(self):
        log = self.call("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]


def read_png(data):
    """Rows of (r, g, b); screenshots have 8 bits, 3 or 4 channels and no interlacing."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    size = {2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), width * size
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        row, how = bytearray(raw[start + 1:start + 1 + stride]), raw[start]
        for i in range(stride):
            a = row[i - size] if i >= size else 0
            b, c = above[i], above[i - size] if i >= size else 0
            if how == 1:
                row[i] = (row[i] + a) & 255
            elif how == 2:
                row[i] = (row[i] + b) & 255
            elif how == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif how == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
                row[i] = (row[i] + near[2]) & 255
        rows.append([tuple(row[x:x + 3]) for x in range(0, stride, size)])
        above = row
    return rows
