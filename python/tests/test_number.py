# SPDX-License-Identifier: MIT
"""Products with random symmetric matrices keep the sum in every number system."""
import numpy as np
import pytest

import roundoff
from roundoff import _core

RNG = np.random.default_rng(3)


def drawn(rows):
    """A symmetric matrix of few entries whose rows sum to 1, dense and as compressed rows."""
    dense = np.zeros((rows, rows))
    for i, j in RNG.integers(0, rows, (3 * rows, 2)):
        if i != j:
            dense[i, j] = dense[j, i] = RNG.integers(1, 4096) / 65536
    dense += np.diag(1 - dense.sum(1))
    starts = np.concatenate(([0], np.cumsum((dense != 0).sum(1))))
    return dense, (starts, np.nonzero(dense)[1], dense[dense != 0])


@pytest.mark.parametrize("name, least, most, one, step", _core.numbers())
@pytest.mark.parametrize("rounding", ("zero", "nearest", "away", "nearest-even"))
def test_sums_are_kept(name, least, most, one, step, rounding):
    dense, matrix = drawn(50)
    third = (most - least) // 3
    values = least + step * (RNG.integers(third, 2 * third, 50) // step)
    product = roundoff.mass_product(values, matrix, number=name, rounding=rounding)
    assert product.saturated == 0 and product.defect == 0
    assert product.sum == product.values.sum() == values.sum()
    assert np.abs(product.values - dense @ values).max() <= step * 14
    picture = values[:48].reshape(6, 8)
    kernel = np.array([[.01, .1, .05], [.1, 0, .1], [.05, .1, .01]])
    blurred = roundoff.mass_product(picture, kernel, number=name, rounding=rounding)
    assert blurred.values.shape == (6, 8) and blurred.values.sum() == picture.sum()
    assert blurred.values.max() <= picture.max() and blurred.values.min() >= picture.min()


def test_scales_and_floats():
    dense, matrix = drawn(200)
    values = .3 + .002 * RNG.random(200)
    plain = roundoff.mass_product(values, matrix, number="s12")
    finer = roundoff.mass_product(values, matrix, number="s12", scales=np.full(200, 16))
    halves = roundoff.mass_product(values, matrix, number="s12", scale=-2)
    start = np.rint(values * 2048) / 2048
    assert plain.values.sum() == halves.values.sum() == start.sum()
    error = [np.abs(p.values - dense @ start).mean() for p in (plain, finer)]
    assert error[1] <= error[0]
    assert roundoff.mass_product(values, matrix, number="s12", natural=True).defect < -100


def test_refused():
    dense, (starts, columns, weights) = drawn(5)
    for values, matrix, more in (
            (np.zeros(4, int), (starts, columns, weights), {}),
            (np.zeros(5, int), (starts, columns, weights), {"number": "s23e8"}),
            (np.full(5, 999), (starts, columns, weights), {"number": "s8"}),
            (np.zeros(5, int), (starts, columns, weights), {"rounding": "odd"}),
            (np.zeros(5, int), (starts, columns, weights), {"scale": 1 << 20}),
            (np.zeros((3, 3), int), np.array([[0, .1, .2]]), {}),
            (np.zeros((3, 3), int), np.ones((2, 2)), {})):
        with pytest.raises(roundoff.BadArgument):
            roundoff.mass_product(values, matrix, **more)
