// The types of roundoff.js. Made by tools/describe.py from the rows of options; do not edit.
/** Pixels as ImageData has them: red, green, blue and alpha, 8 bits each. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** How a call runs: it can be stopped, and says how far it is (0 to 1). */
export interface Running {
  signal?: AbortSignal;
  onProgress?(phase: string, done: number): void;
}

export interface Result extends Pixels {
  milliseconds: number;
  toImageData(): ImageData;
}

export interface Halftone extends Result {
  /** Packed bits, the highest first, 1 being white; or a number for each pixel. */
  raw: Uint8Array;
  format: 'bits' | 'index8';
  /** How many levels the numbers have; null with a palette. */
  levels: number | null;
  /** Red, green and blue of each number; null without a palette. */
  palette: [number, number, number][] | null;
  /** The instruction set: "v128" or "scalar". */
  cpu: string;
}

export interface Denoised extends Result {
  /** The standard deviation of the noise that was found, of 255. */
  noise: number;
  sumBefore: number;
  sumAfter: number;
  /** The share of samples that look like impulse noise. */
  impulses: number;
}

export interface Figures {
  /** CIEDE2000 after the eye: its mean, and what 95 % of the pixels do not exceed. */
  deltaE: number;
  deltaE95: number;
  /** The eye's blur in pixels. */
  sigma: number;
  /** Mean light of the original and of the result, 0 to 1. */
  redIn: number;
  greenIn: number;
  blueIn: number;
  redOut: number;
  greenOut: number;
  blueOut: number;
}

export interface Method {
  name: string;
  family: string;
  summary: string;
}

export interface Palette {
  name: string;
  summary: string;
  colours: [number, number, number][];
}

/** The library refused a call, for the reason in its message. */
export class RoundoffError extends Error {}

export interface Roundoff {
  /** Rounds an image to a few levels or colours. */
  halftone(image: Pixels, options?: HalftoneOptions, running?: Running): Promise<Halftone>;
  /** Removes noise and keeps the sum. */
  denoise(image: Pixels, options?: DenoiseOptions, running?: Running): Promise<Denoised>;
  /** Compares a result with its original as an eye sees them. */
  measure(original: Pixels, result: Pixels,
    options?: { dpi?: number; distance?: number; palette?: string }, running?: Running): Promise<Figures>;
  /** Resizes an image as the command does; `light` mixes light instead of stored values. */
  resize(image: Pixels, width: number, height: number,
    running?: Running & { light?: boolean }): Promise<Result>;
  testcard(width: number, height: number, running?: Running): Promise<Result>;
  methods(): Promise<Method[]>;
  palettes(): Promise<Palette[]>;
  version(): Promise<string>;
  /** Ends the Workers. */
  close(): void;
}

/** Opens the library, by default with vectors where there are any. It is loaded when it is first used. */
export function open(options?: { simd?: boolean }): Roundoff;
export function hasSimd(): boolean;
declare const roundoff: Roundoff;
export default roundoff;

