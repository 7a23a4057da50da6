# SPDX-License-Identifier: MIT
"""Arrays in the memory of a CUDA device: with CuPy and PyTorch where there is one, else by a stub
that tells of memory nobody may touch."""
import ctypes

import numpy as np
import pytest

import roundoff

CUDA = any(device.kind == "cuda" for device in roundoff.devices())
ADDRESS = 4096


class Stub:
    def __init__(self, shape=(8, 8), typestr="|u1", **more):
        self.__cuda_array_interface__ = dict(shape=shape, typestr=typestr, data=(ADDRESS, False),
                                             version=3, **more)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("dims", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class DLPackStub:
    def __init__(self, shape=(8, 8), code=1, bits=8):
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.tensor = Tensor(ADDRESS, (2, 0), len(shape), code, bits, 1, self.shape, None, 0)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                       ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


@pytest.mark.parametrize("stub", [Stub, DLPackStub])
def test_what_cannot_be_done_is_told(stub):
    image, out = stub(), Stub()
    out.__cuda_array_interface__["data"] = (2 * ADDRESS, False)
    bad = [
        (lambda: roundoff.halftone(image, packed=True), "out: must be given"),
        (lambda: roundoff.halftone(image, out=out), "indices"),
        (lambda: roundoff.halftone(image, indices=True, out=np.empty((8, 8), np.uint8)), "device"),
        (lambda: roundoff.halftone(image, indices=True, out=Stub((8, 9))), "shape"),
        (lambda: roundoff.halftone(image, indices=True, out=image), "memory"),
        (lambda: roundoff.halftone(image, indices=True, out=out, device="cpu"), "device"),
        (lambda: roundoff.halftone(stub((8,)), indices=True, out=out), "shape"),
        (lambda: roundoff.halftone(stub((8, 8, 3)), indices=True, out=out), "grey"),
        (lambda: roundoff.denoise(image, kappa=2, out=out, return_figures=True), "figures"),
    ]
    for call, text in bad:
        with pytest.raises(roundoff.BadArgument, match=text):
            call()


def test_stubs_that_are_odd():
    out = Stub()
    out.__cuda_array_interface__["data"] = (2 * ADDRESS, True)
    with pytest.raises(roundoff.BadArgument, match="read-only"):
        roundoff.halftone(Stub(), indices=True, out=out)
    with pytest.raises(roundoff.BadArgument, match="gaps"):
        out.__cuda_array_interface__["data"] = (2 * ADDRESS, False)
        roundoff.halftone(Stub(strides=(16, 2)), indices=True, out=out)
    with pytest.raises(roundoff.BadArgument, match="<i4"):
        roundoff.halftone(Stub(typestr="<i4"), indices=True, out=out)
    with pytest.raises(roundoff.BadArgument, match="0 of 32"):
        roundoff.halftone(DLPackStub(code=0, bits=32), indices=True, out=out)
    for call in (roundoff.segment, lambda x: roundoff.measure(x, x)):
        with pytest.raises(roundoff.BadArgument, match="device"):
            call(Stub())


@pytest.mark.skipif(CUDA, reason="there is a device")
@pytest.mark.parametrize("stub", [Stub, DLPackStub])
def test_without_a_device_a_sentence_says_so(stub):
    out = Stub()
    out.__cuda_array_interface__["data"] = (2 * ADDRESS, False)
    with pytest.raises(roundoff.Error, match="(?i)cuda"):
        roundoff.halftone(stub(), indices=True, out=out)
    with pytest.raises(roundoff.Error, match="(?i)cuda"):
        roundoff.denoise(stub(), kappa=2.0, out=out)


def libraries():
    for name in ("cupy", "torch"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        to = module.asarray if name == "cupy" else lambda a, t=module: t.as_tensor(a, device="cuda")
        back = module.asnumpy if name == "cupy" else lambda a: a.cpu().numpy()
        yield pytest.param(to, back, id=name)


@pytest.mark.skipif(not CUDA, reason="there is no device")
@pytest.mark.parametrize("to, back", list(libraries()))
class TestOnADevice:
    @pytest.mark.parametrize("method", ["floyd-steinberg", "stucki", "bayer", "void-and-cluster"])
    def test_halftones(self, to, back, method):
        grey = np.random.default_rng(1).integers(0, 256, (300, 517), np.uint8)
        there = to(grey)
        for options in ({}, {"packed": True}, {"indices": True}, {"levels": 4, "indices": True}):
            result = roundoff.halftone(there, method, **options)
            assert type(result) is type(there)
            assert np.array_equal(back(result), roundoff.halftone(grey, method, device="cpu",
                                                                  **options))

    def test_stacks_parts_and_out(self, to, back):
        stack = np.random.default_rng(2).integers(0, 256, (3, 64, 128), np.uint8)
        there = to(stack)
        assert np.array_equal(back(roundoff.halftone(there, packed=True)),
                              roundoff.halftone(stack, packed=True))
        out = to(np.zeros((3, 64, 16), np.uint8))
        assert roundoff.halftone(there, packed=True, out=out) is out
        part = roundoff.halftone(there[1, 5:40, 3:77], packed=True)
        assert np.array_equal(back(part), roundoff.halftone(stack[1, 5:40, 3:77], packed=True))
        with pytest.raises(roundoff.BadArgument, match="gaps"):
            roundoff.halftone(there[0, :, ::2], packed=True)

    def test_denoise(self, to, back):
        grey = np.random.default_rng(3).integers(60, 200, (200, 300), np.uint8)
        options = dict(model="perona-malik", kappa=4.0, iterations=8)
        for array in (grey, (grey / 255).astype(np.float32), np.dstack([grey] * 3)):
            assert np.array_equal(back(roundoff.denoise(to(array), **options)),
                                  roundoff.denoise(array, **options))

    def test_dlpack_alone(self, to, back):
        class Only:
            def __init__(self, array):
                self.array = array

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

            def __dlpack__(self, stream=None):
                return self.array.__dlpack__(stream=stream)

        grey = np.random.default_rng(4).integers(0, 256, (100, 200), np.uint8)
        out = to(np.zeros((100, 25), np.uint8))
        roundoff.halftone(Only(to(grey)), packed=True, out=Only(out))
        assert np.array_equal(back(out), roundoff.halftone(grey, packed=True))
