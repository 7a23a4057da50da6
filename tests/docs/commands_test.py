# SPDX-License-Identifier: MIT
"""Runs every command in README, docs and the man pages, on small pictures.

Blocks of code run line by line, a page in one folder, so that one line may use the files of the
lines before it; names of pages as arguments leave the others out. Commands within a sentence run if they are complete: no word in capitals stands for
a file. SMALLER makes slow ones cheaper. Lines of other programs must be in OTHERS, so that nothing
on a page goes unseen."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
ROUNDOFF = os.path.abspath(os.environ["ROUNDOFF"])
TOOLS = ["cjpeg", "ffmpeg", "gzip", "zcat"]

# The files that pages name as if the reader had them.
INPUTS = r"""
roundoff testcard photo.ppm --size 300x200 --colour
cjpeg photo.ppm > photo.jpg
for name in photo page poster label; do
    roundoff halftone photo.ppm $name.png --levels 256 --channels rgb
done
for name in in moving fixed back front picture night; do
    roundoff testcard $name.png --size 200x150
done
roundoff testcard depth.png --size 300x200
roundoff halftone photo.ppm look.png --palette 7-colour-panel
roundoff halftone photo.ppm colour.png --levels 256 --channels rgb
roundoff testcard card.pgm --size 128x128
cp card.pgm bent.pgm
cp card.pgm map.pgm
for name in scan wall cells; do roundoff testcard $name.tif --size 200x150; done
roundoff testcard scan.pgm --size 200x150
gzip -k scan.pgm
printf 'x,y,z,weight\n0.001,0,0,1\n0,0.0015,0,1\n' > traps.csv
printf 'x,y\n60,50\n140,90\n' > seeds.csv
roundoff hologram make field.npy --size 256x256
mkdir photos
cp photo.jpg photos/one.jpg
cp photo.jpg photos/two.jpg
ffmpeg -v error -f lavfi -i testsrc=size=96x64:rate=5:duration=1 -pix_fmt yuv420p film.mkv
cp photo.ppm lake.ppm
roundoff testcard depth.pgm --size 300x200
printf 'level, drive, degrees, amplitude\n0, 0, 0, 1\n1, 64, 90, 1\n2, 128, 180, 1\n3, 192, 270, 1\n' > lcos.csv
printf '%s\n' ply 'format ascii 1.0' 'element vertex 3' 'property float x' 'property float y' \
    'property float z' end_header '0 0 0' '1 0 1' '0 1 2' > bunny.ply
