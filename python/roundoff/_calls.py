# SPDX-License-Identifier: MIT
"""The functions that have the options of a command, and these."""
from . import _compare, _denoise, _figures, _halftone, _options, _register, _segment
from . import calibrate, hologram

CALLS = [
    (_halftone.halftone, _options.HALFTONE), (_halftone.screen, _halftone.SCREEN),
    (_denoise.denoise, _denoise.DENOISE), (_figures.measure, _figures.MEASURE),
    (_register.register, _register.REGISTER), (_register.warp, _register.WARP),
    (_segment.segment, _segment.SEGMENT), (_compare.compare, _compare.COMPARE),
    (hologram.make, hologram.MAKE), (hologram.quantize, hologram.QUANTIZE),
    (hologram.propagate, hologram.PROPAGATE), (hologram.reconstruct, hologram.RECONSTRUCT),
    (calibrate.wedge, calibrate.WEDGE), (calibrate.fit, calibrate.FIT),
]
