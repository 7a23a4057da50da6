# SPDX-License-Identifier: MIT
"""An option is one member, one row and one use. In a copy of the sources an option `zoom` is added
to ro_measure_options with three edits. Then C, the command, its help, certificates, the manual,
docs/options.md, completions, the header's comment and Python have it.

Only objects that know the structure are compiled again; everything else comes from this build.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD, CC = (os.environ[name] for name in ("SOURCE_DIR", "BUILD_DIR", "CC"))
FOLDERS = ("include", "src", "cli", "python", "docs", "completions", "tools", "setup.py",
           "pyproject.toml", "README.md", "LICENSE")

# (file, text that stands there once, text that takes its place)
EDITS = [
    ("include/roundoff/measure.h", "\n} ro_measure_options;",
     "\n    double zoom;\n} ro_measure_options;"),
    ("src/measure/measure_options.c", "    {0},\n};",
     '    {MEMBER(zoom), "Z", "how much larger the result is seen", .max = 10, .above_min = 1,\n'
     '     .preset = "1"},\n    {0},\n};'),
    ("src/measure/measure.c", "return options->dpi *", "return options->zoom * options->dpi *"),
]

PROGRAM = r"""
#include "roundoff.h"
#include <stdio.h>
int main(void)
{
    static unsigned char grey[64 * 64];
    const ro_image image = ro_image_view(RO_GREY8, 64, 64, grey);
    const ro_option_table *table = ro_options_of("measure");
    const ro_option *row = ro_option_find(table, "zoom");
    ro_measure_options options = RO_MEASURE_OPTIONS;
    static ro_measure_report report = {.size = sizeof report};
    char message[RO_OPTION_MESSAGE];
    ro_context *context;
    if (!row || ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (ro_option_set(table, row, &options, "11", message) == RO_OK)
        return 2;
    puts(message);
    if (ro_option_set(table, row, &options, "2", message) != RO_OK || options.zoom != 2 ||
        !ro_option_is_set(table, row, &options))
        return 3;
    if (ro_measure(context, &image, &image, &options, &report) != RO_OK)
        return 4;
    printf("%.17g\n", report.sigma);
    options.zoom = 11;
    if (ro_measure(context, &image, &image, &options, &report) == RO_OK)
        return 5;
    puts(ro_context_message(context));
    ro_context_close(context);
    return 0;
}
"""

PYTHON = """
import numpy as np, roundoff
grey = np.zeros((64, 64), np.uint8)
print(roundoff.measure(grey, grey).sigma)
print(roundoff.measure(grey, grey, zoom=2).sigma)
try:
    roundoff.measure(grey, grey, zoom=11)
except roundoff.BadArgument as error:
    print(error)
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:300]}\n{done.stdout}")
    return done.stdout


def expect(holds, what):
    if not holds:
        sys.exit(f"the option is not in {what}")


def compiled():
    """The command lines of this build: {path in the sources: (words, object)}."""
    found = {}
    for entry in json.loads(read(os.path.join(BUILD, "compile_commands.json"))):
        words = shlex.split(entry["command"])
        out = os.path.join(entry["directory"], words[words.index("-o") + 1])
        name = os.path.relpath(entry["file"], SOURCE)
        if "/roundoff" in out:  # not the tests and tools
            found.setdefault(name, []).append((words, out))
    return found


def knows_structure(tree, name):
    """Whether a source mentions the structure, or includes a private header that does."""
    text = read(os.path.join(tree, name))
    return "ro_measure_options" in text or any(
        "ro_measure_options" in read(os.path.join(tree, "src", header))
        for header in re.findall(r'#include "(measure/\w+\.h)"', text))


def build(tree, work):
    """Compiles what must be, and returns the objects of the library and those of the command."""
    library, command = [], []
    for name, ways in compiled().items():
        of_library = name.startswith("src/") and not name.startswith("src/io/")
        for words, out in ways:
            is_command = "/roundoff_cli.dir/" in out or "/roundoff.dir/" in out
            again = not name.startswith("..") and os.path.exists(os.path.join(tree, name)) and \
                (of_library or is_command) and knows_structure(tree, name)
            if again:
                made = os.path.join(work, f"{len(library)}-{len(command)}.o")
                words = [word.replace(SOURCE, tree, 1) if not word.startswith("-I" + BUILD)
                         else word for word in words]
                words[words.index("-o") + 1] = made
                run(*words, cwd=work)
                (command if is_command else library).append(made)
            elif is_command:
                command.append(out)
    return library, command


