// SPDX-License-Identifier: MIT
// Runs the library off the page's thread, one job at a time.
import {load} from './module.js';

const port = globalThis.postMessage ? globalThis : (await import('node:worker_threads')).parentPort;
let library;

async function answer({id, call, args}) {
    try {
        let result;
        if (call === 'open') {
            library = await load(args[0]);
            const {version, methods, palettes} = library;
            result = {version, methods, palettes};
        } else {
            library.setProgress((phase, done) => port.postMessage({id, phase, done}));
            result = library[call](...args);
        }
        const move = [result?.data?.buffer, result?.raw?.buffer].filter(Boolean);
        port.postMessage({id, result}, move);
    } catch (error) {
        port.postMessage({id, error: error.message});
    }
}

if (port.on) port.on('message', answer);
else port.onmessage = (event) => answer(event.data);
