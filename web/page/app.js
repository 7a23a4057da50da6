// SPDX-License-Identifier: MIT
// The page: an image comes in, the form says what becomes of it, the viewer shows it.
import {open as openLibrary} from './roundoff.js';
import {TYPES, save} from './save.js';
import {PRESETS, codeOf, diffusesErrors, fillIn, isPanel, linkOf, optionsOf} from './settings.js';
import {Viewer} from './viewer.js';

const $ = (id) => document.getElementById(id);
const form = $('panel');
const roundoff = openLibrary(new URLSearchParams(location.search).get('simd') === '0' ? {simd: false} : {});
const view = new Viewer($('stage'), $('view'), $('divider'), (scale) => {
    $('scale').textContent = scale >= 1 ? `${scale}:1` : `1:${1 / scale}`;
});

let methods = [], palettes = [];
let picture = null, name = 'image', last = null; // what was opened, what was made of it
let placed = {key: null, image: null}; // the picture in the size and the turn of the form
const task = () => new FormData(form).get('task');

function say(text, bad = false) {
    $('status').textContent = text;
    $('status').className = bad ? 'bad' : '';
}

// ---- Work: the newest wish wins -----------------------------------------------------------------
let stopper = null, wanted = false, busy = false;

/* Turns an image to the right by steps of 90 degrees. */
function turned(image, degrees) {
    const quarter = degrees % 180 !== 0, {width: w, height: h} = image;
    const width = quarter ? h : w, height = quarter ? w : h;
    const from = new Uint32Array(image.data.buffer), to = new Uint32Array(width * height);
    for (let y = 0; y < h; y++)
        for (let x = 0; x < w; x++) {
            const [u, v] = {90: [h - 1 - y, x], 180: [w - 1 - x, h - 1 - y], 270: [y, w - 1 - x]}[degrees];
            to[v * width + u] = from[y * w + x];
        }
    return new ImageData(new Uint8ClampedArray(to.buffer), width, height);
}

/* The picture as the form wants it to lie, in its size. */
async function place(options, running) {
    const all = Object.fromEntries(new FormData(form));
    const light = Boolean(options.palette || options.linear);
    const key = task() === 'halftone' ? `${all.width} ${all.turn} ${light}` : '';
    if (placed.key === key) return placed.image;
    let image = picture;
    if (task() === 'halftone') {
        if (all.turn !== '0') image = turned(image, Number(all.turn));
        const width = Math.round(Number(all.width)) || image.width;
        const height = Math.max(1, Math.round(image.height * width / image.width));
        if (width !== image.width)
            image = (await roundoff.resize(image, width, height, {light, ...running})).toImageData();
    }
    placed = {key, image};
    view.setBefore(image);
    return image;
}

/* The result as an eye sees it that is adapted to the palette's black and white. */
function adapted(result) {
    const light = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const stored = (l) => 255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055);
    const whiteness = (c) => Math.min(...c), sum = (c) => c[0] + c[1] + c[2];
    const white = result.palette.reduce((a, b) => (whiteness(b) > whiteness(a) ? b : a)).map(light);
    const black = result.palette.reduce((a, b) => (sum(b) < sum(a) ? b : a)).map(light);
    const shown = result.palette.map((colour) => colour.map((v, i) =>
        stored(Math.min(1, Math.max(0, (light(v) - black[i]) / Math.max(1e-6, white[i] - black[i]))))));
    const data = new Uint8ClampedArray(result.data.length);
    result.raw.forEach((colour, i) => data.set([...shown[colour], 255], 4 * i));
    return {width: result.width, height: result.height, data};
}

async function halftone(options, running) {
    const image = await place(options, running);
    const result = await roundoff.halftone(image, options, running);
    const all = Object.fromEntries(new FormData(form));
    view.setAfter(all.adapt && isPanel(options.palette) ? adapted(result) : result);
    last = result;
    const figures = await roundoff.measure(image, result, {dpi: Number(all.dpi) || 120,
        distance: Number(all.distance), palette: isPanel(options.palette) ? options.palette : null}, running);
    say(`${result.width} × ${result.height} · ${result.milliseconds.toFixed(1)} ms (${result.cpu}) · `
        + `ΔE ${figures.deltaE.toFixed(1)} as seen from ${all.distance} mm`);
}

