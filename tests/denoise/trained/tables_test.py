# SPDX-License-Identifier: MIT
"""The committed tables of the trained networks are what their committed weights give, and the
weights are those whose figures are in tools/denoise_train/README.md."""
import hashlib
import os
import subprocess
import sys

SOURCE = os.environ.get('SOURCE_DIR', '.')


def path(*parts):
    return os.path.join(SOURCE, *parts)


def main():
    failures = 0
    with open(path('tools', 'denoise_train', 'README.md')) as file:
        readme = file.read()
    for name in ('best', 'fast'):
        weights = path('tools', 'denoise_train', name + '.txt')
        made = subprocess.run([sys.executable, path('tools', 'denoise_train', 'tables.py'), name,
                               weights], capture_output=True, text=True, check=True).stdout
        with open(path('src', 'denoise', 'trained', f'network_{name}.c')) as file:
            committed = file.read()
        if made != committed:
            print(f'network_{name}.c is not what tables.py makes of {name}.txt')
            failures += 1
        with open(weights, 'rb') as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        if digest not in readme:
            print(f'README.md says nothing of {name}.txt, whose SHA-256 is {digest}')
            failures += 1
    return failures


if __name__ == '__main__':
    sys.exit(main())
