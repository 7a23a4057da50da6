#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks kernels, one line at a time, and looks whether the emulator notices.

    tests/simt/mutate.py BUILD [NAME...]

BUILD is a folder built with -DRO_WITH_CUDA=EMULATED. Each change is compiled and linked with the
objects there, then the cases that use the code run without a seed, with some seeds and, if that finds
nothing, under the thread sanitizer. A change counts as caught if a case fails or a race is reported;
the unchanged sources must pass in the same modes. The status is 1 if a change was not caught.
"""
import glob
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEEDS = ('0', '1', '2', '3')
SECONDS = 120 # a hang is caught, too

# name, file, text before, the text that goes, what comes instead, source to compile, cases
MUTATIONS = [
    ('blockwise-syncwarp', 'blockwise.cu', '+= 7 * e;\n        ', '__syncwarp();', '',
     'blockwise.cu', 'diffusion/floyd-steinberg/bwed'),
    ('blockwise-syncwarp-tile', 'blockwise.cu', 'r.carry = kept.w;\n    }\n    ', '__syncwarp();',
     '', 'blockwise.cu', 'diffusion/floyd-steinberg/bwec'),
    ('blockwise-bound', 'blockwise.cu', 'if (c < SIDE + LEFT)', '', '\n            ',
     'blockwise.cu', 'diffusion/floyd-steinberg/bwec'),
    ('levelset-syncthreads', 'levelset_lanes.cuh', '', '__syncthreads();', '', 'levelset.cu',
     'segment/u8-*'),
    ('levelset-bound', 'levelset_lanes.cuh', 'for (int i = 0; i < 4 && x + i ', '<', '<=',
     'levelset.cu', 'segment/u8-*'),
    ('wave-copy-group', 'wave_steps.cuh', 'ahead / granules_a_chunk', '', ' + 1',
     'wave_numbers.cu', 'diffusion/burkes/wave'),
    ('wave-syncwarp-ring', 'wave_steps.cuh', 'bits_before = bits;\n        ', '__syncwarp();', '',
     'wave_numbers.cu', 'diffusion/burkes/wave'),
    ('hologram-tags', 'diffuse_line.cuh', 'band % ', '3', '1', 'diffuse.cu', 'hologram/*'),
    ('bands-event-in', 'bands.cu', '', 'RO_CUDA_TRY(context, cudaStreamWaitEvent(cuda->compute, '
     'cuda->ready[which], 0));', '', 'bands.cu', 'device/denoise'),
    ('bands-event-out', 'bands.cu', '', 'RO_CUDA_TRY(context, cudaStreamWaitEvent(cuda->copy_out, '
     'cuda->computed[which], 0));', '', 'bands.cu', 'ordered/*'),
    ('dbs-syncthreads-meet', 'search_kernels.cuh', '__threadfence();\n    }\n    ',
     '__syncthreads();', '', 'search.cu', 'search/*'),
    ('dbs-syncthreads-cells', 'search_kernels.cuh', 'if (measure)\n        return;\n    ',
     '__syncthreads();', '', 'search.cu', 'search/*'),
    ('multigrid-syncthreads', 'multigrid_tiles.cuh',
     'patch_put<TILE_SIDE>(p.x, p, two);\n    ', '__syncthreads();', '', 'multigrid.cu',
     'register/multigrid'),
    ('ordered-syncthreads', 'ordered.cu', '', '__syncthreads();', '', 'ordered.cu', 'ordered/*'),
    ('dft-syncthreads', 'dft_device.cuh', '__ldg(&d.place[t - lane * d.length])];\n    }\n    ',
     '__syncthreads();', '', 'propagate.cu', 'light/propagate'),
]


def run(command):
    subprocess.run(command, check=True)


def find(name):
    """The one file of this name in src."""
    found = [f for f in glob.glob(f'{ROOT}/src/**/*.cu*', recursive=True)
             if os.path.basename(f) == name]
    assert len(found) == 1, (name, found)
    return os.path.relpath(found[0], ROOT)


def flags_of(build, cu):
    """The compiler and its flags for a source, without names of files."""
    commands = subprocess.run(['ninja', '-C', build, '-t', 'commands', 'roundoff_cuda'],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in commands.split('\n'):
        if line.endswith(f'/{cu}.cpp') and ' -c ' in line:
            line = re.sub(r' (-o|-c|-MF|-MT) \S+| -MD', '', line)
            return [word for word in shlex.split(line) if word != 'ccache']
    raise SystemExit(f'no command compiles {cu}')


class Program:
    """rocheck with some objects replaced."""

    def __init__(self, build, work, tsan):
        self.build, self.work, self.tsan = build, work, tsan
        self.objects = []
        os.makedirs(work, exist_ok=True)
        if tsan: # the emulator itself is not instrumented
            for name in ('simt', 'runtime'):
                to = f'{work}/{name}.o'
                run(['g++', '-std=c++17', '-O1', '-g1', '-DSIMT_TSAN', '-c',
                     f'{ROOT}/tests/simt/{name}.cpp', '-o', to])
                self.objects.append(to)

    def compile(self, cu, overlay):
        """Compiles a source, whose changed files are in `overlay`."""
        compiler, *flags = flags_of(self.build, os.path.basename(cu))
        source = f'{overlay}/{cu}.cpp'
        if not os.path.exists(source):
            source = f'{self.build}/simt/{cu}.cpp'
        to = f'{self.work}/{os.path.basename(cu)}.o'
        extra = ['-fsanitize=thread', '-g1'] if self.tsan else []
        run([compiler, f'-I{overlay}/src', *flags, *extra, '-c', source, '-o', to])
        self.objects.append(to)

    def link(self):
        libraries = '-lpng -ltiff -ljpeg -lz -lwebpdemux -lwebp -llcms2 -lstdc++ -lpthread -ldl -lm'
        own = sorted(glob.glob(f'{self.build}/CMakeFiles/rocheck.dir/**/*.o', recursive=True))
        run(['g++', '-no-pie', *(['-fsanitize=thread'] if self.tsan else []), '-o',
             f'{self.work}/rocheck', *own, *self.objects, f'{self.build}/libroundoff_phantoms.a',
             '-Wl,--start-group', f'{self.build}/libroundoff_io_internal.a',
             f'{self.build}/libroundoff_internal.a', '-Wl,--end-group', *libraries.split()])

    def test(self, cases, seed):
        """What was wrong; '' if nothing."""
        environment = {**os.environ, 'RO_SIMT_SEED': seed}
        try:
            ran = subprocess.run(
                [f'{self.work}/rocheck', 'test', cases, '--variant', 'cuda', '--few', '4'],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f'no end within {SECONDS} s'
        for line in ran.stdout.split('\n'):
            if re.search(r'FAIL|^simt:|data race', line):
                return line.strip()[:110]
        return f'status {ran.returncode}' if ran.returncode else ''


def mutated(file, before, old, new):
    text = open(f'{ROOT}/{file}').read()
    at = text.index(before + old) + len(before)
    return text[:at] + new + text[at + len(old):]


def overlay_of(work, file, text):
    """Rewrites a changed source for the emulator. Returns the folder."""
    raw = f'{work}/raw/{file}'
    os.makedirs(os.path.dirname(raw), exist_ok=True)
    for name in os.listdir(os.path.dirname(f'{ROOT}/{file}')): # rewrite.py looks at the folder
        if name.endswith(('.cu', '.cuh')):
            with open(f'{os.path.dirname(raw)}/{name}', 'w') as to:
                to.write(open(f'{os.path.dirname(ROOT + "/" + file)}/{name}').read())
    with open(raw, 'w') as to:
        to.write(text)
    run([sys.executable, f'{ROOT}/tests/simt/rewrite.py', raw,
         f'{work}/overlay/{file}' + ('.cpp' if file.endswith('.cu') else '')])
    return f'{work}/overlay'


def try_one(build, mutation):
    name, file, before, old, new, cu, cases = mutation
    file, cu = find(file), find(cu)
    for tsan in (False, True):
        work = f'{build}/mutations/{name}' + ('-tsan' if tsan else '')
        good, bad = Program(build, f'{work}/good', tsan), Program(build, work, tsan)
        if tsan:
            good.compile(cu, f'{work}/none')
        good.link()
        bad.compile(cu, overlay_of(work, file, mutated(file, before, old, new)))
        bad.link()
        for seed in ('0',) if tsan else SEEDS:
            wrong = bad.test(cases, seed)
            if wrong:
                unchanged = good.test(cases, seed)
                if unchanged:
                    return False, f'the unchanged kernel fails: {unchanged}'
                return True, ('thread sanitizer' if tsan else f'seed {seed}') + f': {wrong}'
    return False, 'not noticed'


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    missed = 0
    for mutation in MUTATIONS:
        if names and mutation[0] not in names:
            continue
        caught, how = try_one(build, mutation)
        missed += not caught
        print('ok  ' if caught else 'FAIL', mutation[0], how, flush=True)
    return missed > 0


sys.exit(main())
