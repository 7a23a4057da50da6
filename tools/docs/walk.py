# SPDX-License-Identifier: MIT
"""Prints the walk of a command from main to the kernel: the calls that lead to decoder, plan,
kernel, encoder and commit, and how many functions and files they are. Runs inside of gdb:

    cmake -S . -B build-debug -DCMAKE_BUILD_TYPE=Debug && cmake --build build-debug --target roundoff
    gdb -batch -x tools/docs/walk.py --args build-debug/roundoff \
        halftone photo.jpg out.png --threads 1
"""
import os

import gdb

ENDS = """ro_context_open jpeg_decode read_rows diffusion_plan_make grey_row grey_rows steps_16
          png_encode write_rows ro_commit_all""".split()
ROOT = os.getcwd() + "/"
walks = {}


class Place(gdb.Breakpoint):
    def stop(self):
        frame, calls = gdb.newest_frame(), []
        while frame:
            table = frame.find_sal().symtab
            file = os.path.normpath(table.fullname()) if table else ""
            if file.startswith(ROOT):
                calls.append((frame.name(), file[len(ROOT):]))
            frame = frame.older()
        walks.setdefault(tuple(reversed(calls)), None)
        self.enabled = False  # the first time will do
        return False


gdb.execute("set pagination off")
gdb.execute("start", to_string=True)
for end in ENDS:
    Place(end)
gdb.execute("continue", to_string=True)
functions = {call for walk in walks for call in walk}
for walk in walks:
    print(" > ".join(name for name, _ in walk))
for file in sorted({file for _, file in functions}):
    print(f"{file}: " + ", ".join(sorted(name for name, where in functions if where == file)))
print(f"{len(functions)} functions in {len({file for _, file in functions})} files")