roundoff calibrate wedge cyan-scan.png --ink cyan
for name in cyan magenta yellow black; do printf 'in, out\n0, 0\n50%%, 40%%\n100%%, 100%%\n' > $name.txt; done
cp cyan.txt press.csv
roundoff halftone photo.ppm out.pbm --certificate cert.json
roundoff halftone scan.tif out.tif
"""

# Words and their cheaper substitutes.
SMALLER = [(r"--resize (\d+)x(?= |$)", "--resize 240x"), (r"--size 2048x2048", "--size 512x512"),
           (r"--size (1920x1080|3840x2160)", "--size 480x270"), (r"mpirun -n \d+", "mpirun -n 2"),
           (r"x264 .*", "cat > film.264"),
           (r" --resume$", "")]  # needs a run that was interrupted

# Other programs, and files that show what a line of them does.
OTHERS = ["cmake ", "ctest ", "build/rocheck ", "build-emulated/rocheck ", "RO_SIMT_SEED=", "./run "]


def blocks(text):
    """Lines of shell in a Markdown page."""
    for language, code in re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", text, re.S | re.M):
        lines = [line.strip() for line in re.sub(r"\\\n\s*", " ", code).splitlines()]
        shell = language == "sh" or any(line.startswith(("roundoff ", "mpirun ")) for line in lines)
        for line in lines:
            if shell and line and not line.startswith("#"):
                yield re.sub(r"\s+#\s.*", "", line)


def sentences(text):
    """Complete commands within sentences."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for line in re.findall(r"`(roundoff [^`\n]+)`", text):
        words = shlex.split(line.replace("\\|", "|"))
        if len(words) > 3 and not any(re.search(r"\b[A-Z]+\b|\.\.\.|…", word) for word in words):
            yield line


def manual(text):
    for line in re.findall(r"^\.Dl (.*)", text, re.M):
        if "roundoff" in line:
            yield line
    for code in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.S | re.M):
        if "roundoff" in code:
            yield re.sub(r"\|\n\s*", "| ", code).strip()


def commands_of(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if not page.endswith(".md"):
        return list(manual(text))
    return list(blocks(text)) + list(sentences(text))


def pages():
    if sys.argv[1:]:
        yield from (os.path.join(SOURCE, name) for name in sys.argv[1:])
        return
    yield from (os.path.join(SOURCE, name) for name in ("README.md", "CONTRIBUTING.md"))
    yield from sorted(glob.glob(os.path.join(SOURCE, "docs/*.md")))
    yield from sorted(glob.glob(os.path.join(SOURCE, "docs/*.1")))


def exists(line):
    """Returns what is wrong with a line of another program, or None."""
    words = shlex.split(line)
    options = {word for word in words if word.startswith("--")}
    if words[0] == "./run":
        usage = subprocess.run([os.path.join(SOURCE, "run"), "--help"], capture_output=True,
                               text=True, check=True).stdout
        known = set(re.findall(r"--[a-z-]+", usage))
        job = next((word for word in words[1:] if not word.startswith("--")), "")
        if not os.path.exists(os.path.join(SOURCE, f"tools/jobs/{job}.sh")):
            return "no such job"
    elif words[0] == "cmake":
        known = {"--build", "--install", "--preset", "--prefix", "--target"}
        with open(os.path.join(SOURCE, "CMakePresets.json"), encoding="utf-8") as file:
            presets = [preset["name"] for preset in json.load(file)["configurePresets"]]
        if "--preset" in words and words[words.index("--preset") + 1] not in presets:
            return "no such preset"
    else:
        return None
    return f"unknown: {sorted(options - known)}" if options - known else None


def main():
    lacking = [tool for tool in TOOLS if not shutil.which(tool)]
    if lacking:
        print("skipped:", ", ".join(lacking), "not installed")
        sys.exit(77)
    wrong, ran, elsewhere = [], 0, 0
    mpi = os.path.exists(os.path.join(BUILD, "roundoff-mpi"))
    with tempfile.TemporaryDirectory() as folder:
        programs, inputs = os.path.join(folder, "bin"), os.path.join(folder, "inputs")
        os.makedirs(programs)
        os.makedirs(inputs)
        os.symlink(ROUNDOFF, os.path.join(programs, "roundoff"))
        if mpi:
            os.symlink(os.path.join(BUILD, "roundoff-mpi"), os.path.join(programs, "roundoff-mpi"))
        environment = dict(os.environ, PATH=programs + ":" + os.environ["PATH"],
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1")

        def shell(line, where):
            return subprocess.run(["sh", "-ec", line], cwd=where, env=environment, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600)

        done = shell(INPUTS, inputs)
        if done.returncode and "this build has no" in done.stderr:
            print("skipped:", done.stderr.splitlines()[-1])
            sys.exit(77)
        if done.returncode:
            sys.exit("inputs: " + done.stderr)
        for page in pages():
            where = os.path.join(folder, "page")
            shutil.copytree(inputs, where)
            for line in commands_of(page):
                name = f"{os.path.relpath(page, SOURCE)}: {line}"
                if line.startswith(tuple(OTHERS)):
                    problem = exists(line)
                    elsewhere += 1
                elif "roundoff" not in line:
                    problem = "a program that this test does not know"
                elif ("roundoff-mpi" in line and not mpi) or "--device cuda" in line:
                    problem = None
                    elsewhere += 1
                else:
                    for old, new in SMALLER:
                        line = re.sub(old, new, line)
                    done = shell(line, where)
                    problem = done.stderr if done.returncode else None
                    ran += 1
                if problem:
                    wrong.append(f"{name}\n    {problem}")
            shutil.rmtree(where)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{ran} commands ran, {elsewhere} are others'")


main()
