// SPDX-License-Identifier: MIT
// One instance of the library as WebAssembly: images in and out of its memory, options as texts.
// Calls are synchronous; roundoff.js runs them in a Worker.

export const Format = {GREY8: 1, GREY16: 2, GREYF: 3, RGB8: 4, RGB16: 5, RGBF: 6, BITS: 7, INDEX8: 8};

// The smallest module with a vector instruction.
const PROBE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1,
    8, 0, 65, 0, 253, 15, 253, 98, 11]);
export const hasSimd = () => WebAssembly.validate(PROBE);

/** The library refused a call, for the reason in its message. */
export class RoundoffError extends Error {
    name = 'RoundoffError';
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const BAD_FILE = 8; // EBADF: there are no files here

/** Makes an instance of a module, given as bytes or compiled. */
export async function load(wasm) {
    let memory;
    const state = {progress: null};
    const system = {
        clock_time_get(id, precision, at) {
            const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
            new DataView(memory.buffer).setBigUint64(at, nanoseconds, true);
            return 0;
        },
        proc_exit(code) {
            throw new RoundoffError(`the module ended (${code})`);
        },
    };
    const instance = await WebAssembly.instantiate(wasm, {
        wasi_snapshot_preview1: new Proxy(system, {
            get: (own, name) => own[name] ?? (() => BAD_FILE),
        }),
        page: {
            progress(phase, done) {
                state.progress?.(text(phase), done);
                return 0;
            },
        },
    });
    const calls = (instance.instance ?? instance).exports;
    memory = calls.memory;
    calls._initialize();

    const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
    function text(at) {
        if (!at) return null;
        const all = new Uint8Array(memory.buffer);
        return decoder.decode(all.slice(at, all.indexOf(0, at)));
    }
    function allocate(length) {
        const at = calls.web_alloc(Math.max(1, length)) >>> 0;
        if (!at) throw new RoundoffError(`no memory for ${length} bytes: the image is too large`);
        return at;
    }
    /* Runs `work` with a function that allocates memory, which is freed behind it. */
    function scoped(work) {
        const held = [];
        const room = (length) => {
            const at = allocate(length);
            held.push(at);
            return at;
        };
        const string = (value) => {
            const encoded = encoder.encode(`${value}\0`), at = room(encoded.length);
            bytes(at, encoded.length).set(encoded);
            return at;
        };
        try {
            return work(room, string);
        } finally {
            held.forEach((at) => calls.web_free(at));
        }
    }
    function check(status) {
        if (status) throw new RoundoffError(text(calls.web_message()) || `status ${status}`);
    }
    /* Options by their names in C, or as JavaScript spells them: noiseLevel. What is left out or null
     * has its default. */
    function setOptions(family, options) {
        check(calls[`web_${family}_begin`]());
        scoped((room, string) => {
            for (const [name, value] of Object.entries(options)) {
                if (value === undefined || value === null || value === false) continue;
                const known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
                const given = Array.isArray(value) ? value.join(' ') : value;
                check(calls[`web_${family}_set`](string(known), string(given)));
            }
        });
    }
    /* Copies RGBA into memory as grey, if it is grey, or as RGB over white. */
    function take(image, room) {
        const {width, height, data} = image, pixels = width * height;
        if (!(width > 0 && height > 0) || data.length !== 4 * pixels)
            throw new RoundoffError('an image needs width, height and 4 bytes per pixel');
        const rgba = room(4 * pixels), rgb = room(3 * pixels), grey = room(pixels);
        bytes(rgba, 4 * pixels).set(data);
        const colour = calls.web_take_rgba(rgba, rgb, grey, pixels);
        return {width, height, pixels, rgba, at: colour ? rgb : grey, channels: colour ? 3 : 1,
            format: colour ? Format.RGB8 : Format.GREY8};
    }
    const shown = (rgba, width, height) => ({
        width, height, data: new Uint8ClampedArray(bytes(rgba, 4 * width * height)),
    });
    function figures(names) {
        const all = new Float64Array(memory.buffer, calls.web_figures(), 16);
        return Object.fromEntries(names.map((name, i) => [name, all[i]]));
    }
    function colours() {
        const at = calls.web_palette() >>> 0;
        const count = new DataView(memory.buffer).getInt32(at, true);
        return Array.from({length: count}, (_, i) => [...bytes(at + 4 + 3 * i, 3)]);
    }
    function list(...getters) {
        const rows = [];
        for (let i = 0; getters[0](i); i++) rows.push(getters.map((get) => text(get(i))));
        return rows;
    }

    check(calls.web_open());
    return {
        version: text(calls.web_version()),
        methods: list(calls.web_method_name, calls.web_method_family, calls.web_method_summary)
            .map(([name, family, summary]) => ({name, family, summary})),
        palettes: list(calls.web_palette_name, calls.web_palette_summary).map(([name, summary]) =>
            scoped((room, string) => {
                check(calls.web_palette_parse(string(name)));
                return {name, summary, colours: colours()};
            })),
        setProgress(call) {
            state.progress = call;
        },

        /* Rounds an image. `raw` is what the command writes: packed bits (1 is white), or the number
         * of a level or of a colour for each pixel. */
        halftone(image, options = {}) {
            return scoped((room) => {
                const source = take(image, room), {width, height, pixels} = source;
                const levels = Number(options.levels ?? 2);
                const bits = !options.palette && levels === 2;
                if (!options.palette && levels > 256)
                    throw new RoundoffError(`levels ${levels}: images of a browser have up to 256`);
                const size = bits ? Math.ceil(width / 8) * height : pixels, out = room(size);
                setOptions('halftone', options);
                const began = performance.now();
                check(calls.web_halftone(source.at, source.format, out,
                    bits ? Format.BITS : Format.INDEX8, width, height));
                const milliseconds = performance.now() - began, cpu = text(calls.web_cpu());
                if (bits) calls.web_show_bits(out, source.rgba, width, height);
                else calls.web_show_index(out, source.rgba, pixels, options.palette ? 0 : levels);
                return {...shown(source.rgba, width, height), raw: bytes(out, size).slice(),
                    format: bits ? 'bits' : 'index8',
                    levels: options.palette ? null : levels,
                    palette: options.palette ? colours() : null, milliseconds, cpu};
            });
        },

        /* Compares two images of one size as an eye sees them. `palette` is what it is adapted to. */
        measure(original, result, {dpi = 96, distance = 300, palette = null} = {}) {
            return scoped((room, string) => {
                const before = take(original, room), after = take(result, room);
                if (before.width !== after.width || before.height !== after.height)
                    throw new RoundoffError('images to compare have one size');
                if (palette) check(calls.web_palette_parse(string(palette)));
                check(calls.web_measure(before.at, before.format, after.at, after.format,
                    before.width, before.height, dpi, distance, palette ? 1 : 0));
                return figures(['deltaE', 'deltaE95', 'sigma', 'redIn', 'greenIn', 'blueIn', 'redOut',
                    'greenOut', 'blueOut']);
            });
        },

        /* Resizes as the command does; `light` says whether light is mixed, or stored values. */
        resize(image, newWidth, newHeight, light = false) {
            if (newWidth === image.width && newHeight === image.height) return {...image};
            return scoped((room) => {
                const source = take(image, room), {width, height, channels} = source;
                const pixels = newWidth * newHeight, out = room(channels * pixels);
                const rgba = room(4 * pixels);
                check(calls.web_resize(source.at, source.format, width, height, out, newWidth,
                    newHeight, light ? 1 : 0));
                calls.web_show_rgb(out, rgba, pixels, channels);
                return shown(rgba, newWidth, newHeight);
            });
        },

        denoise(image, options = {}) {
            return scoped((room) => {
                const source = take(image, room), {width, height, pixels} = source;
                const out = room(source.channels * pixels);
                setOptions('denoise', options);
                const began = performance.now();
                check(calls.web_denoise(source.at, out, source.format, width, height));
                const milliseconds = performance.now() - began;
                calls.web_show_rgb(out, source.rgba, pixels, source.channels);
                return {...shown(source.rgba, width, height), milliseconds,
                    ...figures(['noise', 'sumBefore', 'sumAfter', 'impulses'])};
            });
        },

        testcard(width, height) {
            return scoped((room) => {
                const rgb = room(3 * width * height), rgba = room(4 * width * height);
                check(calls.web_testcard(rgb, Format.RGB8, width, height));
                calls.web_show_rgb(rgb, rgba, width * height, 3);
                return shown(rgba, width, height);
            });
        },
    };
}
