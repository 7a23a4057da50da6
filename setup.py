# SPDX-License-Identifier: MIT
"""Builds the C library with CMake and links it into the extension.

RO_BUILD_DIR names a folder that CMake has configured already: its library is used, and RO_SANITIZE
says what sanitizers it has. RO_WITH_CUDA=ON builds one with CUDA; RO_CMAKE_ARGS are further options
for CMake.
"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent


def version():
    text = (HERE / "include/roundoff/core.h").read_text()
    return re.search(r'#define RO_VERSION "([^"]+)"', text).group(1)


def build_library(folder):
    """The static library, what it must be linked with, and the module with device code, if any."""
    given = os.environ.get("RO_BUILD_DIR")
    build = Path(given).resolve() if given else folder
    if not given:
        subprocess.run(
            ["cmake", "-S", str(HERE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
             "-DRO_BUILD_TESTS=OFF", "-DRO_WITH_CUDA=" + os.environ.get("RO_WITH_CUDA", "OFF"),
             *shlex.split(os.environ.get("RO_CMAKE_ARGS", ""))], check=True)
    with_cuda = "RO_CUDA_MODULE:INTERNAL=ON" in (build / "CMakeCache.txt").read_text()
    subprocess.run(["cmake", "--build", str(build), "-j", str(os.cpu_count() or 1), "--target",
                    "roundoff_static", *(["roundoff_cuda"] if with_cuda else [])], check=True)
    described = (build / "roundoff.pc").read_text()
    needed = re.search(r"^Libs\.private:(.*)$", described, re.M).group(1)
    module = build / "libroundoff_cuda.so" if with_cuda else None
    return build / "libroundoff.a", shlex.split(needed), module


class build_extension(build_ext):
    def build_extension(self, extension):
        archive, needed, module = build_library(Path(self.build_temp).resolve() / "library")
        extension.extra_objects = [str(archive)]
        extension.depends.append(str(archive))
        extension.extra_link_args += needed
        if os.environ.get("RO_SANITIZE"):  # as the library was compiled
            extension.extra_compile_args.append("-fsanitize=" + os.environ["RO_SANITIZE"])
            extension.extra_link_args.append("-fsanitize=" + os.environ["RO_SANITIZE"])
        super().build_extension(extension)
        if module:  # the library looks for it beside itself
            self.copy_file(str(module), str(Path(self.get_ext_fullpath(extension.name)).parent))


class build_package(build_py):
    """The modules, and what pages are made of."""

    def run(self):
        super().run()
        package = Path(self.build_lib) / "roundoff"
        for name in ("page.css", "plots.js", "compare.js"):
            self.copy_file(str(HERE / "cli/page" / name), str(package / name))


class build_all(build):
    """Stubs are made of the package itself, when it is complete."""

    def run(self):
        super().run()
        preload = {"LD_PRELOAD": os.environ["RO_PRELOAD"]} if "RO_PRELOAD" in os.environ else {}
        subprocess.run([sys.executable, str(HERE / "python/stubs.py"), self.build_lib], check=True,
                       env={**os.environ, **preload})


class abi3_wheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("cp311", "abi3", platform) if python.startswith("cp") else (python, abi, platform)


setup(
    version=version(),
    options={"build": {"build_base": "build/python"}},
    ext_modules=[
        Extension(
            "roundoff._core",
            sources=sorted(str(p.relative_to(HERE)) for p in (HERE / "python/src").glob("*.c")),
            depends=["python/src/binding.h",
                     *(str(p.relative_to(HERE)) for p in (HERE / "include").rglob("*.h*"))],
            include_dirs=["include"],
            extra_compile_args=["-std=gnu11", "-Wall", "-Wextra", "-fvisibility=hidden"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build": build_all, "build_py": build_package, "build_ext": build_extension,
              "bdist_wheel": abi3_wheel},
)
