/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of discrete Fourier transforms, one radix each, for any type `real` that adds,
 * subtracts and multiplies: a float, a vector of them, a register of a device. This is the
 * definition to the bit: products and sums are rounded one by one, in the order written here.
 *
 * DFT_INLINE, DFT_LOOP (unrolls what follows) and `real` come from the file that includes this; if
 * not, a float it is.
 */
#ifndef RO_FFT_DFT_BUTTERFLY_H
#define RO_FFT_DFT_BUTTERFLY_H

#ifndef DFT_INLINE
typedef float real;
#define DFT_INLINE static inline
#define DFT_LOOP
#endif

enum { DFT_RADIX = 31 }; /* the largest prime factor */

/* (re, im) times (c, s). */
DFT_INLINE void dft_turn(real *re, real *im, float c, float s)
{
    const real x = *re * c - *im * s, y = *re * s + *im * c;
    *re = x;
    *im = y;
}

DFT_INLINE void dft_2(real *re, real *im)
{
    const real x = re[0] - re[1], y = im[0] - im[1];
    re[0] = re[0] + re[1];
    im[0] = im[0] + im[1];
    re[1] = x;
    im[1] = y;
}

DFT_INLINE void dft_3(real *re, real *im)
{
    const float half = 0.5f, root = 0.866025403784438647f;
    const real tx = re[1] + re[2], ty = im[1] + im[2];
    const real dx = (re[1] - re[2]) * root, dy = (im[1] - im[2]) * root;
    const real mx = re[0] - tx * half, my = im[0] - ty * half;
    re[0] = re[0] + tx;
    im[0] = im[0] + ty;
    re[1] = mx + dy;
    im[1] = my - dx;
    re[2] = mx - dy;
    im[2] = my + dx;
}

DFT_INLINE void dft_4(real *re, real *im)
{
    const real ax = re[0] + re[2], ay = im[0] + im[2], bx = re[0] - re[2], by = im[0] - im[2];
    const real cx = re[1] + re[3], cy = im[1] + im[3], dx = re[1] - re[3], dy = im[1] - im[3];
    re[0] = ax + cx;
    im[0] = ay + cy;
    re[2] = ax - cx;
    im[2] = ay - cy;
    re[1] = bx + dy;
    im[1] = by - dx;
    re[3] = bx - dy;
    im[3] = by + dx;
}

DFT_INLINE void dft_5(real *re, real *im)
{
    const float c1 = 0.309016994374947424f, c2 = -0.809016994374947424f;
    const float s1 = 0.951056516295153572f, s2 = 0.587785252292473129f;
    const real t1x = re[1] + re[4], t1y = im[1] + im[4], d1x = re[1] - re[4], d1y = im[1] - im[4];
    const real t2x = re[2] + re[3], t2y = im[2] + im[3], d2x = re[2] - re[3], d2y = im[2] - im[3];
    const real ax = re[0] + (t1x * c1 + t2x * c2), ay = im[0] + (t1y * c1 + t2y * c2);
    const real bx = re[0] + (t1x * c2 + t2x * c1), by = im[0] + (t1y * c2 + t2y * c1);
    const real px = d1x * s1 + d2x * s2, py = d1y * s1 + d2y * s2;
    const real qx = d1x * s2 - d2x * s1, qy = d1y * s2 - d2y * s1;
    re[0] = re[0] + (t1x + t2x);
    im[0] = im[0] + (t1y + t2y);
    re[1] = ax + py;
    im[1] = ay - px;
    re[4] = ax - py;
    im[4] = ay + px;
    re[2] = bx + qy;
    im[2] = by - qx;
    re[3] = bx - qy;
    im[3] = by + qx;
}

/* Any odd radix; turns: (cos, sin) of 2 pi i / radix for i below the radix. */
DFT_INLINE void dft_odd(int radix, const float *turns, real *re, real *im)
{
    real tx[DFT_RADIX / 2 + 1], ty[DFT_RADIX / 2 + 1], dx[DFT_RADIX / 2 + 1], dy[DFT_RADIX / 2 + 1];
    const int half = radix / 2;
    const real x = re[0], y = im[0];
    for (int j = 1; j <= half; j++) {
        tx[j] = re[j] + re[radix - j];
        ty[j] = im[j] + im[radix - j];
        dx[j] = re[j] - re[radix - j];
        dy[j] = im[j] - im[radix - j];
        re[0] = re[0] + tx[j];
        im[0] = im[0] + ty[j];
    }
    for (int k = 1; k <= half; k++) {
        real ax = x, ay = y, bx = dx[1] * turns[2 * k + 1], by = dy[1] * turns[2 * k + 1];
        for (int j = 1; j <= half; j++) {
            const float *turn = turns + 2 * (j * k % radix);
            ax = ax + tx[j] * turn[0];
            ay = ay + ty[j] * turn[0];
            if (j > 1) {
                bx = bx + dx[j] * turn[1];
                by = by + dy[j] * turn[1];
            }
        }
        re[k] = ax + by;
        im[k] = ay - bx;
        re[radix - k] = ax - by;
        im[radix - k] = ay + bx;
    }
}

#endif
