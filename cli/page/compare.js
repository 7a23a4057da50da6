/* SPDX-License-Identifier: MIT */
"use strict";
// The page of a comparison: panes with one zoom and pan for all, a slider between two, a table that
// sorts, speed against quality.
const body = document.body, methods = data.methods;
const pictures = new Map([["original", data.original], ...methods.map(m => [m.name, m.picture])]);
const view = {scale: 1, x: 0, y: 0}, panes = [];

body.append(element("h1", {}, `Methods on ${data.input}`), element("p", {},
  `${data.width} \u00d7 ${data.height} pixels, ${methods.length} methods, the best of up to three runs each on ` +
  `${data.machine}, Roundoff ${data.version}. An eye of ${data.sigma.toFixed(2)} pixels ` +
  `(${data.dpi.toFixed(0)} dpi at ${data.distance.toFixed(0)} mm` +
  (data.adapted ? `, adapted to ${data.adapted}).` : ").") +
  (data.crop.width < data.width || data.crop.height < data.height
    ? ` The pictures show ${data.crop.width} \u00d7 ${data.crop.height} pixels from ` +
      `(${data.crop.x}, ${data.crop.y}); figures are of the whole.` : "")));

// ---- panes -------------------------------------------------------------------------------------
// A pane may be wider than the first: its picture stands as far from the middle as there.
const shift = pane => (pane.clientWidth - panes[0].clientWidth) / 2;

function show() {
  for (const pane of panes) {
    pane.classList.toggle("fine", view.scale * devicePixelRatio >= 1);
    for (const image of pane.querySelectorAll("img"))
      image.style.transform =
        `translate(${view.x + shift(pane)}px, ${view.y}px) scale(${view.scale})`;
  }
  document.getElementById("scale").textContent = `${Math.round(view.scale * 100)} %`;
}

function zoom(factor, x, y) {
  const scale = Math.max(0.1, Math.min(32, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  show();
}

// The middle of the pictures, at a scale; without one, whole.
function centre(scale) {
  const pane = panes[0];
  view.scale = scale || Math.min(pane.clientWidth / data.crop.width, pane.clientHeight / data.crop.height);
  view.x = (pane.clientWidth - view.scale * data.crop.width) / 2;
  view.y = (pane.clientHeight - view.scale * data.crop.height) / 2;
  show();
}

// A dot of the halftone for a dot of the screen: at any other scale dots alias.
const one = () => centre(1 / devicePixelRatio);

function make_pane(id) {
  const pane = element("div", {class: "pane", id}), touches = new Map();
  pane.addEventListener("wheel", event => {
    event.preventDefault();
    const box = pane.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.left - shift(pane),
      event.clientY - box.top);
  }, {passive: false});
  pane.addEventListener("pointerdown", event => {
    pane.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, event);
  });
  pane.addEventListener("pointermove", event => {
    const before = touches.get(event.pointerId);
    if (!before) return;
    const others = [...touches.values()].filter(t => t.pointerId !== event.pointerId);
    view.x += (event.clientX - before.clientX) / touches.size;
    view.y += (event.clientY - before.clientY) / touches.size;
    if (others.length === 1) {
      const far = t => Math.hypot(t.clientX - others[0].clientX, t.clientY - others[0].clientY);
      const box = pane.getBoundingClientRect(), left = box.left + shift(pane);
      zoom(far(event) / Math.max(1, far(before)), (event.clientX + others[0].clientX) / 2 - left,
        (event.clientY + others[0].clientY) / 2 - box.top);
    }
    touches.set(event.pointerId, event);
    show();
  });
  for (const end of ["pointerup", "pointercancel"])
    pane.addEventListener(end, event => touches.delete(event.pointerId));
  panes.push(pane);
  return pane;
}

function chooser(id, name, change) {
  const select = element("select", {id, "aria-label": id});
  for (const key of pictures.keys()) select.append(element("option", {value: key}, key));
  select.value = name;
  select.addEventListener("change", () => change(select.value));
  return select;
}

function picture(name) {
  const image = element("img", {src: pictures.get(name), alt: name});
  image.draggable = false;
  return image;
}

const button = (id, label, action) => {
  const made = element("button", {id}, label);
  made.addEventListener("click", action);
  return made;
};
const middle = () => [panes[0].clientWidth / 2, panes[0].clientHeight / 2];
body.append(element("h2", {}, "Side by side"), element("div", {class: "tools"},
  button("in", "+", () => zoom(2, ...middle())), button("out", "\u2212", () => zoom(0.5, ...middle())),
  button("one", "1:1", one), button("fit", "fit", () => centre()), element("span", {id: "scale"}),
  element("span", {}, "drag to move, wheel or two fingers to zoom: all pictures follow")));
const grid = element("div", {class: "panes", id: "panes"});
body.append(grid);
const first = ["original", ...methods.map(m => m.name)].slice(0, 4);
const choosers = first.map((name, i) => {
  const pane = make_pane(`pane${i}`), select = chooser(`choose${i}`, name, chosen => {
    pane.replaceChildren(picture(chosen), element("span", {class: "name"}, chosen));
    show();
  });
  pane.append(picture(name), element("span", {class: "name"}, name));
  grid.append(element("div", {}, select, pane));
  return select;
});