def main():
    if os.environ.get("SANITIZE"):
        print("skipped: the build without sanitizers runs this")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        for name in FOLDERS:
            source = os.path.join(SOURCE, name)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(
                source, os.path.join(tree, name),
                **({"ignore": shutil.ignore_patterns("*.png", "build", "__pycache__")}
                   if os.path.isdir(source) else {}))
        for name, old, new in EDITS:
            text = read(os.path.join(tree, name))
            if text.count(old) != 1:
                sys.exit(f"{name}: {old.strip()} must stand there once")
            write(os.path.join(tree, name), text.replace(old, new))
        library, command = build(tree, work)
        print(f"{len(library)} objects of the library compiled again")

        # The library as an archive of its new objects before those of this build.
        archive = os.path.join(work, "libroundoff.a")
        write(archive, f"INPUT({' '.join(library)} {BUILD}/libroundoff_internal.a)\n")
        system = shlex.split(re.search(r"^Libs\.private:(.*)$", read(BUILD + "/roundoff.pc"), re.M)[1])
        needed = re.search(r"^Requires\.private:(.*)$", read(BUILD + "/roundoff_io.pc"), re.M)[1]
        needed = needed.replace(",", " ").split()
        files = shlex.split(run("pkg-config", "--libs", *needed)) if needed else []
        program = os.path.join(work, "roundoff")
        run(CC, "-o", program, *command, BUILD + "/libroundoff_phantoms.a",
            BUILD + "/libroundoff_terapixel.a",
            BUILD + "/libroundoff_io_internal.a", archive, *files, *system)

        # C
        write(work + "/program.c", PROGRAM)
        run(CC, "-o", work + "/program", "-I" + tree + "/include", work + "/program.c", archive, *system)
        refused, sigma, again = run(work + "/program").splitlines()
        expect(refused == again == "zoom 11: must be a number above 0, up to 10", "C: " + refused)

        # The command
        def roundoff(*arguments):
            return run(program, *arguments, cwd=work)

        roundoff("testcard", "card.pgm", "--size", "64x64", "--quiet")
        told = json.loads(roundoff("measure", "card.pgm", "card.pgm", "--zoom", "2", "--dpi", "300",
                                   "--json", "--certificate", "cert.json"))
        plain = json.loads(roundoff("measure", "card.pgm", "card.pgm", "--json", "--dpi", "300"))
        expect(abs(told["sigma"] - float(sigma)) < 1e-5 and
               abs(told["sigma"] - 2 * plain["sigma"]) < 1e-5, "the command's result")
        expect('"option_zoom": 2,' in read(work + "/cert.json"), "the certificate")
        roundoff("verify", "cert.json", "card.pgm", "card.pgm")
        done = subprocess.run([program, "measure", "card.pgm", "card.pgm", "--zoom", "11"], cwd=work,
                              capture_output=True, text=True)
        expect(done.returncode == 2 and refused in done.stderr, "the command's checks")
        expect(re.search(r"^  --zoom Z  +how much larger the result is seen \(default: 1\)$",
                         roundoff("measure", "--help"), re.M), "--help")

        # What is rendered
        run(sys.executable, tree + "/tools/describe.py", input=roundoff("--describe"))
        for name, text in (
                ("docs/roundoff.1", "\n.It Fl -zoom Ar Z\nHow much larger the result is seen.\n"),
                ("docs/options.md", "| `--zoom Z` | `ro_measure_options.zoom` | How much larger the"),
                ("completions/roundoff.bash", "--zoom "), ("completions/_roundoff", "'--zoom[how"),
                ("completions/roundoff.fish", "-l zoom -x -d 'how much larger"),
                ("include/roundoff/measure.h", "/* How much larger the result is seen: a number"),
                ("python/roundoff/_tables.py", "('zoom', 'number', 'how much larger")):
            expect(text in read(os.path.join(tree, name)), name)

        # Python: setup.py takes the library as it is, because there is no cmake to build one.
        found = subprocess.run(["sh", "-c", ". python/interpreter.sh && find_python numpy setuptools "
                                "wheel && echo $python"], cwd=SOURCE, capture_output=True, text=True)
        if found.returncode:
            print("without Python: there is none with numpy, setuptools and wheel")
            return
        python = found.stdout.split()[-1]
        os.mkdir(work + "/bin")
        write(work + "/bin/cmake", "#!/bin/sh\n")
        os.chmod(work + "/bin/cmake", 0o755)
        write(work + "/CMakeCache.txt", "")
        shutil.copy(BUILD + "/roundoff.pc", work)
        run(python, "setup.py", "-q", "build", "--build-base", work + "/python", "--build-lib",
            work + "/lib", cwd=tree, env={**os.environ, "RO_BUILD_DIR": work, "CFLAGS": "-O0",
                                          "PATH": work + "/bin:" + os.environ["PATH"]})
        one, two, message = run(python, "-c", PYTHON, env={**os.environ, "PYTHONPATH": work + "/lib"}
                                ).splitlines()
        expect(float(two) == 2 * float(one) == float(sigma), "Python's result")
        expect(message == refused, "Python's checks: " + message)
        expect("zoom:" in read(work + "/lib/roundoff/__init__.pyi"), "Python's stubs")


if __name__ == "__main__":
    main()
