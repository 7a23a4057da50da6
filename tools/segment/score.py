# SPDX-License-Identifier: MIT
"""python3 tools/segment/score.py COMMAND [--before OLD] [--seeds 1,3] [--only NAME] [--peers]

Mean Dice of one random click an object, F1 at IoU 0.5 of objects that are found, and times, as
tables. OLD is another build of the command, whose clicks are compared. Peers are scikit-image's
watershed of the gradient with one click in the ground more, and its random walker. Times are the
least of five runs in turns on one thread, of the command without reading and starting."""
import argparse
import json
import subprocess
import tempfile

import numpy as np
from PIL import Image
from scipy import ndimage
from skimage import filters, segmentation

import fields


def run(command, picture, seeds, labelled=False):
    """Labels and seconds; seeds None: they are found. Without labels seeds are numbered from 1, as
    clicks() has them; builds before that need labels."""
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(picture).save(f"{folder}/in.png")
        words = ["--seeds", "auto"]
        if seeds is not None:
            with open(f"{folder}/seeds.csv", "w", encoding="ascii") as file:
                file.write("x,y,label\n" + "".join(f"{x},{y},{label if labelled else ''}\n"
                                                   for x, y, label in seeds))
            words[1] = f"{folder}/seeds.csv"
        done = subprocess.run([command, "segment", f"{folder}/in.png", f"{folder}/out.npy", *words,
                               "--force", "--json", "--threads", "1"],
                              check=True, capture_output=True)
        return np.load(f"{folder}/out.npy").astype(int), json.loads(done.stdout)["seconds"]


def dice(found, truth, seeds):
    many = max(found.max(), truth.max()) + 1
    one, two = np.bincount(found.ravel(), minlength=many), np.bincount(truth.ravel(), minlength=many)
    both = np.bincount(found[found == truth], minlength=many)
    return np.mean([2 * both[label] / max(1, one[label] + two[label]) for _, _, label in seeds])


def f1(found, truth, inner):
    """F1, of how many, and how many were found; with `inner` none that touch the border, which such a
    truth leaves out."""
    if inner:
        edge = np.unique(np.concatenate([found[0], found[-1], found[:, 0], found[:, -1]]))
        found = np.where(np.isin(found, edge), 0, found)
    rows, columns = truth.max() + 1, found.max() + 1
    both = np.bincount((truth * columns + found).ravel(), minlength=rows * columns).reshape(rows, columns)
    union = both.sum(1)[1:, None] + both.sum(0)[None, 1:] - both[1:, 1:]
    hits = (both[1:, 1:] / np.maximum(union, 1) > 0.5).any(1).sum()
    count = (both.sum(0)[1:] > 0).sum()
    return 2 * hits / max(1, count + rows - 1), rows - 1, count


def watershed(picture, truth, seeds, seed):
    random = np.random.default_rng(seed)
    markers = np.zeros(truth.shape, int)
    rows, columns = np.nonzero(truth == 0)
    k = random.integers(len(rows))
    ground = truth.max() + 1
    markers[rows[k], columns[k]] = ground
    for x, y, label in seeds:
        markers[y, x] = label
    found = segmentation.watershed(filters.sobel(ndimage.gaussian_filter(picture.astype(float), 1)), markers)
    return np.where(found == ground, 0, found)


def clicks_table(arguments, seeds):
    print("| field | objects | before | now | watershed | time now/before |\n|---|--:|--:|--:|--:|--:|")
    means = []
    for name, picture, truth, generated in fields.fields(seeds[0], arguments.only):
        scores = []
        for seed in seeds:
            if generated and seed != seeds[0]:
                picture, truth = next((p, t) for n, p, t, _ in fields.fields(seed, name) if n == name)
            for more in range(3 if truth.max() < 200 else 1):
                given = fields.clicks(truth, seed + 100 * more)
                scores.append([dice(run(command, picture, given, command == arguments.before)[0], truth,
                                    given) if command else np.nan
                               for command in (arguments.before, arguments.command)] +
                              [dice(watershed(picture, truth, given, seed), truth, given)
                               if arguments.peers else np.nan])
        times = [[run(command, picture, given, command == arguments.before)[1]
                  for command in (arguments.before, arguments.command) if command]
                 for _ in range(5)]
        least = np.min(times, 0)
        score = np.mean(scores, 0)
        means.append(score)
        ratio = f"{least[-1] / least[0]:.1f}" if arguments.before else "–"
        print(f"| {name} | {truth.max()} | {score[0]:.3f} | {score[1]:.3f} | {score[2]:.3f} | {ratio} |",
              flush=True)
    mean = np.mean(means, 0)
    print(f"| mean | | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | |")


def found_table(arguments, seeds):
    print("\n| field | objects | found | F1 | time, found/clicked |\n|---|--:|--:|--:|--:|")
    for name, picture, truth, generated in fields.fields(seeds[0], arguments.only):
        inner = name == "brick" or "text" in name
        scores, least = [], None
        for seed in seeds if generated else seeds[:1]:
            if generated and seed != seeds[0]:
                picture, truth = next((p, t) for n, p, t, _ in fields.fields(seed, name) if n == name)
            scores.append(f1(run(arguments.command, picture, None)[0], truth, inner))
        given = fields.clicks(truth, seeds[0])
        least = np.min([[run(arguments.command, picture, s)[1] for s in (None, given)]
                        for _ in range(5)], 0)
        score = np.mean(scores, 0)
        print(f"| {name} | {score[1]:.0f} | {score[2]:.0f} | {score[0]:.3f} | {least[0] / least[1]:.1f} |",
              flush=True)
    nothing = [run(arguments.command, fields.empty(seed), None)[0].max() for seed in range(40)]
    print(f"\nEmpty fields: {np.count_nonzero(nothing)} of 40 with an object.")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command")
    parser.add_argument("--before")
    parser.add_argument("--seeds", default="1,3")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    clicks_table(arguments, seeds)
    found_table(arguments, seeds)


if __name__ == "__main__":
    main()