async function denoise(options, running) {
    const image = await place({}, running);
    const result = await roundoff.denoise(image, options, running);
    view.setAfter(result);
    last = result;
    const change = result.sumAfter - result.sumBefore;
    say(`${result.width} × ${result.height} · ${result.milliseconds.toFixed(0)} ms · noise `
        + `${result.noise.toFixed(1)} of 255 · ${change ? `sum changed by ${change}` : 'sum unchanged'}`);
}

async function run() {
    showForm();
    if (!picture) return;
    wanted = true;
    if (busy) {
        if (performance.now() - busy > 300) stopper.abort();
        return;
    }
    while (wanted) {
        wanted = false;
        busy = performance.now();
        stopper = new AbortController();
        document.body.dataset.state = 'busy';
        const later = setTimeout(() => { $('busy').hidden = false; }, 250);
        const running = {signal: stopper.signal, onProgress: (phase, done) => {
            $('phase').textContent = phase;
            $('bar').value = done;
        }};
        try {
            const options = optionsOf(form, methods);
            await (task() === 'denoise' ? denoise(options, running) : halftone(options, running));
            $('save').disabled = false;
        } catch (error) {
            if (error.name === 'AbortError') say(wanted ? '' : 'stopped');
            else say(error.message, true);
        }
        clearTimeout(later);
        $('busy').hidden = true;
        busy = false;
    }
    document.body.dataset.state = 'idle';
}

// ---- The form -----------------------------------------------------------------------------------
function showForm() {
    const all = Object.fromEntries(new FormData(form)), options = optionsOf(form, methods);
    for (const part of form.querySelectorAll('[data-task]')) part.hidden = part.dataset.task !== all.task;
    for (const part of form.querySelectorAll('[data-for]')) part.hidden = part.dataset.for !== all.kind;
    const method = methods.find((m) => m.name === all.method);
    $('summary').textContent = method ? `${method.summary}.` : 'The one that suits the output.';
    for (const part of form.querySelectorAll('[data-family]'))
        part.hidden = !diffusesErrors(methods, all.method);
    for (const part of form.querySelectorAll('[data-method]')) part.hidden = part.dataset.method !== all.method;
    for (const range of form.querySelectorAll('input[type=range]'))
        range.parentElement.querySelector('output').textContent = range.value;
    $('code').textContent = codeOf($('language').value, all.task, options,
        {name, width: all.task === 'halftone' ? all.width : '', turn: all.task === 'halftone' ? all.turn : '0'});
    $('keep').textContent = view.kept.length === 3 ? 'Forget' : 'Keep';
    $('type').hidden = all.task === 'denoise';
    remember();
}

/* Settings in the address and in this browser, never the image. */
const past = [];
let state = null, moving = false;
function remember() {
    const link = linkOf(form);
    if (link === state) return;
    if (state !== null && !moving) past.push(state);
    state = link;
    $('undo').disabled = past.length === 0;
    history.replaceState(null, '', link ? `#${link}` : location.pathname + location.search);
    try {
        localStorage.setItem('roundoff', link);
    } catch { /* the browser keeps nothing */ }
}

function restore(link) {
    moving = true;
    form.reset();
    fillIn(form, Object.fromEntries(new URLSearchParams(link)));
    run();
    moving = false;
}

