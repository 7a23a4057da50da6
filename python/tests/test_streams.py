# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import roundoff


@pytest.mark.parametrize("options", [
    {}, {"method": "ostromoukhov", "levels": 2}, {"method": "bayer"}, {"packed": True},
    {"levels": 5, "indices": True}, {"serpentine": True}], ids=str)
@pytest.mark.parametrize("step", [1, 7, 61])
def test_a_stream_gives_the_same(grey, options, step):
    with roundoff.HalftoneStream(*grey.shape, **options) as stream:
        rows = [stream.push(grey[y:y + step]) for y in range(0, len(grey), step)]
    assert np.array_equal(np.concatenate(rows), roundoff.halftone(grey, **options))


def test_a_stream_of_colour(colour):
    options = dict(palette="spectra6")
    with roundoff.HalftoneStream(*colour.shape[:2], colour=True, **options) as stream:
        rows = [stream.push(colour[:20]), stream.push(colour[20:])]
    assert np.array_equal(np.concatenate(rows), roundoff.halftone(colour, **options))


def test_pieces_carry_their_errors(grey):
    carry, rows = None, []
    for first, last in ((0, 13), (13, 14), (14, 61)):
        with roundoff.HalftoneStream(*grey.shape, first_row=first, rows=last - first,
                                     carry=carry) as stream:
            rows.append(stream.push(grey[first:last]))
            carry = stream.carry() if last < 61 else None
    assert np.array_equal(np.concatenate(rows), roundoff.halftone(grey))


def test_bad_calls(grey):
    stream = roundoff.HalftoneStream(*grey.shape)
    with pytest.raises(roundoff.BadArgument, match="left"):
        stream.push(np.zeros((62, 83), np.uint8))
    with pytest.raises(roundoff.BadArgument, match="belong"):
        stream.push(np.zeros((2, 82), np.uint8))
    with pytest.raises(roundoff.BadArgument, match="still to be pushed"):
        stream.carry()
    stream.close()
    with pytest.raises(roundoff.BadArgument, match="closed"):
        stream.push(grey)
    with pytest.raises(roundoff.BadArgument):
        roundoff.HalftoneStream(*grey.shape, method="dbs")
    with pytest.raises(roundoff.BadArgument, match="carried"):
        roundoff.HalftoneStream(*grey.shape, first_row=3, carry=b"1234")
    with pytest.raises(roundoff.BadArgument, match="carry"):
        roundoff.HalftoneStream(*grey.shape, first_row=3).push(grey[3:])


@pytest.mark.parametrize("chunks", [(61, 83), (10, 83), (7, 20), ((1, 60), (80, 3))], ids=str)
@pytest.mark.parametrize("options", [{}, {"levels": 3}, {"packed": True}, {"method": "bayer"}], ids=str)
def test_dask_chunks_are_exact(grey, chunks, options):
    da = pytest.importorskip("dask.array")
    import roundoff.dask

    lazy = roundoff.dask.halftone(da.from_array(grey, chunks=chunks), **options)
    whole = roundoff.halftone(grey, **options)
    assert lazy.shape == whole.shape and lazy.dtype == whole.dtype
    assert np.array_equal(lazy.compute(), whole)


@pytest.mark.parametrize("chunks", [(50, 60), (7, 20), ((1, 121), (160, 6)), (122, 166)], ids=str)
@pytest.mark.parametrize("model", ["anisotropic", "perona-malik", "linear"])
def test_dask_denoise_is_exact(grey, model, chunks):
    da = pytest.importorskip("dask.array")
    import roundoff.dask

    image = (np.tile(grey, (2, 2)) / 255).astype(np.float32)
    options = dict(model=model, iterations=4, kappa=None if model == "linear" else 3)
    lazy = roundoff.dask.denoise(da.from_array(image, chunks=chunks), **options)
    whole = roundoff.denoise(image, **options)
    assert np.array_equal(lazy.compute(), whole)
    with pytest.raises(roundoff.BadArgument, match="float32"):
        roundoff.dask.denoise(da.from_array(grey), kappa=3)
