#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks kernels, one line at a time, and looks which mode of the emulator notices.

    tests/simt/mutate.py [--write] [NAME...]

Needs the builds of the presets emulated, emulated-tsan and emulated-asan. A changed source is
compiled and linked with the other objects of a build to a module, and the cases that use it run: in
turns (seed 0), in random orders (seeds 1 to 3), under the thread sanitizer and under the address
sanitizer, until one fails. The unchanged module must pass the same cases in that mode. The status is
1 if a change was not noticed. --write puts the results into the table of README.md beside this file.
"""
import glob
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 100 # of the processor, in which unchanged kernels end; a hang is noticed, too

# How a change may be noticed: name in the table, build, seed.
MODES = [('in turns', 'build-emulated', '0')]
MODES += [(f'seed {seed}', 'build-emulated', seed) for seed in '123']
MODES += [('thread sanitizer', 'build-emulated-tsan', '0'),
          ('address sanitizer', 'build-emulated-asan', '0')]

# name, what is changed, file, text before, the text that goes, what comes instead, source to compile,
# cases
MUTATIONS = [
    ('blockwise-syncwarp', 'no __syncwarp', 'blockwise.cu', '+= 7 * e;\n        ', '__syncwarp();',
     '', 'blockwise.cu', 'diffusion/floyd-steinberg/bwed'),
    ('blockwise-syncwarp-tile', 'no __syncwarp', 'blockwise.cu', 'r.carry = kept.w;\n    }\n    ',
     '__syncwarp();', '', 'blockwise.cu', 'diffusion/floyd-steinberg/bwed'),
    ('blockwise-bound', 'no bound', 'blockwise.cu', '', 'if (c < SIDE + LEFT)', '',
     'blockwise.cu', 'diffusion/floyd-steinberg/bwec'),
    ('blockwise-bound-one', 'bound + 1', 'blockwise.cu', 'if (c ', '<', '<=', 'blockwise.cu',
     'diffusion/floyd-steinberg/bwec'),
    ('wave-copy-group', 'a group too few', 'wave_steps.cuh', 'ahead / granules_a_chunk', '', ' + 1',
     'wave_numbers.cu', 'diffusion/burkes/wave'),
    ('wave-syncwarp-ring', 'no __syncwarp (M5)', 'wave_steps.cuh', 'bits_before = bits;\n        ',
     '__syncwarp();', '', 'wave_numbers.cu', 'diffusion/burkes/wave'),
    ('wave-ring-room', 'tags reused early', 'wave_steps.cuh', '', '(RING - 2 * rows_down - GROUP)',
     '2 * RING', 'wave.cu', 'diffusion/burkes/wave'),
    ('pairs-syncwarp', 'no __syncwarp', 'pairs_steps.cuh', '[lane] = bits;\n        ',
     '__syncwarp();', '', 'wave_pairs.cu', 'diffusion/floyd-steinberg/wave'),
    ('acuity-syncwarp', 'no __syncwarp', 'acuity_wave.cu', 'base += count;\n        ',
     '__syncwarp();', '', 'acuity_wave.cu', 'diffusion/acuity/wave'),
    ('levelset-syncthreads', 'no __syncthreads', 'levelset_lanes.cuh', '', '__syncthreads();', '',
     'levelset.cu', 'segment/u8-*'),
    ('levelset-rows', 'bound + 1', 'levelset_lanes.cuh', 'HEIGHT - view.steps || y + r ', '>=', '>',
     'levelset.cu', 'segment/u8-*'),
    ('hologram-tags', 'one tag for three', 'diffuse_line.cuh', 'band % ', '3', '1', 'diffuse.cu',
     'hologram/*'),
    ('bands-event-in', 'no event wait', 'bands.cu', '', 'RO_CUDA_TRY(context, cudaStreamWaitEvent('
     'cuda->compute, cuda->ready[which], 0));', '', 'bands.cu', 'ordered/*'),
    ('bands-event-out', 'no event wait', 'bands.cu', '', 'RO_CUDA_TRY(context, cudaStreamWaitEvent('
     'cuda->copy_out, cuda->computed[which], 0));', '', 'bands.cu', 'ordered/*'),
    ('dbs-fence-before', 'no __threadfence', 'search_kernels.cuh', 'threadIdx.x == 0) {\n        ',
     '__threadfence();', '', 'search.cu', 'search/*'),
    ('dbs-fence-after', 'no __threadfence', 'search_kernels.cuh', ';\n#endif\n        ',
     '__threadfence();', '', 'search.cu', 'search/*'),
    ('dbs-syncthreads-meet', 'no __syncthreads', 'search_kernels.cuh',
     '__threadfence();\n    }\n    ', '__syncthreads();', '', 'search.cu', 'search/*'),
    ('dbs-syncthreads-cells', 'no __syncthreads', 'search_kernels.cuh',
     'if (measure)\n        return;\n    ', '__syncthreads();', '', 'search.cu', 'search/*'),
    ('multigrid-syncthreads', 'no __syncthreads', 'multigrid_tiles.cuh',
     'patch_put<TILE_SIDE>(p.x, p, two);\n    ', '__syncthreads();', '', 'multigrid.cu',
     'register/multigrid'),
    ('ordered-syncthreads', 'no __syncthreads', 'ordered.cu', '', '__syncthreads();', '',
     'ordered.cu', 'ordered/*'),
    ('dft-syncthreads', 'no __syncthreads', 'dft_device.cuh',
     '__ldg(&d.place[t - lane * d.length])];\n    }\n    ', '__syncthreads();', '', 'propagate.cu',
     'light/propagate'),
    ('trained-syncthreads-table', 'no __syncthreads', 'trained.cu',
     'flux[4 * group])[i];\n        ', '__syncthreads();', '', 'trained.cu', 'trained/grey/*'),
    ('trained-syncthreads-fluxes', 'no __syncthreads', 'trained.cu',
     '+ i] = quad.y;\n        }\n        ', '__syncthreads();', '', 'trained.cu', 'trained/grey/*'),
]


def run(command, where=None):
    subprocess.run(command, check=True, cwd=where)


def find(name):
    """The one file of this name in src."""
    found = [f for f in glob.glob(f'{ROOT}/src/**/*.cu*', recursive=True)
             if os.path.basename(f) == name]
    assert len(found) == 1, (name, found)
    return os.path.relpath(found[0], ROOT)


def mutated(file, before, old, new):
    with open(f'{ROOT}/{file}', encoding='utf-8') as source:
        text = source.read()
    at = text.index(before + old) + len(before)
    return text[:at] + new + text[at + len(old):]


def overlay(work, file, text):
    """Rewrites a changed source for the emulator into the folder `work`."""
    raw = f'{work}/raw/{file}'
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(os.path.dirname(f'{ROOT}/{file}'), os.path.dirname(raw), # rewrite.py looks there
                    ignore=lambda folder, names: [n for n in names if not n.endswith(('.cu', '.cuh'))])
    with open(raw, 'w', encoding='utf-8') as to:
        to.write(text)
    run([sys.executable, f'{HERE}/rewrite.py', raw,
         f'{work}/{file}' + ('.cpp' if file.endswith('.cu') else '')])


def build_module(build, work, cu):
    """Compiles `cu` with what is in the folder `work`, and links the module there."""
    with open(f'{build}/compile_commands.json', encoding='utf-8') as commands:
        line = next(c for c in json.load(commands) if c['file'].endswith(f'/{cu}.cpp'))
    compiler, *flags = [w for w in shlex.split(re.sub(r' (-o|-c) \S+', '', line['command']))
                        if w != 'ccache']
    source = f'{work}/{cu}.cpp'
    if not os.path.exists(source):
        source = line['file']
    run([compiler, f'-I{work}/src', *flags, '-c', source, '-o', f'{work}/changed.o'])
    objects = [o for o in glob.glob(f'{build}/CMakeFiles/roundoff_cuda.dir/**/*.o', recursive=True) +
               glob.glob(f'{build}/CMakeFiles/simt.dir/**/*.o', recursive=True)
               if not o.endswith(f'/{cu}.cpp.o')]
    run([compiler, *[f for f in flags if f.startswith('-fsanitize=')], '-shared', '-o',
         f'{work}/libroundoff_cuda.so', f'{work}/changed.o', *objects, '-lpthread', '-ldl', '-lm'])
    shutil.copy(f'{build}/rocheck', work) # it loads the module beside it


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fault(folder, cases, seed):
    """What rocheck in `folder` finds; '' if nothing."""
    ran = subprocess.run([f'{folder}/rocheck', 'test', cases, '--variant', 'cuda', '--few', '4'],
                         env={**os.environ, 'RO_SIMT_SEED': seed}, preexec_fn=limit, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in ran.stdout.split('\n'):
        line = line.strip()
        if re.search('FAIL|^simt:|data race|AddressSanitizer:|runtime error', line):
            line = re.sub(r'==\d+==|\(pid=\d+\)|0x[0-9a-f]+|(?<!\S)/\S*/| \(launched.*', '', line)
            return re.sub(r' +', ' ', line)[:100].strip()
    if ran.returncode in (-24, -9): # SIGXCPU, SIGKILL
        return f'no end within {SECONDS} s'
    if ran.returncode < 0:
        return f'ended by signal {-ran.returncode}'
    return f'status {ran.returncode}' if ran.returncode else ''


unchanged = {}


def noticed(mutation):
    """The first mode that notices a change, and what it says; None if none does."""
    name, _, file, before, old, new, cu, cases = mutation
    file, cu = find(file), find(cu)
    last = None
    for mode, folder, seed in MODES:
        build = f'{ROOT}/{folder}'
        work = f'{build}/mutations/{name}'
        if build != last:
            overlay(work, file, mutated(file, before, old, new))
            build_module(build, work, cu)
            last = build
        wrong = fault(work, cases, seed)
        if wrong:
            key = build, cases, seed
            if key not in unchanged:
                unchanged[key] = fault(build, cases, seed)
            if not unchanged[key]:
                return mode, wrong
            print(f'     {name}: unchanged kernels fail, too, {mode}: {unchanged[key]}', flush=True)
    return None


def row_of(mutation, mode, how):
    name, change, file = mutation[:3]
    how = 'wrong result' if how.startswith('FAIL') else 'data race' if 'data race' in how else how
    return f'| {name}: {change} | {file} | {mode} | {how.replace("simt: ", "")} |'


def write(rows):
    """Puts rows, by the names of mutations, into the table of README.md."""
    with open(f'{HERE}/README.md', encoding='utf-8') as readme:
        text = readme.read()
    begin, end = text.index('<!-- mutations -->'), text.index('<!-- end -->')
    kept = {line[2:].split(':')[0]: line for line in text[begin:end].split('\n') if ': ' in line}
    kept.update(rows)
    table = ['<!-- mutations -->', '| change | file | noticed | as |', '| --- | --- | --- | --- |',
             *[kept[m[0]] for m in MUTATIONS if m[0] in kept]]
    with open(f'{HERE}/README.md', 'w', encoding='utf-8') as readme:
        readme.write(text[:begin] + '\n'.join(table) + '\n' + text[end:])


def main():
    names = [n for n in sys.argv[1:] if n != '--write']
    for preset in dict.fromkeys(folder for _, folder, _ in MODES):
        if not os.path.exists(f'{ROOT}/{preset}/rocheck'):
            raise SystemExit(f'{preset} is missing: cmake --preset {preset[6:]} && '
                             f'cmake --build {preset} --target rocheck')
    rows, missed = {}, 0
    for mutation in MUTATIONS:
        name = mutation[0]
        if names and name not in names:
            continue
        found = noticed(mutation)
        missed += found is None
        mode, how = found or ('no', '')
        print('ok  ' if found else 'FAIL', name, mode, how, flush=True)
        rows[name] = row_of(mutation, mode, how)
    if '--write' in sys.argv[1:]:
        write(rows)
    return missed > 0


sys.exit(main())