export interface HalftoneOptions {
  /** How to round; list shows the methods. Default: acuity up to 16 levels, else floyd-steinberg; am with lpi, screen with screen, fan with a palette of a panel. */
  method?: 'floyd-steinberg' | 'false-floyd-steinberg' | 'jarvis-judice-ninke' | 'stucki' | 'burkes'
    | 'sierra' | 'sierra-two-row' | 'sierra-lite' | 'atkinson' | 'fan' | 'shiau-fan' | 'shiau-fan-2'
    | 'stevenson-arce' | 'ostromoukhov' | 'zhou-fang' | 'acuity' | 'acuity-6' | 'acuity-4' | 'dot-
    diffusion' | 'dot-diffusion-optimised' | 'riemersma' | 'pinwheel' | 'bayer' | 'bayer2' |
    'bayer4' | 'bayer8' | 'bayer16' | 'clustered-dot' | 'blue-noise' | 'am' | 'green-noise' |
    'screen' | 'random' | 'threshold' | 'otsu' | 'dbs' | 'dbs-clipping-free' | 'search';
  /** Levels of the output. Default: 2. */
  levels?: number;
  /** How the CPU runs it, with the same bits. Default: auto. */
  schedule?: 'auto' | 'wave' | 'ed' | 'ec' | 'pwed' | 'pwec' | 'bwed' | 'bwec';
  /** Seed of random numbers. Default: 0. */
  seed?: number;
  /** Share of each error that is passed on. Default: 100. */
  strength?: number;
  /** Noise added to the threshold; 100% is half a step. Default: 0. */
  noise?: number;
  /** Where white begins between a level and the next. Default: 50. */
  threshold?: number;
  /** Odd rows run from right to left, all on one thread. */
  serpentine?: boolean;
  /** Match another program byte for byte. Default: none. */
  like?: 'pillow' | 'netpbm' | 'zimg' | 'paper';
  /** Swap black and white. */
  invert?: boolean;
  /** Lighter, or darker below 0. Default: 0. */
  brightness?: number;
  /** Steeper about middle grey, or flatter below 0. Default: 0. */
  contrast?: number;
  /** Raise tones to the power 1/G; above 1 is lighter. Default: 1. */
  gamma?: number;
  /** Take samples as sRGB and compute in linear light. */
  linear?: boolean;
  /** What 50% of ink prints as, minus 50%. Default: 0. */
  dotGain?: number;
  /** Rounds to these colours: a name, CSS colours, or "auto:16". */
  palette?: string | readonly string[];
  /** Fit the picture to what the palette can show. Default: auto. */
  fit?: 'auto' | 'none' | 'full';
  /** What colour becomes. Default: grey. */
  channels?: 'grey' | 'rgb' | 'cmyk' | 'inks';
  /** Share of grey that black ink replaces. Default: 100. */
  blackInk?: number;
  /** Ink at most, all inks together. Default: none. */
  inkLimit?: number;
  /** Cells per side of the screen. Default: by the method. */
  cell?: number;
  /** Lines of dots per inch. Default: an eighth of dpi. */
  lpi?: number;
  /** Angle of the rows of dots in degrees, counterclockwise. Default: 0. */
  angle?: number;
  /** Resolution in pixels per inch. Default: that of IN. */
  dpi?: number;
  /** Shape of dots. Default: round; euclidean with dot. */
  shape?: 'round' | 'ellipse' | 'square' | 'diamond' | 'line' | 'euclidean' | 'cross';
  /** Pixels of the smallest dot and hole. Default: 1; 4 with green noise. */
  dot?: number;
  /** Stop after N rounds. Default: when nothing changes. */
  rounds?: number;
  /** Viewing distance in millimetres. Default: 300 unless sigma is given. */
  distance?: number;
  /** A Gaussian eye of S pixels instead. Default: none; 1.2 with aim picture. */
  sigma?: number;
  /** What a search compares with the blurred halftone. Default: seen. */
  aim?: 'seen' | 'picture';
  /** Where a search begins: a method, random, or a file. Default: acuity. */
  start?: string;
  /** The samples that are black and white. Default: full; of a video by its header. */
  range?: 'full' | 'limited';
  /** How far a search goes. Default: best. */
  quality?: 'fast' | 'best';
  /** A search only exchanges pixels, so that each colour keeps its count. */
  swaps?: boolean;
}

export interface DenoiseOptions {
  /** How to smooth. Default: trained; anisotropic with an option that trained does not take. */
  model?: 'trained' | 'anisotropic' | 'edge-enhancing' | 'perona-malik' | 'linear';
  /** How a time step is computed. Default: explicit; implicit for u8 and s9. */
  scheme?: 'explicit' | 'implicit' | 'conjugate' | 'naive' | 'xpp24';
  /** The number system to work in. Default: by the bits of IN. */
  number?: 'u8' | 's9' | 's12' | 's16' | 's17' | 's24' | 's10e5' | 's16e7' | 's23e8' | 'u16' | 's8'
    | 'q15';
  /** How fluxes between pixels are rounded. Default: zero. */
  rounding?: 'zero' | 'nearest' | 'away' | 'down' | 'up' | 'nearest-up' | 'nearest-down' | 'nearest-
    even';
  /** How numbers become levels of an integer output. Default: sum. */
  round?: 'sum' | 'nearest';
  /** How the CPU runs it, with the same bits. Default: auto. */
  schedule?: 'auto' | 'reference' | 'passes' | 'stream';
  /** Time steps. Default: as stop says. */
  iterations?: number;
  /** Time steps in one pass over the image. Default: the fastest, at most 8. */
  stepsAtOnce?: number;
  /** The sample value of white. Default: the maxval, or the bits in use. */
  white?: number;
  /** Gradient of an edge in 1/255 per pixel. Default: half the noise. */
  kappa?: number;
  /** Smoothing of the gradient in pixels. Default: 0; 0.5 with xpp24. */
  sigma?: number;
  /** The time step. Default: the largest stable one. */
  timeStep?: number;
  /** Colour channels do not share the gradient. */
  independent?: boolean;
  /** Stop when no pixel changes. */
  untilConverged?: boolean;
  /** Seed of random numbers. Default: 0. */
  seed?: number;
  /** When to stop. Default: auto without kappa. */
  stop?: 'auto' | 'usual';
  /** Mend salt and pepper first, by medians. */
  impulse?: boolean;
  /** How diffusion falls with the gradient x, in units of kappa. Default: perona-malik. */
  diffusivity?: 'perona-malik' | 'exponential' | 'decay' | 'lines';
  /** Standard deviation of the noise in 1/255 of white. Default: estimated. */
  noiseLevel?: number;
  /** How many times the noise is removed. Default: 1. */
  strength?: number;
  /** Which filters are taken. Default: best. */
  quality?: 'fast' | 'best';
  /** Undo the bias of noise that was cut off, which changes the sum. */
  unclip?: boolean;
  /** How near to its solution a time step is solved, in numbers. Default: as 8 sweeps bring it. */
  tolerance?: number;
}