function fill() {
    $('method').append(new Option('automatic', ''));
    for (const family of new Set(methods.map((m) => m.family))) {
        const group = document.createElement('optgroup');
        group.label = family;
        group.append(...methods.filter((m) => m.family === family).map((m) => new Option(m.name, m.name)));
        $('method').append(group);
    }
    for (const [i, palette] of palettes.entries()) {
        const label = document.createElement('label'), input = document.createElement('input');
        const strip = document.createElement('canvas'), c = strip.getContext('2d');
        Object.assign(input, {type: 'radio', name: 'palette', value: palette.name,
            checked: i === 0, defaultChecked: i === 0});
        label.title = palette.summary;
        strip.width = palette.colours.length;
        strip.height = 1;
        palette.colours.forEach((rgb, x) => {
            c.fillStyle = `rgb(${rgb})`;
            c.fillRect(x, 0, 1, 1);
        });
        label.append(input, palette.name, strip);
        $('palettes').append(label);
    }
    for (const [type, [text]] of Object.entries(TYPES)) $('type').append(new Option(text, type));
    for (const preset of Object.keys(PRESETS)) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = preset;
        button.onclick = () => {
            const kept = new FormData(form).get('task');
            form.reset();
            fillIn(form, {task: kept, ...PRESETS[preset]});
            run();
        };
        $('presets').append(button);
    }
}

// ---- Images -------------------------------------------------------------------------------------
async function take(file) {
    try {
        const bitmap = await createImageBitmap(file, {colorSpaceConversion: 'none', premultiplyAlpha: 'none'});
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d', {willReadFrequently: true});
        context.drawImage(bitmap, 0, 0);
        show(context.getImageData(0, 0, bitmap.width, bitmap.height), file.name || 'pasted.png');
    } catch {
        say(`${file.name || 'what was pasted'}: this browser cannot read it as an image; PNG, JPEG and WebP work`, true);
    }
}

function show(image, called) {
    picture = image;
    name = called;
    placed = {key: null, image: null};
    view.forget();
    $('file').textContent = `${name} · ${picture.width} × ${picture.height} · read by the browser as 8 bits`;
    run();
}

async function card() {
    show((await roundoff.testcard(1280, 960)).toImageData(), 'testcard.png');
}

// ---- What is pressed ----------------------------------------------------------------------------
form.addEventListener('input', run);
form.addEventListener('reset', () => setTimeout(run));
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('change', ({target}) => {
    if (target.name === 'palette') {
        form.elements.own.value = '';
        run();
    }
});
for (const task of document.getElementsByName('task')) task.addEventListener('input', () => {
    placed.key = null;
    last = null;
    run();
});
$('open').onclick = () => $('pick').click();
$('camera').onclick = () => $('shoot').click();
for (const input of [$('pick'), $('shoot')])
    input.onchange = () => input.files[0] && take(input.files[0]);
$('card').onclick = card;
$('in').onclick = () => view.step(1);
$('out').onclick = () => view.step(-1);
$('fit').onclick = () => view.fit();
$('one').onclick = () => view.centre(1);
$('keep').onclick = () => {
    if (view.kept.length === 3) view.forget();
    else view.keep($('code').textContent);
    for (const tag of [$('tag-before'), $('tag-after')]) tag.hidden = view.kept.length > 0;
    showForm();
};
$('stop').onclick = () => stopper?.abort();
$('undo').onclick = () => restore(past.pop() ?? '');
$('language').onchange = showForm;
$('copy').onclick = async () => {
    await navigator.clipboard.writeText($('code').textContent);
    $('copy').textContent = 'Copied';
    setTimeout(() => { $('copy').textContent = 'Copy'; }, 1200);
};
$('save').onclick = () => last && save(last, last.raw ? $('type').value : 'png',
    `${name.replace(/\.\w+$/, '')}-${task()}`);
addEventListener('dragover', (event) => {
    event.preventDefault();
    $('hint').hidden = false;
});
addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) $('hint').hidden = true;
});
addEventListener('drop', (event) => {
    event.preventDefault();
    $('hint').hidden = true;
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
});
addEventListener('paste', (event) => {
    const file = event.clipboardData.files[0];
    if (file) take(file);
});

[methods, palettes] = [await roundoff.methods(), await roundoff.palettes()];
fill();
let asked = location.hash.slice(1);
try {
    asked ||= localStorage.getItem('roundoff') ?? '';
} catch { /* the browser keeps nothing */ }
fillIn(form, Object.fromEntries(new URLSearchParams(asked)));
await card();
