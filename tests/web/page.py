# SPDX-License-Identifier: MIT
"""page.py FOLDER ROUNDOFF [SCREENSHOTS]: the live page in headless Chromium, as a person uses it. What
it saves has the bytes that the command writes; once loaded, it needs no network."""
import base64
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../cli"), os.path.join(HERE, "../../web")]

from browser import Browser, missing  # noqa: E402
from serve import server  # noqa: E402

folder, roundoff = (os.path.abspath(path) for path in sys.argv[1:3])
shots = sys.argv[3] if len(sys.argv) > 3 else None
passed = 0


def check(condition, what):
    global passed
    assert condition, what
    passed += 1


def wait(browser, script, what, seconds=60):
    end = time.time() + seconds
    while not browser.run("return " + script):
        assert time.time() < end, f"waited in vain: {what}"
        time.sleep(0.05)


def idle(browser):
    wait(browser, "document.body.dataset.state === 'idle'", "the page is idle")


def set_field(browser, selector, value):
    browser.run("const f = document.querySelector(arguments[0]);"
                "if (f.type === 'radio' || f.type === 'checkbox') f.checked = arguments[1];"
                "else f.value = arguments[1];"
                "f.dispatchEvent(new Event('input', {bubbles: true}));"
                "f.dispatchEvent(new Event('change', {bubbles: true}))", selector, value)
    time.sleep(0.05)
    idle(browser)


def give_file(browser, path):
    """Drops a file on the page."""
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    browser.run("const b = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));"
                "const d = new DataTransfer(); d.items.add(new File([b], arguments[1]));"
                "dispatchEvent(new DragEvent('drop', {dataTransfer: d, cancelable: true}))",
                data, os.path.basename(path))
    wait(browser, f"document.querySelector('#file').textContent.startsWith({os.path.basename(path)!r})",
         "the file is taken")
    idle(browser)


def saved(browser, work, kind, name):
    browser.run("document.querySelector('#type').value = arguments[0]", kind)
    browser.click("#save")
    path = os.path.join(work, name)
    for _ in range(200):
        if os.path.exists(path) and not os.path.exists(path + ".crdownload"):
            break
        time.sleep(0.05)
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


def command(work, *words):
    subprocess.run([roundoff, *words, "--quiet"], check=True, cwd=work)
    with open(os.path.join(work, words[2]), "rb") as file:
        return file.read()


def shoot(browser, name):
    if shots:
        shot = browser.call("GET", browser.session + "/screenshot")
        with open(os.path.join(shots, name + ".png"), "wb") as file:
            file.write(base64.b64decode(shot))


def use(browser, address, work):
    card = os.path.join(work, "card.png")
    subprocess.run([roundoff, "testcard", card, "--size", "320x201", "--quiet"], check=True)
    browser.open(address)
    idle(browser)
    shoot(browser, "start")
    check("ΔE" in browser.run("return document.querySelector('#status').textContent"), "figures are shown")

    set_field(browser, "[name=task][value=denoise]", True)
    said = browser.run("return document.querySelector('#status').textContent")
    check(" · sum " in said, said)
    shoot(browser, "denoise")
    set_field(browser, "[name=task][value=halftone]", True)

    browser.disconnect()  # all that follows needs no network

    give_file(browser, card)
    check(saved(browser, work, "netpbm", "card-halftone.pbm") ==
          command(work, "halftone", "card.png", "o.pbm"), "the default is the command's")
    set_field(browser, "[name=kind][value=palette]", True)
    set_field(browser, "[name=palette][value=spectra6-panel]", True)
    shoot(browser, "palette")
    check(saved(browser, work, "netpbm", "card-halftone.ppm") ==
          command(work, "halftone", "card.png", "o.ppm", "--palette", "spectra6-panel"),
          "a panel's palette is the command's")
    said = browser.run("return document.querySelector('#code').textContent")
    check(said == "roundoff halftone card.png card-halftone.png --palette spectra6-panel", said)
    set_field(browser, "[name=width]", "160")
    check(saved(browser, work, "netpbm", "card-halftone.ppm") ==
          command(work, "halftone", "card.png", "o.ppm", "--palette", "spectra6-panel", "--resize", "160x"),
          "resizing is the command's")
    check("palette=spectra6-panel" in browser.run("return location.hash"), "the link has the settings")
    browser.click("#undo")
    idle(browser)
    check(browser.run("return document.querySelector('[name=width]').value") == "", "undo")
    browser.click("#keep")
    set_field(browser, "[name=kind][value=two]", True)
    wait(browser, "document.querySelector('#divider').hidden", "results lie side by side")
    shoot(browser, "side-by-side")
    for _ in range(2):
        browser.click("#keep")
    browser.click("#keep")
    wait(browser, "!document.querySelector('#divider').hidden", "results are forgotten")
    array = saved(browser, work, "c", "card-halftone.h").decode()
    check("card_halftone_width = 320" in array and array.count("0x") == 40 * 201, "a C array")
    check(len(saved(browser, work, "bits", "card-halftone.bin")) == 40 * 201, "packed bits")
    check(saved(browser, work, "bmp", "card-halftone.bmp")[:2] == b"BM", "a BMP")

    bad = os.path.join(work, "<img src=x onerror=alert(1)>.png")
    with open(bad, "wb") as file:
        file.write(b"no image")
    browser.run("const d = new DataTransfer(); d.items.add(new File(['no image'], arguments[0]));"
                "dispatchEvent(new DragEvent('drop', {dataTransfer: d, cancelable: true}))",
                os.path.basename(bad))
    wait(browser, "document.querySelector('#status').className === 'bad'", "a bad file is refused")
    check(browser.run("return document.querySelector('#status').textContent").startswith("<img src=x"),
          "a file's name is text")
    check(browser.run("return document.querySelectorAll('img[src=x]').length") == 0, "and nothing else")

    browser.resize(390, 844)
    time.sleep(0.3)
    check(browser.run("return document.documentElement.scrollWidth <= innerWidth"),
          "a phone's page is not wider than the phone")
    shoot(browser, "phone")
    check(browser.errors() == [], "no errors in the console")


def main():
    why = missing()
    if why:
        print(f"web/page: {why}: left out")
        return
    with tempfile.TemporaryDirectory() as work, server(folder) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        browser = Browser(1280, 800, online=True, downloads=work)
        try:
            use(browser, f"http://127.0.0.1:{serving.server_port}/", work)
        finally:
            browser.close()
            serving.shutdown()
    print(f"{passed} passed, 0 failed")


main()
