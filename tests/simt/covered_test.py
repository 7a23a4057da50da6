#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every intrinsic, atomic and PTX instruction in src is in tests/simt/intrinsics_test.cu."""
import glob
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
NOT_CALLS = ('__launch_bounds__', '__align__', '__builtin_expect', '__attribute__')


def used(text):
    text = re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S)
    names = set(re.findall(r'\b(__\w+|atomic[A-Z]\w*)\s*\(', text)) - set(NOT_CALLS)
    for statement in re.findall(r'\basm\b[^;]*?\(((?:\s*"(?:\\.|[^"\\])*")+)', text):
        code = ''.join(re.findall(r'"((?:\\.|[^"\\])*)"', statement)).replace('\\n', ' ')
        names |= set(re.findall(r'(?:^|[\s{;])([a-z][\w]*(?:\.[\w:]+)+)', code.replace('\\t', ' ')))
    return names


def main():
    kernels = set()
    for file in (glob.glob(f'{root}/src/**/*.cu*', recursive=True) +
                 glob.glob(f'{root}/bench/**/*.cu*', recursive=True)):
        with open(file, encoding='utf-8') as source:
            kernels |= used(source.read())
    with open(f'{here}/intrinsics_test.cu', encoding='utf-8') as source:
        missing = sorted(kernels - used(source.read()))
    assert len(kernels) > 80, kernels
    for name in missing:
        print(f'{name} is used, but not in tests/simt/intrinsics_test.cu')
    return missing != []


sys.exit(main())
