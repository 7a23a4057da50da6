# SPDX-License-Identifier: MIT
"""No string of the library names an option as the command line has it, "--name": the same messages
serve C and Python."""
import os
import re
import sys

SOURCE = os.environ["SOURCE_DIR"]
# A comment, or a string literal; other text is skipped.
TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])*'|(\"(?:\\.|[^\"\\\n])*\")", re.S)
DASHED = re.compile(r"(?<![\w-])--[a-z]")


def strings(text):
    """(line, literal) of a source."""
    for token in TOKEN.finditer(text):
        if token[1]:
            yield text.count("\n", 0, token.start()) + 1, token[1]


def main():
    wrong = read = 0
    for folder in ("src", "include", "python/src"):
        for path, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                if not name.endswith((".c", ".h", ".cu", ".cuh")):
                    continue
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    for line, literal in strings(file.read()):
                        read += 1
                        if DASHED.search(literal):
                            wrong += 1
                            print(f"{os.path.relpath(path, SOURCE)}/{name}:{line}: {literal}")
    if read < 5000:
        sys.exit(f"only {read} strings were found")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
