// SPDX-License-Identifier: MIT
// From pixels and the errors above them to levels and errors: the parts of error diffusion one behind
// the other. See ro_diffuse_above for `shift` and lanes; results come 12 + LANES clocks after the
// place that is AHEAD of the pixel.
module ro_diffuse_core #(
    parameter [191:0] KERNEL = "floyd-steinberg",
    parameter LEVELS = 2,
    parameter MAXVAL = 255,
    parameter LANES = 1,
    parameter ERROR_BITS = 12,
    parameter IN_BITS = $clog2(MAXVAL + 1),
    parameter OUT_BITS = $clog2(LEVELS)
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  shift,
    input  wire                  in_beat,
    input  wire                  in_last,
    input  wire                  in_top,
    input  wire [   IN_BITS-1:0] in_pixel,
    input  wire [ERROR_BITS-1:0] in_error,
    output wire                  out_valid,
    output wire                  out_last,
    output wire                  out_top,
    output wire [  OUT_BITS-1:0] out_level,
    output wire [ERROR_BITS-1:0] out_error
);
`include "ro_kernels.vh"
    wire sum_valid, sum_last, sum_top, base_valid, base_last, loop_valid, loop_last, loop_low;
    wire [PIXEL_BITS-1:0] sum_pixel;
    wire [LEVEL_BITS-1:0] base_mid_level, loop_mid;
    wire [SUM_BITS-1:0] sum, sigma;
    wire [SUM_BITS-1:0] base_above, base_mid, base_below, sign_above, sign_mid, sign_below;
    wire [SUM_BITS-1:0] low_above, low_mid, low_below;

    ro_diffuse_above #(
        .PIXEL_BITS(PIXEL_BITS),
        .ERROR_BITS(ERROR_BITS),
        .SUM_BITS(SUM_BITS),
        .LANES(LANES),
        .AHEAD(AHEAD),
        .BEHIND(BEHIND),
        .WEIGHTS(WEIGHTS)
    ) above (
        .clk(clk),
        .reset(reset),
        .shift(shift),
        .in_beat(in_beat),
        .in_last(in_last),
        .in_top(in_top),
        .in_pixel(in_pixel),
        .in_error(in_error),
        .out_valid(sum_valid),
        .out_last(sum_last),
        .out_top(sum_top),
        .out_pixel(sum_pixel),
        .out_sum(sum)
    );
    ro_diffuse_base #(
        .MAXVAL(MAXVAL),
        .LEVELS(LEVELS),
        .LANES(LANES),
        .SHIFT(SHIFT),
        .RIGHT(RIGHT),
        .OFFSET(OFFSET),
        .PIXEL_BITS(PIXEL_BITS),
        .SUM_BITS(SUM_BITS),
        .LEVEL_BITS(LEVEL_BITS)
    ) base (
        .clk(clk),
        .reset(reset),
        .in_valid(sum_valid),
        .in_last(sum_last),
        .in_pixel(sum_pixel),
        .in_sum(sum),
        .out_valid(base_valid),
        .out_last(base_last),
        .out_mid(base_mid_level),
        .base_above(base_above),
        .base_mid(base_mid),
        .base_below(base_below),
        .sign_above(sign_above),
        .sign_mid(sign_mid),
        .sign_below(sign_below),
        .low_above(low_above),
        .low_mid(low_mid),
        .low_below(low_below)
    );
    ro_diffuse_loop #(
        .MAXVAL(MAXVAL),
        .LEVELS(LEVELS),
        .LANES(LANES),
        .SHIFT(SHIFT),
        .RIGHT(RIGHT),
        .OFFSET(OFFSET),
        .FURTHER(FURTHER),
        .SUM_BITS(SUM_BITS),
        .LEVEL_BITS(LEVEL_BITS)
    ) loop (
        .clk(clk),
        .reset(reset),
        .in_valid(base_valid),
        .in_last(base_last),
        .in_mid(base_mid_level),
        .base_above(base_above),
        .base_mid(base_mid),
        .base_below(base_below),
        .sign_above(sign_above),
        .sign_mid(sign_mid),
        .sign_below(sign_below),
        .low_above(low_above),
        .low_mid(low_mid),
        .low_below(low_below),
        .out_valid(loop_valid),
        .out_last(loop_last),
        .out_mid(loop_mid),
        .out_sigma(sigma),
        .out_low(loop_low)
    );
    ro_diffuse_choice #(
        .MAXVAL(MAXVAL),
        .LEVELS(LEVELS),
        .SHIFT(SHIFT),
        .SUM_BITS(SUM_BITS),
        .LEVEL_BITS(LEVEL_BITS),
        .ERROR_BITS(ERROR_BITS)
    ) choice (
        .clk(clk),
        .reset(reset),
        .in_valid(loop_valid),
        .in_last(loop_last),
        .in_mid(loop_mid),
        .in_sigma(sigma),
        .in_low(loop_low),
        .out_valid(out_valid),
        .out_last(out_last),
        .out_level(out_level),
        .out_error(out_error)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(6 + LANES)
    ) top_beside_parts (
        .clk(clk),
        .in (sum_top),
        .out(out_top)
    );
endmodule