// ---- the slider --------------------------------------------------------------------------------
body.append(element("h2", {}, "Slider between two"));
const slider = make_pane("slider"), range = element("input", {type: "range", id: "range", min: 0,
  max: 100, value: 50, "aria-label": "how much of the left picture"});
const sides = ["original", methods[0].name];
function slide() {
  const images = slider.querySelectorAll("img"), at = slider.clientWidth * range.value / 100;
  const inside = (at - view.x - shift(slider)) / view.scale;
  images[1].style.clipPath = `inset(0 0 0 ${Math.max(0, inside)}px)`;
  slider.querySelector(".edge").style.left = `${at}px`;
}
function fill_slider() {
  slider.replaceChildren(picture(sides[0]), picture(sides[1]), element("span", {class: "name"},
    sides[0]), element("span", {class: "name right"}, sides[1]), element("span", {class: "edge"}));
  show();
}
const show_panes = show;
show = () => { show_panes(); slide(); };
const selects = sides.map((name, i) => chooser(["left", "right"][i], name, chosen => {
  sides[i] = chosen;
  fill_slider();
}));
range.addEventListener("input", slide);
body.append(element("div", {class: "tools"}, ...selects), slider, range);

function choose(name) {
  selects[1].value = sides[1] = name;
  fill_slider();
  choosers[1].value = name;
  choosers[1].dispatchEvent(new Event("change"));
}

// ---- speed and quality -------------------------------------------------------------------------
body.append(element("h2", {}, "Speed and quality"));
const plots = element("div", {class: "plots", id: "plots"});
body.append(plots);
const families = [...new Set(methods.map(m => m.family))];
const speed_plot = (title, label, key) => plot(plots, {title, choose,
  x: {label: "megapixels a second", log: true}, y: {label},
  series: families.map(f => ({name: f, dots: true, points: methods.filter(m => m.family === f)
    .map(m => [m.speed, m[key], m.name])}))});
if (data.colours) speed_plot("Speed against differences of colour", "\u0394E 2000", "delta_e");
speed_plot("Speed against PSNR after the eye", "dB", "psnr_gaussian");
speed_plot("Speed against SSIM after the eye", "SSIM", "ssim");

// ---- the table ---------------------------------------------------------------------------------
const columns = [
  ["name", "method", m => m.name], ["speed", "Mpixel/s", m => fixed(m.speed, 1)],
  ["seconds", "ms", m => fixed(1e3 * m.seconds, 2)],
  ...(data.colours ? [["delta_e", "\u0394E 2000 eye", m => fixed(m.delta_e, 2)]] : []),
  ["psnr_gaussian", "PSNR eye", m => fixed(m.psnr_gaussian, 2)],
  ["psnr_contrast", "PSNR contrast", m => fixed(m.psnr_contrast, 2)],
  ["ssim", "SSIM eye", m => fixed(m.ssim, 4)],
  ["tone", "tone error", m => fixed(255 * m.tone_error, 3)],
  ["tone_rms", "tone rms", m => fixed(255 * m.tone_rms, 2)],
  ["grain", "grain dB", m => fixed(m.grain, 1)], ["worms", "worms dB", m => fixed(m.worms, 1)],
  ["anisotropy", "anisotropy dB", m => fixed(m.anisotropy, 1)],
  ["clumping", "clumping", m => fixed(m.clumping, 2)],
  ["border", "border", m => fixed(255 * m.border, 2)],
];
for (const m of methods) m.tone = Math.abs(m.tone_error);
body.append(element("h2", {}, "Figures"), element("p", {}, "A click on a heading sorts, a click on a " +
  "name shows the method. Errors are 255ths of white. Grain, worms, anisotropy and clumping come " +
  `from flat greys (${data.greys.join(", ")} of 255); a method without texture there has none.`));
const table = element("table", {id: "figures"}), head = element("tr", {}), rows = element("tbody", {});
let sorted = {key: "psnr_gaussian", down: true};
function sort() {
  const value = m => m[sorted.key] === null || m[sorted.key] === undefined
    ? (sorted.down ? -Infinity : Infinity) : m[sorted.key];
  const order = [...methods].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) *
    (sorted.down ? -1 : 1));
  rows.replaceChildren(...order.map(m => {
    const name = element("button", {}, m.name);
    name.addEventListener("click", () => choose(m.name));
    return element("tr", {}, element("td", {}, name), ...columns.slice(1).map(c =>
      element("td", {}, m[c[0]] === undefined ? "" : c[2](m))));
  }));
  for (const cell of head.children)
    cell.setAttribute("aria-sort", cell.id !== `by-${sorted.key}` ? "none"
      : sorted.down ? "descending" : "ascending");
}
for (const [key, label] of columns) {
  const press = element("button", {}, label);
  press.addEventListener("click", () => {
    sorted = {key, down: sorted.key === key ? !sorted.down : key !== "name"};
    sort();
  });
  head.append(element("th", {id: `by-${key}`, scope: "col"}, press));
}
table.append(element("thead", {}, head), rows);
body.append(element("div", {class: "scroll"}, table));
sort();
fill_slider();
one();
addEventListener("resize", one);
