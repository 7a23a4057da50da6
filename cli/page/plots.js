/* SPDX-License-Identifier: MIT */
"use strict";
// A plot as SVG: axes {label, log, min, max}, series {name, colour, points: [[x, y, label]]}, drawn
// as lines, or as dots that can be chosen.
const colours = ["#06c", "#d40", "#090", "#a0c", "#a80", "#088", "#c06", "#666"];

function node(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

function ticks(axis) {
  const marks = [];
  if (axis.log) {
    for (let p = Math.floor(Math.log10(axis.min)); p <= Math.log10(axis.max) + 1e-9; p++)
      if (10 ** p >= axis.min * 0.999) marks.push(10 ** p);
    return marks;
  }
  const rough = (axis.max - axis.min) / 6, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * size).find(k => k >= rough);
  for (let k = Math.ceil(axis.min / step); k * step <= axis.max + step / 1e6; k++)
    marks.push(k * step);
  return marks;
}

function bounds(axis, values) {
  const seen = values.filter(v => Number.isFinite(v) && (!axis.log || v > 0));
  const low = Math.min(...seen), high = Math.max(...seen);
  const made = {...axis};
  if (made.min === undefined) made.min = axis.log ? low / 1.2 : low - (high - low || 1) * 0.06;
  if (made.max === undefined) made.max = axis.log ? high * 1.2 : high + (high - low || 1) * 0.06;
  return made;
}

function short(value) {
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(0)
    : String(+value.toPrecision(6));
}

function plot(host, {title, x, y, series, choose}) {
  const legend = series.length > 1 ? 18 * Math.ceil(series.length / 4) : 0;
  const width = 640, height = 380 + legend, left = 58, right = 12, top = 30, bottom = 44 + legend;
  const points = series.flatMap(s => s.points);
  if (points.length === 0) return;
  x = bounds(x, points.map(p => p[0]));
  y = bounds(y, points.map(p => p[1]));
  const place = (axis, v, from, to) => {
    const at = axis.log ? Math.log(v / axis.min) / Math.log(axis.max / axis.min)
      : (v - axis.min) / (axis.max - axis.min);
    return from + Math.max(0, Math.min(1, at)) * (to - from);
  };
  const px = v => place(x, v, left, width - right), py = v => place(y, v, height - bottom, top);
  const svg = node("svg", {viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img"});
  svg.append(node("title", {}, title), node("text", {x: left, y: 18}, title));
  for (const v of ticks(x)) {
    svg.append(node("line", {class: "grid", x1: px(v), x2: px(v), y1: top, y2: height - bottom}),
      node("text", {x: px(v), y: height - bottom + 16, "text-anchor": "middle"}, short(v)));
  }
  for (const v of ticks(y)) {
    svg.append(node("line", {class: "grid", x1: left, x2: width - right, y1: py(v), y2: py(v)}),
      node("text", {x: left - 6, y: py(v) + 4, "text-anchor": "end"}, short(v)));
  }
  svg.append(node("text", {x: (left + width) / 2, y: height - legend - 8, "text-anchor": "middle"}, x.label),
    node("text", {x: 14, y: height / 2, "text-anchor": "middle",
      transform: `rotate(-90 14 ${height / 2})`}, y.label));
  series.forEach((s, i) => {
    const colour = s.colour || colours[i % colours.length];
    const seen = s.points.filter(p => Number.isFinite(p[1]) && (!y.log || p[1] > 0));
    if (s.dots) {
      for (const p of seen) {
        const dot = node("circle", {class: "dot", cx: px(p[0]), cy: py(p[1]), r: 6, fill: colour,
          "fill-opacity": 0.75, tabindex: 0, "data-name": p[2]});
        dot.append(node("title", {}, p[2]));
        if (choose) dot.addEventListener("click", () => choose(p[2]));
        svg.append(dot);
      }
    } else {
      const path = seen.map((p, k) => `${k ? "L" : "M"}${px(p[0]).toFixed(1)} ${py(p[1]).toFixed(1)}`);
      svg.append(node("path", {class: "curve", stroke: colour, d: path.join("")}));
    }
    if (series.length > 1) {
      const lx = 20 + 155 * (i % 4), ly = height - legend + 10 + 18 * Math.floor(i / 4);
      svg.append(node("circle", {cx: lx, cy: ly - 4, r: 5, fill: colour}),
        node("text", {x: lx + 10, y: ly}, s.name));
    }
  });
  host.append(svg);
}

const fixed = (v, digits) => v === null || v === undefined ? "\u221e" : v.toFixed(digits);
const data = JSON.parse(document.getElementById("data").textContent);
