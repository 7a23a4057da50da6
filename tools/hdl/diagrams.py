#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the block diagrams of docs/circuits.md.

    tools/hdl/diagrams.py FOLDER

A diagram is rows of boxes and arrows between their sides. A box has a name and a line that says what
it does; places are on a grid of columns and rows.
"""
import os
import sys

COLUMN, ROW, WIDE, HIGH, MARGIN = 188, 104, 136, 58, 20

STYLE = """
  .box { fill: #f4f1ea; stroke: #333; stroke-width: 1.3 }
  .memory { fill: #dfe9ef }
  .outside { fill: #fff; stroke-dasharray: 4 3 }
  .name { font: 600 13px sans-serif; text-anchor: middle; fill: #111 }
  .what { font: 11px sans-serif; text-anchor: middle; fill: #333 }
  .wire { fill: none; stroke: #333; stroke-width: 1.3; marker-end: url(#tip) }
  .word { font: 11px sans-serif; text-anchor: middle; fill: #555 }
"""

# name: (boxes, wires). A box: key -> (column, row, kind, name, what...). A wire: (from, side, to, side,
# word); sides are l, r, t, b.
DIAGRAMS = {
    "shell": ({
        "in": (0, 0, "outside", "in", "valid, ready, first, last"),
        "guard": (1, 0, "", "ro_frame_guard", "every frame its size,", "faults, flushes"),
        "pipe": (2, 0, "", "pipeline", "a beat a clock,", "never stops"),
        "fifo": (3, 0, "memory", "ro_fifo", "results that wait"),
        "out": (4, 0, "outside", "out", "valid, ready, first, last"),
    }, [("in", "r", "guard", "l", ""), ("guard", "r", "pipe", "l", "beat"),
        ("pipe", "r", "fifo", "l", "done"), ("fifo", "r", "out", "l", ""),
        ("fifo", "b", "guard", "b", "room for everything that is on its way")]),
    "levelset": ({
        "in": (0, 0, "outside", "φ, F", "a pixel a clock"),
        "entry": (1, 0, "", "ro_levelset_entry", "F by a table, its bound,", "doubling"),
        "window": (2, 0, "memory", "ro_window", "one row of words,", "one of φ"),
        "norm": (3, 0, "", "ro_levelset_norm", "a (S − M) + 128 M", "9 clocks"),
        "move": (4, 0, "", "ro_levelset_pixel", "|F| N, rounded;", "φ ∓ its upper part"),
        "next": (4, 1, "", "the next step", "STEPS of them"),
        "out": (3, 1, "outside", "φ, F", "after STEPS steps"),
        "run": (1, 1, "", "ro_levelset_run", "passes, looks,", "rescaling, the end"),
        "memory": (0, 1, "memory outside", "memory", "outside the chip"),
    }, [("in", "r", "entry", "l", ""), ("entry", "r", "window", "l", ""),
        ("window", "r", "norm", "l", "p l r o u"), ("norm", "r", "move", "l", "N"),
        ("move", "b", "next", "t", ""), ("next", "l", "out", "r", ""),
        ("out", "l", "run", "r", ""), ("run", "t", "entry", "b", ""),
        ("run", "l", "memory", "r", "words")]),
    "errordiffusion": ({
        "in": (0, 0, "outside", "samples", "a pixel a clock"),
        "above": (1, 0, "", "ro_diffuse_above", "weights × errors", "of the row above"),
        "base": (2, 0, "", "ro_diffuse_base", "all that is known before", "the left pixel is"),
        "next": (3, 0, "", "ro_diffuse_next", "σ' = base + c + r v + z", "one carry chain"),
        "choice": (4, 0, "", "ro_diffuse_choice", "level and error"),
        "out": (5, 0, "outside", "levels", "their numbers"),
        "line": (1, 1, "memory", "line of errors", "WIDTH words"),
    }, [("in", "r", "above", "l", ""), ("above", "r", "base", "l", ""),
        ("base", "r", "next", "l", "3 bases"), ("next", "r", "choice", "l", "σ"),
        ("next", "b", "next", "b", "two signs choose the base"), ("choice", "r", "out", "l", ""),
        ("choice", "b", "line", "r", "errors"), ("line", "t", "above", "b", "")]),
    "errordiffusion_lines": ({
        "in": (0, 0, "outside", "samples", "a pixel a clock"),
        "rows": (1, 0, "memory", "four rows", "of samples"),
        "pairs": (1, 1, "", "ro_row_pairs", "row 2i, row 2i + 1", "SKEW columns behind"),
        "core": (2, 0, "", "ro_diffuse_core", "two lanes in turn:", "two clocks a loop"),
        "line": (2, 1, "memory", "line of errors", "of both lanes"),
        "levels": (3, 0, "memory", "eight rows", "of levels"),
        "out": (4, 0, "outside", "levels", "in their order"),
    }, [("in", "r", "rows", "l", ""), ("rows", "r", "core", "l", ""),
        ("pairs", "t", "rows", "b", "which"), ("core", "r", "levels", "l", ""),
        ("core", "b", "line", "t", "errors"), ("line", "t", "core", "b", ""),
        ("levels", "r", "out", "l", "")]),
    "diffusion": ({
        "in": (0, 0, "outside", "pixels", "a pixel a clock"),
        "row": (1, 0, "memory", "one row", "pixel, and pixel with", "what flowed in so far"),
        "flux": (2, 0, "", "ro_flux × 4", "edges W, N, NW, NE:", "w (p − q) / 2^16"),
        "sums": (3, 0, "", "sums", "one pixel loses what", "the other gets"),
        "out": (4, 0, "outside", "pixels", "a row later"),
    }, [("in", "r", "row", "l", ""), ("row", "r", "flux", "l", "n a l m"),
        ("flux", "r", "sums", "l", "fluxes"), ("sums", "r", "out", "l", ""),
        ("sums", "b", "row", "b", "rows below have not come yet")]),
}


def side(box, which):
    x, y = MARGIN + box[0] * COLUMN, MARGIN + box[1] * ROW
    return {"l": (x, y + HIGH / 2), "r": (x + WIDE, y + HIGH / 2),
            "t": (x + WIDE / 2, y), "b": (x + WIDE / 2, y + HIGH)}[which]


def wire(boxes, start, start_side, end, end_side, word):
    x0, y0 = side(boxes[start], start_side)
    x1, y1 = side(boxes[end], end_side)
    if start == end:  # a loop below the box
        path = "M%g,%g v22 h-60 v-22" % (x0 + 30, y0)
        at = (x0, y0 + 36)
    elif start_side == end_side == "b":
        path = "M%g,%g v22 H%g v-22" % (x0, y0, x1)
        at = ((x0 + x1) / 2, y0 + 36)
    elif start_side == "b" and end_side == "r":
        path = "M%g,%g V%g H%g" % (x0, y0, y1, x1)
        at = ((x0 + x1) / 2, y1 - 6)
    elif start_side in "lr":
        path = "M%g,%g H%g" % (x0, y0, x1)
        at = ((x0 + x1) / 2, y0 - 6)
    else:
        path = "M%g,%g V%g" % (x0, y0, y1)
        at = (x0 + 24, (y0 + y1) / 2 + 4)
    text = '  <path class="wire" d="%s"/>\n' % path
    if word:
        text += '  <text class="word" x="%g" y="%g">%s</text>\n' % (at + (word,))
    return text


def draw(boxes, wires):
    width = 2 * MARGIN + max(b[0] for b in boxes.values()) * COLUMN + WIDE
    height = 2 * MARGIN + max(b[1] for b in boxes.values()) * ROW + HIGH + 20
    text = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">\n'
            % (width, height, width, height))
    text += '  <style>%s  </style>\n' % STYLE
    text += ('  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker></defs>\n')
    text += '  <rect width="100%" height="100%" fill="#fff"/>\n'
    for box in boxes.values():
        x, y = side(box, "l")[0], side(box, "t")[1]
        text += '  <rect class="box %s" x="%g" y="%g" width="%d" height="%d" rx="5"/>\n' % (
            box[2], x, y, WIDE, HIGH)
        lines = box[3:]
        for i, line in enumerate(lines):
            text += '  <text class="%s" x="%g" y="%g">%s</text>\n' % (
                "what" if i else "name", x + WIDE / 2,
                y + HIGH / 2 + 5 + 15 * (i - (len(lines) - 1) / 2), line)
    for ends in wires:
        text += wire(boxes, *ends)
    return text + "</svg>\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tools/hdl/diagrams.py FOLDER")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, (boxes, wires) in DIAGRAMS.items():
        with open(os.path.join(sys.argv[1], name + ".svg"), "w", encoding="utf-8") as file:
            file.write(draw(boxes, wires))


if __name__ == "__main__":
    main()
