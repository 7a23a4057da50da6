# SPDX-License-Identifier: MIT
"""Threads, interrupts, progress, exceptions, memory."""
import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import roundoff


def test_threads_are_independent(grey):
    pictures = [np.roll(grey, shift, axis=1) for shift in range(4)]
    expected = [roundoff.halftone(p) for p in pictures]
    wrong = []

    def work(number):
        for _ in range(50):
            if not np.array_equal(roundoff.halftone(pictures[number]), expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_lock_is_given_up():
    """Another thread counts while one computes."""
    slow = np.random.default_rng(1).integers(0, 256, (1000, 1000), np.uint8)
    counted, done = [0], threading.Event()

    def count():
        while not done.wait(0.001):
            counted[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    before = counted[0]
    roundoff.halftone(slow, method="dbs", threads=1)
    after = counted[0]
    done.set()
    counter.join()
    assert after - before >= 3


def test_any_number_of_threads_gives_the_same(grey):
    assert np.array_equal(roundoff.halftone(grey, threads=1), roundoff.halftone(grey, threads=3))
    assert np.array_equal(roundoff.halftone(grey, cpu="scalar"), roundoff.halftone(grey))


def test_progress_is_told_and_may_stop():
    big = np.random.default_rng(1).integers(0, 256, (600, 600), np.uint8)
    told = []
    roundoff.halftone(big, method="dbs", progress=lambda phase, done: told.append((phase, done)))
    assert told and all(0 <= done <= 1 for _, done in told)

    class Enough(Exception):
        pass

    def stop(phase, done):
        raise Enough

    with pytest.raises(Enough):
        roundoff.halftone(big, method="dbs", progress=stop)
    again = roundoff.halftone(big[:50, :50])  # the context is as good as new
    assert set(np.unique(again)) <= {0, 255}


def test_progress_true_writes_a_line(capfd):
    big = np.random.default_rng(1).integers(0, 256, (600, 600), np.uint8)
    roundoff.halftone(big, method="dbs", progress=True)
    assert "%" in capfd.readouterr().err


def test_a_call_within_progress_is_refused(grey):
    big = np.random.default_rng(1).integers(0, 256, (600, 600), np.uint8)
    with pytest.raises(roundoff.Error, match="in progress"):
        roundoff.halftone(big, method="dbs", progress=lambda p, d: roundoff.halftone(grey))


INTERRUPTED = """
import numpy as np, roundoff, sys
big = np.random.default_rng(1).integers(0, 256, (6000, 6000), np.uint8)
print("ready", flush=True)
try:
    roundoff.halftone(big, method="dbs", threads=1)
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_interrupt_cancels():
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE)
    child.stdout.readline()
    time.sleep(0.5)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 7
    assert time.monotonic() - start < 10


def test_fork_after_a_call(grey):
    expected = roundoff.halftone(grey)
    child = os.fork()
    if child == 0:
        same = np.array_equal(roundoff.halftone(grey), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


BAD = [
    (lambda g: roundoff.halftone(g, method="nonsense"), "nonsense"),
    (lambda g: roundoff.halftone(g, levels=1), "level"),
    (lambda g: roundoff.halftone(g.astype(np.complex64)), "complex64"),
    (lambda g: roundoff.halftone(g[0]), "shape"),
    (lambda g: roundoff.halftone(g[:0]), "empty"),
    (lambda g: roundoff.halftone(np.full((4, 4), np.nan, np.float32)), "."),
    (lambda g: roundoff.halftone(g, out=np.empty((3, 3), np.uint8)), "out"),
    (lambda g: roundoff.halftone(g, out=np.empty((83, 61), np.uint8).T), "out"),
    (lambda g: roundoff.halftone(g, out=g), "memory"),
    (lambda g: roundoff.halftone(g, seed=-1), "seed"),
    (lambda g: roundoff.halftone(g, threads=-1), "thread"),
    (lambda g: roundoff.halftone(g, device="tpu"), "tpu"),
    (lambda g: roundoff.halftone(g, palette=[(1, 2, 300)]), "palette"),
    (lambda g: roundoff.halftone(g, distance="close"), "distance close: must be a number"),
    (lambda g: roundoff.halftone(g, packed=True, levels=4), "."),
    (lambda g: roundoff.denoise(g, model="nonsense"), "nonsense"),
    (lambda g: roundoff.measure(g, g[1:]), "."),
    (lambda g: roundoff.register(np.stack([g, g]), np.stack([g, g, g])), "stack of 2"),
    (lambda g: roundoff.segment(g, [(1,)]), "seed"),
]


@pytest.mark.parametrize("call, text", BAD)
def test_bad_input_raises_one_sentence(grey, call, text):
    with pytest.raises(roundoff.Error, match=text) as raised:
        call(grey.copy())
    assert isinstance(raised.value, ValueError) and "\n" not in str(raised.value)


def test_read_only_out(grey):
    out = np.zeros_like(grey)
    out.flags.writeable = False
    with pytest.raises(roundoff.BadArgument, match="read-only"):
        roundoff.halftone(grey, out=out)
    assert not out.any()


@pytest.mark.parametrize("options", [{}, {"method": "bayer"}, {"method": "stucki", "serpentine": True},
                                     {"levels": 4}, {"palette": "red blue"}], ids=str)
def test_out_is_not_touched_by_what_is_refused_late(options):
    """A pixel at the end that is no number, or above maxval, after many rows were done."""
    def untouched(call, image, shape, dtype, **more):
        out = np.full(shape, 7, dtype)
        with pytest.raises(roundoff.BadArgument):
            call(image, out=out, **more)
        assert (out == 7).all()

    real = np.full((2, 300, 500), 0.5, np.float32)
    real[-1, -1, -1] = np.nan
    whole = np.full((300, 500), 200, np.uint8)
    whole[-1, -1] = 255
    tail = (3,) if "palette" in options else ()
    untouched(roundoff.halftone, real[1], real[1].shape + tail, np.uint8, **options)
    untouched(roundoff.halftone, real, real.shape + tail, np.uint8, **options)
    untouched(roundoff.halftone, whole, whole.shape + tail, np.uint8, maxval=200, **options)
    if not options:
        untouched(roundoff.denoise, real, real.shape, np.float32)
    real[-1, -1, -1] = 0.5
    out = np.empty(real.shape + tail, np.uint8)
    assert np.array_equal(roundoff.halftone(real, out=out, **options),
                          roundoff.halftone(real, **options))


def test_unknown_keywords(grey):
    for call in (roundoff.halftone, roundoff.denoise):
        with pytest.raises(TypeError, match="wibble"):
            call(grey, wibble=1)


def test_kinds_of_exceptions():
    assert issubclass(roundoff.BadArgument, (roundoff.Error, ValueError))
    assert issubclass(roundoff.OutOfMemory, MemoryError)
    assert issubclass(roundoff.SystemFailure, OSError)


def test_no_leaks():
    small = np.zeros((8, 8), np.uint8)

    def refused():
        with contextlib.suppress(ValueError):
            roundoff.halftone(small, method="no", threads=1)

    def many(count):
        for call, share in ((lambda: roundoff.halftone(small), 0.7),
                            (lambda: roundoff.halftone(small, levels=4, threads=1), 0.15),
                            (refused, 0.145),
                            (lambda: roundoff.halftone(small, palette="red blue", threads=1), 0.005)):
            for _ in range(int(share * count)):
                call()

    many(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    many(100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # kB
