// SPDX-License-Identifier: MIT
// package.mjs FOLDER ROUNDOFF: the npm package gives the bytes of the command, with and without
// vectors, and refuses what the command refuses.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, command] = process.argv.slice(2);
const {default: roundoff, open, RoundoffError} =
    await import(pathToFileURL(resolve(folder, 'roundoff.js')));
const work = mkdtempSync(join(tmpdir(), 'roundoff-web-'));
let passed = 0;

/* A PPM without alpha. */
function writePpm(path, {width, height, data}) {
    const rgb = Buffer.alloc(3 * width * height);
    for (let i = 0; i < width * height; i++) rgb.set(data.subarray(4 * i, 4 * i + 3), 3 * i);
    writeFileSync(path, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), rgb]));
}

/* The samples of a Netpbm file with a header of three lines, or two of a PBM. */
function samples(path) {
    const bytes = readFileSync(path), lines = bytes[1] === 0x34 ? 2 : 3;
    let at = 0;
    for (let line = 0; line < lines; line++) at = bytes.indexOf(10, at) + 1;
    return bytes.subarray(at);
}

const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
function byCommand(task, image, options, out) {
    writePpm(join(work, 'in.ppm'), image);
    const words = Object.entries(options).flatMap(([name, value]) =>
        [`--${dashed(name)}`, ...(value === true ? [] : [String(value)])]);
    execFileSync(command, [task, join(work, 'in.ppm'), join(work, out), ...words, '--quiet']);
    return samples(join(work, out));
}

/* What the command writes of a result. */
function asWritten(result) {
    if (result.format === 'bits') {
        const row = Math.ceil(result.width / 8), bytes = result.raw.map((byte) => byte ^ 255);
        for (let y = 0; result.width % 8 && y < result.height; y++)
            bytes[(y + 1) * row - 1] &= 255 << (8 - result.width % 8);
        return bytes;
    }
    if (!result.palette) return result.data.filter((_, i) => i % 4 === 0); // levels as tones
    return Uint8Array.from(Array.from(result.raw).flatMap((colour) => result.palette[colour]));
}

const card = await roundoff.testcard(203, 151);
const grey = {width: 64, height: 40, data: Uint8ClampedArray.from({length: 4 * 64 * 40},
    (_, i) => (i % 4 === 3 ? 255 : (i >> 2) % 64 * 4))};
const CASES = [{}, {method: 'floyd-steinberg', serpentine: true}, {method: 'stucki', strength: 80},
    {method: 'bayer8'}, {method: 'blue-noise'}, {method: 'dbs'}, {method: 'am', lpi: 20, angle: 30, dpi: 300},
    {levels: 4}, {levels: 16, method: 'atkinson'}, {palette: 'spectra6'}, {palette: 'spectra6-panel'},
    {palette: 'auto:8'}, {palette: 'black white red', method: 'floyd-steinberg'},
    {linear: true, gamma: 1.2, brightness: 5, contrast: -10}, {method: 'random', seed: 7}];
for (const simd of [true, false]) {
    const library = open({simd});
    for (const image of [card, grey]) {
        for (const options of CASES) {
            const out = options.palette ? 'out.ppm' : (options.levels ?? 2) === 2 ? 'out.pbm' : 'out.pgm';
            const result = await library.halftone(image, options);
            assert.deepEqual(Buffer.from(asWritten(result)), byCommand('halftone', image, options, out),
                `${JSON.stringify(options)}, ${simd ? 'vectors' : 'scalar'}`);
            if (Object.keys(options).length === 0) assert.equal(result.cpu, simd ? 'v128' : 'scalar');
            passed++;
        }
    }
    for (const options of [{}, {quality: 'fast', noiseLevel: 10}, {model: 'anisotropic'}]) {
        const result = await library.denoise(card, options), expected = byCommand('denoise', card, options, 'out.ppm');
        const rgb = Buffer.alloc(expected.length);
        for (let i = 0; i < card.width * card.height; i++) rgb.set(result.data.subarray(4 * i, 4 * i + 3), 3 * i);
        assert.deepEqual(rgb, expected, `denoise ${JSON.stringify(options)}`);
        passed++;
    }
    const small = await library.resize(card, 100, 74);
    execFileSync(command, ['halftone', join(work, 'in.ppm'), join(work, 'small.ppm'), '--resize', '100x74',
        '--channels', 'rgb', '--levels', '256', '--method', 'floyd-steinberg', '--quiet']);
    const expected = samples(join(work, 'small.ppm'));
    for (let i = 0; i < 100 * 74; i++)
        assert.deepEqual([...small.data.subarray(4 * i, 4 * i + 3)], [...expected.subarray(3 * i, 3 * i + 3)]);
    passed++;
    library.close();
}

const figures = await roundoff.measure(card, card);
assert.equal(figures.deltaE, 0);
await assert.rejects(roundoff.halftone(card, {mehtod: 'fan'}), new RoundoffError('there is no option mehtod'));
await assert.rejects(roundoff.halftone(card, {method: 'floid'}), /did you mean/);
await assert.rejects(roundoff.halftone(card, {levels: 1}), /2 to/);
await assert.rejects(roundoff.halftone({width: 3, height: 3, data: new Uint8ClampedArray(4)}), /4 bytes/);
passed += 5;

const large = await roundoff.testcard(2000, 1500), stopper = new AbortController();
let seen = 0;
const search = roundoff.halftone(large, {method: 'dbs'}, {signal: stopper.signal, onProgress() {
    if (++seen === 2) stopper.abort();
}});
await assert.rejects(search, {name: 'AbortError'});
assert.ok(seen >= 2, 'the search was stopped while it ran');
assert.equal((await roundoff.halftone(card)).width, card.width);
passed += 2;

rmSync(work, {recursive: true});
console.log(`${passed} passed, 0 failed`);
