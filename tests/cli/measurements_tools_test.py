# SPDX-License-Identifier: MIT
"""Measurements as NumPy, tifffile and nibabel write and read them; whichever of them is there."""
import os
import sys
import unittest

from command import Case, supports

try:
    import numpy
except ImportError:
    sys.exit(77)
try:
    import tifffile
except ImportError:
    tifffile = None
try:
    import nibabel
except ImportError:
    nibabel = None
try:
    import h5py
except ImportError:
    h5py = None


def stack(kind):
    y, x = numpy.mgrid[0:30, 0:40]
    pages = numpy.stack([x * 10 + y * 4 + 9 * k + (x * 7919 + y * 104729) % 37 for k in range(6)])
    if kind[0] == "f":
        return (pages / 700).astype(kind)
    return (pages // 8 - 20 if kind in ("i1", "u1") else pages - 20 * (kind[0] == "i")).astype(kind)


class Tools(Case):
    def denoise(self, source, target, *more):
        return self.works("denoise", source, target, "--quiet", *more)

    def like(self, got, given):
        """The same shape and type, and the sum within what floats lose."""
        self.assertEqual((got.shape, got.dtype.kind, got.dtype.itemsize),
                         (given.shape, given.dtype.kind, given.dtype.itemsize))
        difference = got.astype("f8").sum() - given.astype("f8").sum()
        self.assertLess(abs(difference), 0.5 if given.dtype.kind == "f" else 1e-9, given.dtype)
        self.assertLess(numpy.abs(got.astype("f8") - given.astype("f8")).std(),
                        numpy.std(given.astype("f8")) / 4)

    def test_numpy(self):
        for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"):
            for order in "<>":
                given = stack(kind).astype(order + kind)
                for shape in ((6, 30, 40), (2, 3, 30, 40), (3, 1, 2, 30, 40))[:3 if kind == "i2" else 1]:
                    numpy.save(self.path("a.npy"), given.reshape(shape))
                    self.denoise("a.npy", "b.npy")
                    got = numpy.load(self.path("b.npy"))
                    self.like(got, given.reshape(shape))
                numpy.save(self.path("a.npy"), numpy.asfortranarray(given))
                self.denoise("a.npy", "c.npy")
                self.assertTrue((numpy.load(self.path("c.npy")).ravel() == got.ravel()).all())
        numpy.savez_compressed(self.path("a.npz"), one=given, two=given[0])
        self.denoise("a.npz:two", "b.npy")
        self.assertEqual(numpy.load(self.path("b.npy")).shape, (30, 40))

    def test_truth(self):
        """Two values are bool where the file has it, however they came about."""
        mask = stack("u2") % 3 == 0
        numpy.save(self.path("mask.npy"), mask)
        numpy.save(self.path("grey.npy"), stack("u1"))
        for given in ("mask.npy", "grey.npy"):
            self.works("halftone", given, "b.npy", "--quiet")
            got = numpy.load(self.path("b.npy"))
            self.assertEqual((got.dtype, got.shape), (mask.dtype, mask.shape))
        self.works("halftone", "mask.npy", "b.npy", "--method", "threshold", "--quiet")
        self.assertTrue((numpy.load(self.path("b.npy")) == mask).all())
        self.works("halftone", "mask.npy", "b.npz:m", "--method", "threshold", "--quiet")
        self.assertTrue((numpy.load(self.path("b.npz"))["m"] == mask).all())
        self.assertEqual(numpy.load(self.path("b.npz"))["m"].dtype, mask.dtype)
        self.works("halftone", "grey.npy", "l.npy", "--levels", "3", "--quiet")
        self.assertEqual(numpy.load(self.path("l.npy")).dtype, numpy.uint8)
        self.works("denoise", "mask.npy", "d.npy", "--quiet")
        self.assertEqual(numpy.load(self.path("d.npy")).dtype, numpy.uint8)
        self.works("segment", "grey.npy", "s.npy", "--at", "20,15", "--page", "1", "--quiet")
        self.assertEqual(numpy.load(self.path("s.npy")).dtype, bool)
        if h5py:
            self.works("halftone", "mask.npy", "b.h5:/m/t", "--method", "threshold", "--quiet")
            with h5py.File(self.path("b.h5")) as file:
                self.assertEqual(file["m/t"].dtype, mask.dtype)
                self.assertTrue((file["m/t"][:] == mask).all())

    @unittest.skipUnless(tifffile and supports("tif"), "no tifffile")
    def test_tifffile(self):
        for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8"):
            given = stack(kind)
            ways = ({}, {"bigtiff": True}, {"byteorder": ">"}, {"tile": (16, 16)},
                    {"rowsperstrip": 7})
            for how in ways if kind == "i2" else ways[2:3]:
                tifffile.imwrite(self.path("a.tif"), given, **how)
                self.denoise("a.tif", "b.tif")
                got = tifffile.imread(self.path("b.tif"))
                self.like(got, given)
            numpy.save(self.path("a.npy"), given)
            self.denoise("a.npy", "b.npy")
            self.assertTrue((numpy.load(self.path("b.npy")) == got).all())

    @unittest.skipUnless(tifffile and supports("tif"), "no tifffile")
    def test_imagej_and_ome(self):
        given = stack("u2")
        tifffile.imwrite(self.path("a.tif"), given.reshape(3, 2, 30, 40), imagej=True,
                         resolution=(4, 5),
                         metadata={"unit": "um", "axes": "TZYX", "spacing": 2.5, "finterval": 3.0})
        done = self.works("denoise", "a.tif", "b.tif")
        self.assertNotIn(b"description", done.stderr)
        with tifffile.TiffFile(self.path("a.tif")) as a, tifffile.TiffFile(self.path("b.tif")) as b:
            self.assertEqual(a.imagej_metadata, b.imagej_metadata)
            self.assertEqual(b.series[0].axes, "TZYX")
            for tag in "XResolution", "YResolution", "ResolutionUnit":
                self.assertEqual(a.pages[0].tags[tag].value, b.pages[0].tags[tag].value)
        done = self.works("denoise", "a.tif", "b.tif", "--page", "2-4")
        self.assertRegex(done.stderr, b"dropped .*its description")
        with tifffile.TiffFile(self.path("b.tif")) as b:
            self.assertEqual(b.series[0].shape, (3, 30, 40))
            self.assertEqual(b.imagej_metadata["spacing"], 2.5)
        tifffile.imwrite(self.path("a.ome.tif"), given.reshape(3, 2, 30, 40),
                         metadata={"axes": "TCYX", "PhysicalSizeX": 0.25})
        self.works("denoise", "a.ome.tif", "b.ome.tif")
        with tifffile.TiffFile(self.path("b.ome.tif")) as b:
            self.assertTrue(b.is_ome)
            self.assertEqual((b.series[0].axes, b.series[0].shape), ("TCYX", (3, 2, 30, 40)))
            self.assertIn('PhysicalSizeX="0.25"', b.ome_metadata)
        # A type that OME's description does not state: it is left out, and said.
        done = self.works("denoise", "a.ome.tif", "b.ome.tif", "--float")
        self.assertRegex(done.stderr, b"dropped .*its description")

    @unittest.skipUnless(tifffile and supports("tif"), "no tifffile")
    def test_pages_behind_one_another(self):
        """ImageJ's stacks above 4 GB have one directory; here a small one of that kind."""
        given = stack("u2")
        tifffile.imwrite(self.path("a.tif"), given[0],
                         description="ImageJ=1.53t\nimages=6\nslices=6\n", metadata=None)
        with tifffile.TiffFile(self.path("a.tif")) as a:
            offset = a.pages[0].dataoffsets[0]
        data = self.get("a.tif")
        self.assertEqual(len(data), offset + given[0].nbytes)
        self.put("a.tif", data + given[1:].tobytes())
        self.denoise("a.tif", "b.npy")
        numpy.save(self.path("c.npy"), given)
        self.denoise("c.npy", "d.npy")
        self.assertEqual(self.get("b.npy"), self.get("d.npy"))
        self.put("a.tif", self.get("a.tif")[:-1])
        self.refused("denoise", "a.tif", "x.npy", words=["ends early", "6 pages"])

    def test_hdf5(self):
        if not h5py:
            self.skipTest("no h5py")
        given = stack("i2")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("scan/raw", data=given, chunks=(1, 10, 40), compression="gzip")
            file["flat"] = given[0].astype(">f8") / 500
            file["complex"] = given[0].astype("c8")
            file["four"] = given.reshape(2, 3, 30, 40)
        with h5py.File(self.path("a.mat"), "w", userblock_size=512) as file:
            file["A"] = given.transpose(0, 2, 1)
            file["A"].attrs["MATLAB_class"] = numpy.bytes_("int16")
        with open(self.path("a.mat"), "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124))
        if b"was not found" in self.command("denoise", "a.mat", "x.npy").stderr:
            self.skipTest("no libhdf5")
        numpy.save(self.path("a.npy"), given)
        self.denoise("a.npy", "wanted.npy")
        for name in "a.h5:/scan/raw", "a.h5:scan/raw", "a.mat", "a.mat:A":
            self.denoise(name, "b.npy")
            self.assertEqual(self.get("b.npy"), self.get("wanted.npy"), name)
        self.denoise("a.h5:four", "b.npy")
        self.assertEqual(numpy.load(self.path("b.npy")).shape, (2, 3, 30, 40))
        self.denoise("a.h5:flat", "b.npy")
        self.assertEqual(numpy.load(self.path("b.npy")).dtype, "f8")
        with h5py.File(self.path("half.h5"), "w") as file:
            file["little"], file["big"] = stack("f2"), stack("f2").astype(">f2")
            file["big"].attrs["pixel size"] = 0.65
            file["big"].attrs["unit"] = "um"
        numpy.save(self.path("half.npy"), stack("f2"))
        self.denoise("half.npy", "half-wanted.npy")
        for name in "little", "big":
            said = self.works("denoise", "half.h5:" + name, "b.npy").stderr
            self.assertEqual(self.get("b.npy"), self.get("half-wanted.npy"), name)
            self.assertEqual(b"dropped 2 attributes" in said, name == "big", said)
        self.works("halftone", "a.h5:/scan/raw", "b.npy", "--page", "2-3", "--quiet")
        self.assertEqual(numpy.load(self.path("b.npy")).shape, (2, 30, 40))
        there = "/complex, /flat, /four, /scan/raw"
        self.refused("denoise", "a.h5", "x.npy", words=["several", there])
        self.refused("denoise", "a.h5:/nope", "x.npy", words=["no dataset /nope", there])
        self.refused("denoise", "a.h5:complex", "x.npy", words=["complex"])
        self.refused("denoise", "a.npy", "x.mat", words=["not written"])
        self.put("old.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(128))
        self.refused("denoise", "old.mat", "x.npy", words=["version 5", "-v7.3"])
        self.put("cut.h5", self.get("a.h5")[:-700])
        self.refused("denoise", "cut.h5:four", "x.npy", words=["HDF5"])

    def test_archives(self):
        """Written as h5py and NumPy read them, with what an NPY file would hold."""
        for kind in ("u1", "u2", "i2", "i4", "f2", "f4", "f8"):
            for shape in ((6, 30, 40), (2, 3, 30, 40), (30, 40), (30, 40, 3)):
                given = stack(kind)[:1 if shape[0] == 30 else 6]
                given = (numpy.stack([given[0]] * 3, 2) if shape[-1] == 3 else given).reshape(shape)
                numpy.save(self.path("a.npy"), given)
                self.denoise("a.npy", "wanted.npy", "--kappa", "9", "--iterations", "1")
                wanted = numpy.load(self.path("wanted.npy"))
                for name in "b.npz", "c.npz:pic", "b.h5", "c.h5:/scan/1/raw":
                    if ".h5" in name and not h5py:
                        continue
                    self.denoise("a.npy", name, "--kappa", "9", "--iterations", "1")
                    member = name.partition(":")[2]
                    if ".h5" in name:
                        with h5py.File(self.path(name.partition(":")[0])) as file:
                            got = file[member or "data"][...]
                    else:
                        got = numpy.load(self.path(name.partition(":")[0]))[member or "arr_0"]
                    self.assertEqual((got.dtype, got.shape), (wanted.dtype, wanted.shape), name)
                    self.assertTrue((got == wanted).all(), (kind, shape, name))
        self.denoise("c.npz:pic", "c.npy", "--kappa", "9", "--iterations", "1")
        for name in "x.h5:/", "x.h5:a//b", "x.h5:" + 201 * "n", "x.npz:" + 201 * "n", "x.npz.gz":
            self.refused("denoise", "a.npy", name, words=[])

    @unittest.skipUnless(nibabel, "no nibabel")
    def test_nibabel(self):
        for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"):
            given = stack(kind)
            volume = nibabel.Nifti1Image(given.transpose(2, 1, 0), numpy.diag([0.5, 0.7, 2, 1]),
                                         dtype=given.dtype)
            volume.header["descrip"] = b"a scan"
            for name in "a.nii", "a.nii.gz":
                nibabel.save(volume, self.path(name))
                self.denoise(name, "b" + name)
                got = nibabel.load(self.path("b" + name))
                self.like(numpy.asarray(got.dataobj).transpose(2, 1, 0), given)
                self.assertTrue(numpy.allclose(got.affine, volume.affine))
                self.assertEqual(got.header["descrip"], b"a scan")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main()
