// SPDX-License-Identifier: MIT
// Error diffusion of one picture, row after row, a pixel a clock: exact as docs/numerics.md defines
// it, the remainder of every division carried on.
//
//     guard --> above --> base --> loop --> choice --> fifo
//                 ^                            |
//                 +------ line of errors <-----+
//
// Marks, sizes and `error` are those of ro_frame_guard; a sample above MAXVAL is cut and raises
// `error`. Out come the numbers of the levels.
module ro_errordiffusion #(
    parameter WIDTH = 1024, // the widest picture
    parameter [191:0] KERNEL = "floyd-steinberg",
    parameter LEVELS = 2,
    parameter MAXVAL = 255,
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16,
    parameter IN_BITS = $clog2(MAXVAL + 1),
    parameter OUT_BITS = $clog2(LEVELS)
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire                   in_first,
    input  wire                   in_last,
    input  wire [    IN_BITS-1:0] in_pixel,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [   OUT_BITS-1:0] out_level,
    output wire                   error
);
`include "ro_levels.vh"
`include "ro_kernels.vh"
    localparam ERROR_BITS = 1 + $clog2((widest_gap(0) + 1) / 2 + 1);
    localparam X_BITS = WIDTH > 1 ? $clog2(WIDTH) : 1;
    // From a place to its error in the memory: 2 of the memory, 1 of the window, 5, 4, 1 and 2 of the
    // parts, one to write.
    localparam CLOCKS = 16;

    // ---- in -------------------------------------------------------------------------------------
    wire room, beat, last, top, flush, shift, idle;
    wire [PIXEL_BITS-1:0] pixel;
    reg too_light;
    wire unused = &{1'b0, flush, idle};

    ro_frame_guard #(
        .BITS(PIXEL_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .TAIL(AHEAD),
        .PERIOD(CLOCKS + AHEAD + 1)
    ) guard (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_data(in_pixel),
        .in_first(in_first),
        .in_last(in_last),
        .complaint(too_light),
        .room(room),
        .beat(beat),
        .data(pixel),
        .last(last),
        .top(top),
        .flush(flush),
        .shift(shift),
        .idle(idle),
        .error(error)
    );

    // ---- the line of errors ---------------------------------------------------------------------
    reg [X_BITS-1:0] column, error_column;
    wire [ERROR_BITS-1:0] found, new_error;
    wire error_valid, error_last;
    wire shift2, beat2, last2, top2;
    wire [PIXEL_BITS-1:0] pixel2;
    wire over = {{32 - PIXEL_BITS{1'b0}}, pixel} > MAXVAL;

    always @(posedge clk) begin
        if (beat) column <= last ? {X_BITS{1'b0}} : column + 1'b1;
        if (error_valid) error_column <= error_last ? {X_BITS{1'b0}} : error_column + 1'b1;
        too_light <= beat && over;
        if (reset) begin
            column       <= 0;
            error_column <= 0;
        end
    end
    ro_memory #(
        .WORDS(WIDTH),
        .BITS(ERROR_BITS),
        .ADDRESS_BITS(X_BITS)
    ) errors (
        .clk(clk),
        .write(error_valid),
        .write_address(error_column),
        .write_data(new_error),
        .read_address(column),
        .read_data(found)
    );
    ro_delay #(
        .BITS(2 + PIXEL_BITS),
        .CLOCKS(2)
    ) beside_memory (
        .clk(clk),
        .in ({last, top, over ? MAXVAL[PIXEL_BITS-1:0] : pixel}),
        .out({last2, top2, pixel2})
    );
    ro_delay_reset #(
        .CLOCKS(2)
    ) beat_beside_memory (
        .clk(clk),
        .reset(reset),
        .in(beat),
        .out(beat2)
    );
    ro_delay_reset #(
        .CLOCKS(2)
    ) shift_beside_memory (
        .clk(clk),
        .reset(reset),
        .in(shift),
        .out(shift2)
    );

    // ---- the parts ------------------------------------------------------------------------------
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
        .AHEAD(AHEAD),
        .BEHIND(BEHIND),
        .WEIGHTS(WEIGHTS)
    ) above (
        .clk(clk),
        .reset(reset),
        .shift(shift2),
        .in_beat(beat2),
        .in_last(last2),
        .in_top(top2),
        .in_pixel(pixel2),
        .in_error(found),
        .out_valid(sum_valid),
        .out_last(sum_last),
        .out_top(sum_top),
        .out_pixel(sum_pixel),
        .out_sum(sum)
    );
    ro_diffuse_base #(
        .MAXVAL(MAXVAL),
        .LEVELS(LEVELS),
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
    wire [LEVEL_BITS-1:0] chosen;
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
        .out_valid(error_valid),
        .out_last(error_last),
        .out_level(chosen),
        .out_error(new_error)
    );

    // ---- out --------------------------------------------------------------------------------------
    wire chosen_top;
    reg row_begins;

    ro_delay #(
        .BITS(1),
        .CLOCKS(7)
    ) top_beside_parts (
        .clk(clk),
        .in (sum_top),
        .out(chosen_top)
    );
    always @(posedge clk)
        if (reset) row_begins <= 1'b1;
        else if (error_valid) row_begins <= error_last;

    ro_fifo #(
        .BITS(LEVEL_BITS + 2),
        .PLACES(64),
        .SPARE(CLOCKS + AHEAD + 8)
    ) results (
        .clk(clk),
        .reset(reset),
        .in_valid(error_valid),
        .in_data({row_begins && chosen_top, error_last, chosen}),
        .room(room),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_data({out_first, out_last, out_level})
    );
endmodule
