// SPDX-License-Identifier: MIT
// Files of a result: packed bits, Netpbm, BMP, a C array, PNG.

/* Rows of packed bits, the first pixel in the highest bit; 1 is white. */
function packed(result) {
    if (result.format === 'bits') return result.raw;
    const count = result.palette?.length ?? result.levels, {width, height, raw} = result;
    const bits = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8, each = 8 / bits;
    const row = Math.ceil(width / each), bytes = new Uint8Array(row * height);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
            bytes[y * row + Math.floor(x / each)] |=
                raw[y * width + x] << (8 - bits - bits * (x % each));
    return bytes;
}

function join(header, bytes) {
    const head = new TextEncoder().encode(header), all = new Uint8Array(head.length + bytes.length);
    all.set(head);
    all.set(bytes, head.length);
    return all;
}

/* PBM for bits, whose 1 is black there; else PGM of tones or PPM of colours. */
function netpbm(result) {
    const {width, height, raw, palette, data} = result;
    if (result.format === 'bits') {
        const row = Math.ceil(width / 8), bytes = raw.map((byte) => byte ^ 255);
        for (let y = 0; width % 8 && y < height; y++)
            bytes[(y + 1) * row - 1] &= 255 << (8 - width % 8);
        return join(`P4\n${width} ${height}\n`, bytes);
    }
    if (!palette)
        return join(`P5\n${width} ${height}\n255\n`, raw.map((_, i) => data[4 * i]));
    const bytes = new Uint8Array(3 * raw.length);
    raw.forEach((colour, i) => bytes.set(palette[colour], 3 * i));
    return join(`P6\n${width} ${height}\n255\n`, bytes);
}

/* A BMP with a palette of 1 or 8 bits, rows from the bottom up. */
function bmp(result) {
    const {width, height, raw} = result, one = result.format === 'bits';
    const grey = (count) => Array.from({length: count}, (_, i) => Array(3).fill(255 * i / (count - 1)));
    const colours = result.palette ?? grey(one ? 2 : result.levels);
    const from = one ? Math.ceil(width / 8) : width, row = Math.ceil(from / 4) * 4;
    const start = 54 + 4 * colours.length, bytes = new Uint8Array(start + row * height);
    const view = new DataView(bytes.buffer);
    [0x42, 0x4d].forEach((letter, i) => { bytes[i] = letter; });
    [[2, bytes.length], [10, start], [14, 40], [18, width], [22, height], [34, row * height],
        [46, colours.length]].forEach(([at, value]) => view.setUint32(at, value, true));
    view.setUint16(26, 1, true);
    view.setUint16(28, one ? 1 : 8, true);
    colours.forEach(([r, g, b], i) => bytes.set([b, g, r, 0].map(Math.round), 54 + 4 * i));
    for (let y = 0; y < height; y++)
        bytes.set(raw.subarray(y * from, (y + 1) * from), start + (height - 1 - y) * row);
    return bytes;
}

function carray(result, name) {
    const word = name.replace(/\W+/g, '_').replace(/^(\d)/, '_$1'), bytes = packed(result);
    const lines = [];
    for (let i = 0; i < bytes.length; i += 16)
        lines.push(`    ${Array.from(bytes.subarray(i, i + 16), (b) =>
            `0x${b.toString(16).padStart(2, '0')}`).join(', ')},`);
    return `enum { ${word}_width = ${result.width}, ${word}_height = ${result.height} };\n`
        + `static const unsigned char ${word}[${bytes.length}] = {\n${lines.join('\n')}\n};\n`;
}

async function png(result) {
    const canvas = new OffscreenCanvas(result.width, result.height);
    canvas.getContext('2d').putImageData(
        new ImageData(result.data, result.width, result.height), 0, 0);
    return canvas.convertToBlob();
}

/** The types that a result can be saved as: a text for the menu, the ending, the contents. */
export const TYPES = {
    png: ['PNG', () => 'png', png],
    netpbm: ['PBM, PGM or PPM', (r) => (r.format === 'bits' ? 'pbm' : r.palette ? 'ppm' : 'pgm'), netpbm],
    bmp: ['BMP', () => 'bmp', bmp],
    c: ['C array', () => 'h', carray],
    bits: ['packed bits', () => 'bin', packed],
};

/** Offers a result as a download. */
export async function save(result, type, name) {
    const [, ending, encode] = TYPES[type], content = await encode(result, name);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content]));
    link.download = `${name}.${ending(result)}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
