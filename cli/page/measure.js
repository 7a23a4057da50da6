/* SPDX-License-Identifier: MIT */
"use strict";
// The page of one result: figures, plots, enlarged details.
const body = document.body;

function section(title, text) {
  body.append(element("h2", {}, title));
  if (text) body.append(element("p", {}, text));
}

function rows(list) {
  const table = element("table", {});
  for (const [name, ...cells] of list)
    table.append(element("tr", {}, element("td", {}, name), ...cells.map(c => element("td", {}, c))));
  body.append(element("div", {class: "scroll"}, table));
}

body.append(element("h1", {}, `${data.result} against ${data.original}`),
  element("p", {}, `${data.width} \u00d7 ${data.height} pixels, ${data.pixels_per_degree.toFixed(1)} ` +
    `pixels a degree, an eye of ${data.sigma.toFixed(2)} pixels. Errors in 255ths of white. ` +
    `Roundoff ${data.version}.`));

section("Error");
rows([
  ["without an eye", fixed(255 * data.rms, 3), `${fixed(data.psnr, 2)} dB`],
  ["after the eye, a Gaussian", fixed(255 * data.rms_gaussian, 3), `${fixed(data.psnr_gaussian, 2)} dB`],
  ["after the eye, contrast sensitivity", fixed(255 * data.rms_contrast, 3),
    `${fixed(data.psnr_contrast, 2)} dB`],
  ["SSIM after the eye", fixed(data.ssim, 4), ""],
  ["mean tone", fixed(255 * data.tone_error, 3), ""],
  ["tone, rms of the levels", fixed(255 * data.tone_rms, 3), ""],
  ...["left", "right", "top", "bottom"].map(k => [`tone along the ${k} border`,
    fixed(255 * data.border[k], 2), ""]),
  ["seen in the frame, inside of it", fixed(255 * data.border.rms, 3),
    fixed(255 * data.border.rms_inside, 3)],
]);

if (data.dots) {
  const d = data.dots;
  section("Dots", "Pixels of the colour that is rarer where they are. Clumping is 0 for dots that " +
    "keep apart, 1 for random ones, more for clusters.");
  rows([
    ["dots", String(d.dots)], ["pixels of a dot", fixed(d.dots ? d.pixels / d.dots : 0, 2)],
    ["single pixels", String(d.single)], ["largest, pixels", String(d.largest)],
    ["clumping", fixed(d.clumping, 3)], ["mean run across", fixed(d.run_across, 2)],
    ["mean run down", fixed(d.run_down, 2)],
  ]);
}

section("Details", "Enlarged, the original before the result. The first is where the tone of small " +
  "squares is off the most.");
const crops = element("div", {class: "crops", id: "crops"});
for (const crop of data.crops)
  for (const which of ["original", "result"])
    crops.append(element("figure", {}, element("img", {src: crop[which], alt: which}),
      element("figcaption", {}, `${which}, from (${crop.x}, ${crop.y})`)));
body.append(crops);

section("Plots");
const plots = element("div", {class: "plots", id: "plots"});
body.append(plots);
plot(plots, {title: "Tone curve", x: {label: "tone in", min: 0, max: 255},
  y: {label: "tone out", min: 0, max: 255}, series: [
    {name: "equal", colour: "#888", points: [[0, 0], [255, 255]]},
    {name: "result", points: data.levels.map(l => [255 * l.in, 255 * l.out])}]});
plot(plots, {title: "Tone error per level", x: {label: "tone in", min: 0, max: 255},
  y: {label: "error, 255ths"}, series: [
    {name: "error", points: data.levels.map(l => [255 * l.in, 255 * (l.out - l.in)])}]});
const ring = data.spectrum.length * Math.SQRT2;
plot(plots, {title: "Spectrum of the whole error", x: {label: "cycles a pixel", min: 0, max: 0.71},
  y: {label: "power, white noise = 1", log: true}, series: [
    {name: "power", points: data.spectrum.map((p, i) => [(i + 0.5) / ring, Math.max(p, 1e-4)])}]});
const fields = data.fields.filter(f => f.power.length);
const chosen = fields.filter((f, i) => i % Math.ceil(fields.length / 6) === 0);
if (chosen.length) {
  const lines = (key, least) => chosen.map(f => ({name: `grey ${f.level}`, points: f[key]
    .map((p, i) => [(i + 1) / (f.power.length * Math.SQRT2), p])
    .filter(p => p[1] > 0).map(p => [p[0], Math.max(p[1], least)])}));
  plot(plots, {title: "Radially averaged spectra of flat greys",
    x: {label: "cycles a pixel", min: 0, max: 0.71},
    y: {label: "power, white noise = 1", log: true}, series: lines("power", 1e-4)});
  plot(plots, {title: "Anisotropy of flat greys", x: {label: "cycles a pixel", min: 0, max: 0.71},
    y: {label: "dB"}, series: lines("anisotropies", 0.01).map(s => ({...s,
      points: s.points.map(p => [p[0], 10 * Math.log10(p[1])])}))});
  section("Texture of flat greys", "In dB: grain is power below half of the dots' own frequency, " +
    "worms the strongest direction over the mean, 0 is isotropic.");
  const table = [["grey", "squares", "grain", "worms", "anisotropy", "peak", "tone error"]];
  for (const f of data.fields)
    table.push([String(f.level), String(f.tiles), ...["grain", "worms", "anisotropy", "peak"].map(
      k => f.rms > 0 ? fixed(f[k], 1) : ""), fixed(255 * (f.out - f.in), 2)]);
  rows(table);
}
