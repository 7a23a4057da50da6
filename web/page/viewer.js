// SPDX-License-Identifier: MIT
// Shows images of one size on a canvas: the original and a result with a divider between them, or up
// to four results side by side. From 1:1 up a pixel of the image is a whole number of the screen's
// own pixels; below that light is averaged, so that a halftone keeps its tone.
const STEPS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

const toLight = Float32Array.from({length: 256}, (_, v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
});
const fromLight = Uint8ClampedArray.from({length: 4096}, (_, i) => {
    const l = i / 4095;
    return 255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055) + 0.5;
});

/* The mean light of every n by n pixels. */
function averaged({width, height, data}, n) {
    const w = Math.ceil(width / n), h = Math.ceil(height / n), small = new ImageData(w, h);
    for (let y = 0; y < h; y++)
        for (let x = 0; x < w; x++) {
            const right = Math.min((x + 1) * n, width), bottom = Math.min((y + 1) * n, height);
            let r = 0, g = 0, b = 0;
            for (let v = y * n; v < bottom; v++)
                for (let u = x * n, i = 4 * (v * width + u); u < right; u++, i += 4) {
                    r += toLight[data[i]];
                    g += toLight[data[i + 1]];
                    b += toLight[data[i + 2]];
                }
            const scale = 4095 / ((right - x * n) * (bottom - y * n)), i = 4 * (y * w + x);
            small.data[i] = fromLight[Math.round(r * scale)];
            small.data[i + 1] = fromLight[Math.round(g * scale)];
            small.data[i + 2] = fromLight[Math.round(b * scale)];
            small.data[i + 3] = 255;
        }
    return small;
}

/* An image with its smaller copies, made when they are needed. */
class Picture {
    constructor(image, label = '') {
        Object.assign(this, {image, label, copies: new Map()});
    }

    /* A canvas of every n-th of the size. */
    at(n) {
        if (!this.copies.has(n)) {
            const source = n === 1 ? this.image : averaged(this.image, n);
            const canvas = new OffscreenCanvas(source.width, source.height);
            const pixels = source instanceof ImageData ? source
                : new ImageData(source.data, source.width, source.height);
            canvas.getContext('2d').putImageData(pixels, 0, 0);
            this.copies.set(n, canvas);
        }
        return this.copies.get(n);
    }
}

export class Viewer {
    constructor(stage, canvas, divider, onZoom) {
        Object.assign(this, {stage, canvas, divider, onZoom, scale: 1, x: 0, y: 0, split: 0.5});
        this.before = this.after = null;
        this.kept = [];
        this.context = canvas.getContext('2d', {alpha: false});
        new ResizeObserver((entries) => this.resize(entries[0])).observe(canvas);
        canvas.addEventListener('pointerdown', (event) => this.press(event));
        divider.addEventListener('pointerdown', (event) =>
            this.drag(event, divider, (dx) => this.setSplit(this.split + dx / this.canvas.width)));
        canvas.addEventListener('wheel', (event) => {
            event.preventDefault();
            if (Math.abs(event.deltaY) > 1)
                this.step(event.deltaY < 0 ? 1 : -1, event.offsetX * this.ratio(),
                    event.offsetY * this.ratio());
        }, {passive: false});
        canvas.addEventListener('keydown', (event) => this.key(event));
        divider.addEventListener('keydown', (event) => {
            const by = {ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1}[event.key];
            if (!by) return;
            this.setSplit(this.split + by);
            event.preventDefault();
        });
    }

