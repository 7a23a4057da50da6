# SPDX-License-Identifier: MIT
"""Keywords are the options of the commands, so that one that is new there is missed here."""
import inspect
import re
import subprocess

import pytest

import roundoff

RUN = {"device", "cpu", "threads"}
# What the commands need for their files and their output, and a call does not.
OF_FILES = {"json", "quiet", "certificate", "strict", "help", "type", "page", "report", "vectors",
            "compression", "pixel_bits", "numbers", "bit_order", "ones", "out_dir",
            "alpha", "background", "profile"}


def parameters(function):
    return {name for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is not parameter.VAR_KEYWORD}


REGISTER = {"scheme", "match", "init", "number", "scales", "updates", "trials", "cycles",
            "sigma_first", "sigma", "finest", "tolerance"}
CASES = {
    "halftone": (parameters(roundoff.halftone) - {"image", "packed", "indices", "out", "maxval",
                                                  "progress", "device_number"},
                 OF_FILES | {"list", "resize", "resample", "recolour", "spot", "inks", "ink",
                             "ink_limit", "proof", "gain"}),
    "denoise": (parameters(roundoff.denoise) -
                {"image", "out", "maxval", "return_figures", "seed"} | RUN,
                OF_FILES | {"bits", "float", "raw"}),
    "measure": (parameters(roundoff.measure) - {"original", "result", "maxval"} | {"threads"},
                OF_FILES | {"device", "cpu"}),
}


def options_of(program, name):
    def shown(*words):
        text = subprocess.run([program, name, "--help", *words], check=True, text=True,
                              capture_output=True).stdout
        return set(re.findall(r"^ +--([a-z-]+)", text, re.M)), text

    found, text = shown()
    topics = re.search(r"by topic: --help (.*)", text)
    for topic in topics.group(1).split(", ") if topics else []:
        found |= shown(topic)[0]
    return {option.replace("-", "_") for option in found}


@pytest.mark.parametrize("name", ["halftone", "denoise", "measure"])
def test_keywords_are_the_options_of_the_command(command, name):
    keywords, of_files = CASES[name]
    assert options_of(command.program, name) - of_files == keywords


def test_keywords_of_register(command):
    assert REGISTER | {"fixed_mask", "moving_mask"} <= options_of(command.program, "register")
