// SPDX-License-Identifier: MIT
// The form as options of the library, and options as the same call elsewhere.
const USUAL = {strength: '100', noise: '0', brightness: '0', contrast: '0', gamma: '1'};
const FLAGS = new Set(['serpentine', 'linear', 'invert', 'impulse', 'fit']);

export const isPanel = (palette) => Boolean(palette?.endsWith('-panel'));

/** Whether a method takes the options of error diffusion. */
export const diffusesErrors = (methods, name) =>
    /diffusion/.test(methods.find((m) => m.name === name)?.family ?? '');

/** What a first look may start from: fields of the form. */
export const PRESETS = {
    'E-paper, six colours': {kind: 'palette', palette: 'spectra6-panel', width: '800'},
    'E-paper, four greys': {kind: 'palette', palette: 'grey4', width: '800'},
    'Newspaper': {kind: 'two', method: 'am', lpi: '30', angle: '45', dpi: '300'},
    'Thermal label': {kind: 'two', width: '812', dpi: '203', contrast: '10'},
    'Game Boy': {kind: 'palette', own: '#0f380f #306230 #8bac0f #9bbc0f', method: 'bayer4', width: '160'},
    'Screen': {kind: 'two', linear: 'on', dpi: '96'},
};

/** The options that a form stands for. */
export function optionsOf(form, methods) {
    const all = Object.fromEntries(new FormData(form)), options = {};
    if (all.task === 'denoise') {
        for (const name of ['model', 'noiseLevel', 'quality', 'impulse'])
            if (all[name]) options[name] = all[name] === 'on' ? 1 : all[name];
        if (all.amount !== '100') options.strength = all.amount / 100;
        return options;
    }
    const palette = all.kind === 'palette' ? all.own?.trim() || all.palette : null;
    if (all.kind === 'grey') options.levels = all.levels;
    if (palette) options.palette = palette;
    if (all.method) options.method = all.method;
    const diffuses = diffusesErrors(methods, all.method);
    const names = ['brightness', 'contrast', 'gamma', ...(diffuses ? ['strength', 'noise'] : [])];
    for (const name of names) if (all[name] !== USUAL[name]) options[name] = all[name];
    for (const name of ['linear', 'invert', ...(diffuses ? ['serpentine'] : [])])
        if (all[name]) options[name] = 1;
    if (all.method === 'am') Object.assign(options, {lpi: all.lpi, angle: all.angle, dpi: all.dpi});
    return options;
}

/* A word for a shell. */
const quoted = (text) => (/^[\w.,:+%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const lined = (name) => dashed(name).replaceAll('-', '_');

function commandOf(task, options, {name, width, turn}) {
    const stem = name.replace(/\.\w+$/, '');
    const words = ['roundoff', task, quoted(name), quoted(`${stem}-${task}.png`)];
    if (width) words.push('--resize', `${width}x`);
    if (turn !== '0') words.push('--rotate', turn);
    for (const [key, value] of Object.entries(options)) {
        words.push(`--${dashed(key)}`);
        if (!FLAGS.has(key)) words.push(quoted(String(value)));
    }
    return words.join(' ');
}

function pythonOf(task, options, {width}) {
    const value = (key, v) => (FLAGS.has(key) ? 'True' : Number.isNaN(Number(v)) ? JSON.stringify(v) : v);
    const words = Object.entries(options).map(([key, v]) => `${lined(key)}=${value(key, v)}`);
    if (width) words.unshift(`resize="${width}x"`);
    return `result = roundoff.${task}(${['image', ...words].join(', ')})`;
}

function cOf(task, options) {
    const text = (v) => (Number.isNaN(Number(v)) ? JSON.stringify(v) : v);
    const place = (key) => (/^(brightness|contrast|gamma|linear|invert)$/.test(key) ? 'tone.' : '') + lined(key);
    const words = Object.entries(options).filter(([key]) => key !== 'palette')
        .map(([key, v]) => `options.${place(key)} = ${text(v)};`);
    if (options.palette)
        words.unshift(`ro_palette_parse(context, ${text(options.palette)}, &palette);`,
            'options.palette = &palette;');
    return [`ro_${task}_options_init(&options, sizeof options);`, ...words,
        `ro_${task}(context, &in, &out, &options${task === 'denoise' ? ', NULL' : ''});`].join(' ');
}

/** The same call as a command, in Python or in C. */
export function codeOf(language, task, options, image) {
    return {command: commandOf, python: pythonOf, c: cOf}[language](task, options, image);
}

/** Fills in a form: fields that are not named keep their value. */
export function fillIn(form, fields) {
    for (const [name, value] of Object.entries(fields)) {
        const field = form.elements[name];
        if (!field) continue;
        if (field.type === 'checkbox') field.checked = Boolean(value);
        else {
            const before = field.value;
            field.value = value;
            if (field.value === '' && value !== '') field.value = before; // not among the choices
        }
    }
}

/** Fields that differ from the form's defaults, as the text of a link. */
export function linkOf(form) {
    const fields = new URLSearchParams();
    for (const field of form.elements) {
        if (!field.name) continue;
        if (field.type === 'radio') {
            if (field.checked && !field.defaultChecked) fields.set(field.name, field.value);
        } else if (field.type === 'checkbox') {
            if (field.checked !== field.defaultChecked) fields.set(field.name, field.checked ? 'on' : '');
        } else if (field.tagName === 'SELECT') {
            if (field.value !== field.options[0]?.value) fields.set(field.name, field.value);
        } else if (field.value !== field.defaultValue) fields.set(field.name, field.value);
    }
    return fields.toString();
}
