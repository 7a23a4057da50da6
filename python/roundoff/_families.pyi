# Made by tools/describe.py; do not edit.
from typing import Literal, Sequence, TypedDict, Union


class DenoiseOptions(TypedDict, total=False):
    model: Literal['anisotropic', 'edge-enhancing', 'perona-malik', 'exponential', 'linear']  # how to smooth
    scheme: Literal['explicit', 'implicit', 'conjugate', 'naive', 'xpp24']  # how a time step is computed
    number: Literal['u8', 's9', 's12', 's16', 's17', 's24', 's10e5', 's16e7', 's23e8', 'u16', 's8', 'q15']  # the number system to work in
    rounding: Literal['zero', 'nearest', 'away', 'down', 'up', 'nearest-up', 'nearest-down', 'nearest-even']  # how fluxes between pixels are rounded
    round: Literal['sum', 'nearest']  # how numbers become levels of an integer output
    schedule: Literal['auto', 'reference', 'passes', 'stream']  # how the CPU runs it, with the same bits
    iterations: int  # time steps
    steps_at_once: int  # time steps in one pass over the image
    white: Union[int, Literal['maxval']]  # the sample value of white
    kappa: float  # gradient of an edge in 1/255 per pixel
    sigma: float  # smoothing of the gradient in pixels
    time_step: float  # the time step, tau/h^2
    independent: bool  # colour channels do not share the gradient
    until_converged: bool  # stop when no pixel changes
    seed: int  # seed of the implicit schemes' dither
    stop: Literal['auto', 'usual']  # when to stop
    impulse: bool  # mend salt and pepper first, by medians
    diffusivity: Literal['perona-malik', 'exponential', 'decay', 'lines']  # how diffusion falls with the gradient x, in units of kappa
