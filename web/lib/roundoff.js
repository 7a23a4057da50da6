// SPDX-License-Identifier: MIT
// Roundoff for browsers and Node: the C library as WebAssembly, in a Worker.
//
//     import roundoff from './roundoff.js';
//     const result = await roundoff.halftone(imageData, {palette: 'spectra6-panel'});
//     context.putImageData(result.toImageData(), 0, 0);
import {RoundoffError, hasSimd} from './module.js';

export {RoundoffError, hasSimd};

const inNode = typeof process === 'object' && Boolean(process.versions?.node);
const HALFTONE_CALLS = new Set(['halftone', 'measure', 'resize', 'testcard']);

/* Compiles a module beside this file, once. */
const compiled = new Map();
function compile(name) {
    if (!compiled.has(name)) compiled.set(name, fetchModule(new URL(name, import.meta.url)));
    return compiled.get(name);
}
async function fetchModule(url) {
    if (inNode) {
        const {readFile} = await import('node:fs/promises');
        return WebAssembly.compile(await readFile(url));
    }
    return WebAssembly.compileStreaming(fetch(url));
}

async function startWorker() {
    const url = new URL('worker.js', import.meta.url);
    if (!inNode) return new Worker(url, {type: 'module'});
    const {Worker: Thread} = await import('node:worker_threads');
    const thread = new Thread(url);
    thread.on('message', (data) => thread.onmessage?.({data}));
    thread.on('error', (error) => thread.onerror?.(error));
    return thread;
}

const aborted = (signal) => signal.reason ?? new DOMException('The job was stopped.', 'AbortError');

/** A Worker with one module. Jobs run one after another; stopping one starts a new Worker. */
class Line {
    constructor(name) {
        this.name = name;
        this.last = Promise.resolve();
        this.jobs = 0;
    }

    async open() {
        if (this.worker) return;
        const wasm = await compile(this.name);
        this.worker = await startWorker();
        this.about = await this.send('open', [wasm], {});
    }

    send(call, args, {signal, onProgress}) {
        const id = ++this.jobs, {worker} = this;
        return new Promise((resolve, reject) => {
            const end = (settle, value) => {
                signal?.removeEventListener('abort', stop);
                worker.onmessage = worker.onerror = null;
                worker.unref?.(); // of Node: a Worker that waits does not keep the process alive
                settle(value);
            };
            const stop = () => {
                worker.terminate();
                this.worker = null;
                end(reject, aborted(signal));
            };
            worker.onmessage = ({data}) => {
                if (data.id !== id) return;
                if (data.phase !== undefined) onProgress?.(data.phase, data.done);
                else if (data.error !== undefined) end(reject, new RoundoffError(data.error));
                else end(resolve, data.result);
            };
            worker.onerror = (event) => {
                this.worker = null;
                end(reject, new RoundoffError(event.message || 'the Worker ended'));
            };
            signal?.addEventListener('abort', stop, {once: true});
            worker.ref?.();
            worker.postMessage({id, call, args});
        });
    }

    /* Runs a call behind those that wait. */
    run(call, args, options = {}) {
        const {signal} = options;
        const job = this.last.then(async () => {
            if (signal?.aborted) throw aborted(signal);
            await this.open();
            return this.send(call, args, options);
        });
        this.last = job.catch(() => {});
        return job;
    }

    close() {
        this.worker?.terminate();
        this.worker = null;
    }
}

const plain = ({width, height, data}) => ({width, height, data});

function withImageData(result) {
    result.toImageData = () => new ImageData(result.data, result.width, result.height);
    return result;
}

/** Opens the library. It is loaded when it is first used. */
export function open({simd = hasSimd()} = {}) {
    const kind = simd ? 'simd' : 'scalar';
    const lines = {
        halftone: new Line(`roundoff-halftone-${kind}.wasm`),
        all: new Line(`roundoff-${kind}.wasm`),
    };
    const run = (call, args, options) =>
        lines[HALFTONE_CALLS.has(call) ? 'halftone' : 'all'].run(call, args, options);
    const about = async (what) => {
        const line = lines.halftone;
        line.last = line.last.then(() => line.open());
        await line.last;
        return line.about[what];
    };
    return {
        halftone: async (image, options = {}, running = {}) =>
            withImageData(await run('halftone', [plain(image), options], running)),
        denoise: async (image, options = {}, running = {}) =>
            withImageData(await run('denoise', [plain(image), options], running)),
        measure: (original, result, options = {}, running = {}) =>
            run('measure', [plain(original), plain(result), options], running),
        resize: async (image, width, height, {light = false, ...running} = {}) =>
            withImageData(await run('resize', [plain(image), width, height, light], running)),
        testcard: async (width, height, running = {}) =>
            withImageData(await run('testcard', [width, height], running)),
        methods: () => about('methods'),
        palettes: () => about('palettes'),
        version: () => about('version'),
        close: () => Object.values(lines).forEach((line) => line.close()),
    };
}

export default open();