    key(event) {
        const way = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60],
            ArrowDown: [0, -60]}[event.key];
        if (way) this.move(...way);
        else if (event.key === '+' || event.key === '=') this.step(1);
        else if (event.key === '-') this.step(-1);
        else return;
        event.preventDefault();
    }

    /* A click goes to onClick, if there is one, a drag moves the image. */
    press(event) {
        let moved = 0;
        this.drag(event, this.canvas, (dx, dy) => {
            moved += Math.abs(dx) + Math.abs(dy);
            this.move(dx, dy);
        });
        this.canvas.addEventListener('pointerup', (up) => {
            if (moved > 4 || !this.onClick || !this.before) return;
            const x = Math.floor((up.offsetX * this.ratio() - this.x) / this.scale);
            const y = Math.floor((up.offsetY * this.ratio() - this.y) / this.scale);
            const {width, height} = this.before.image;
            if (x >= 0 && y >= 0 && x < width && y < height) this.onClick(x, y);
        }, {once: true});
    }

    ratio() { return this.canvas.width / this.canvas.clientWidth; }

    resize(entry) {
        const box = entry.devicePixelContentBoxSize?.[0];
        this.canvas.width = box?.inlineSize ?? Math.round(entry.contentRect.width * devicePixelRatio);
        this.canvas.height = box?.blockSize ?? Math.round(entry.contentRect.height * devicePixelRatio);
        this.draw();
    }

    drag(event, on, move) {
        let [x, y] = [event.clientX, event.clientY];
        on.setPointerCapture(event.pointerId);
        const go = (e) => {
            move((e.clientX - x) * this.ratio(), (e.clientY - y) * this.ratio());
            [x, y] = [e.clientX, e.clientY];
        };
        on.addEventListener('pointermove', go);
        on.addEventListener('lostpointercapture', () => on.removeEventListener('pointermove', go),
            {once: true});
    }

    setBefore(image) {
        const same = this.before?.image.width === image.width
            && this.before?.image.height === image.height;
        this.before = new Picture(image, 'Original');
        this.after = null;
        if (same) this.draw();
        else {
            this.kept = [];
            this.whole();
        }
    }

    setAfter(image) {
        this.after = new Picture(image, 'Result');
        this.draw();
    }

    /* Keeps a result beside those that follow, at most three; returns how many there are. */
    keep(label) {
        if (this.after && this.kept.length < 3) this.kept.push(new Picture(this.after.image, label));
        this.draw();
        return this.kept.length;
    }

    forget() {
        this.kept = [];
        this.draw();
    }

    move(dx, dy) {
        this.x += Math.round(dx);
        this.y += Math.round(dy);
        this.draw();
    }

    setSplit(value) {
        this.split = Math.min(1, Math.max(0, value));
        this.divider.style.left = `${100 * this.split}%`;
        this.divider.setAttribute('aria-valuenow', Math.round(100 * this.split));
        this.draw();
    }

    zoom(scale, x = this.canvas.width / 2, y = this.canvas.height / 2) {
        this.x = Math.round(x - (x - this.x) * scale / this.scale);
        this.y = Math.round(y - (y - this.y) * scale / this.scale);
        this.scale = scale;
        this.onZoom(scale);
        this.draw();
    }

    step(by, x, y) {
        const next = STEPS[STEPS.indexOf(this.scale) + by];
        if (next) this.zoom(next, x, y);
    }

    centre(scale) {
        const {width, height} = this.before.image;
        this.scale = scale;
        this.x = Math.round((this.canvas.width / (this.kept.length + 1) - width * scale) / 2);
        this.y = Math.round((this.canvas.height - height * scale) / 2);
        this.onZoom(scale);
        this.draw();
    }

    /* The largest of the scales at which the whole image is seen, at least `least`. */
    whole(least = 1) {
        if (!this.before) return;
        const {width, height} = this.before.image;
        const most = Math.min(this.canvas.width / width, this.canvas.height / height);
        this.centre(STEPS.filter((s) => s <= most && s >= least).at(-1) ?? least);
    }

    fit() { this.whole(STEPS[0]); }

    draw() {
        this.waiting ||= requestAnimationFrame(() => {
            this.waiting = 0;
            this.paint();
        });
    }

    /* Paints an image between two columns, its own left end being at `x`. */
    part(picture, x, from, to) {
        const {context: c, canvas, scale} = this, copy = picture.at(scale < 1 ? 1 / scale : 1);
        const enlarge = Math.max(1, scale);
        c.save();
        c.beginPath();
        c.rect(from, 0, to - from, canvas.height);
        c.clip();
        c.drawImage(copy, x, this.y, copy.width * enlarge, copy.height * enlarge);
        c.restore();
    }

    paint() {
        const {context: c, canvas, before, after} = this;
        c.fillStyle = getComputedStyle(this.stage).backgroundColor;
        c.fillRect(0, 0, canvas.width, canvas.height);
        this.divider.hidden = this.kept.length > 0;
        if (!before) return;
        c.imageSmoothingEnabled = false;
        if (this.kept.length) {
            const all = [...this.kept, after ?? before], width = canvas.width / all.length;
            all.forEach((picture, i) => {
                const from = Math.round(i * width);
                this.part(picture, from + this.x, from, Math.round((i + 1) * width) - 1);
            });
        } else {
            const at = Math.round(this.split * canvas.width);
            this.part(before, this.x, 0, at);
            this.part(after ?? before, this.x, at, canvas.width);
        }
    }
}
