// SPDX-License-Identifier: MIT
// Error diffusion of one picture, row after row, a pixel a clock: exact as docs/numerics.md defines
// it, the remainder of every division carried on.
//
//     ro_stream_shell --> ro_diffuse_core: above --> base --> loop --> choice --> ro_stream_shell
//                                            ^                            |
//                                            +------ line of errors <-----+
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

    // ---- in and out -------------------------------------------------------------------------------
    wire beat, last, top, bottom, flush, shift, idle;
    wire [PIXEL_BITS-1:0] pixel;
    wire error_valid, error_last, chosen_top;
    wire [LEVEL_BITS-1:0] chosen;
    reg too_light;
    wire unused = &{1'b0, flush, idle, bottom};

    ro_stream_shell #(
        .IN_BITS(PIXEL_BITS),
        .OUT_BITS(LEVEL_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .TAIL(AHEAD),
        .PERIOD(CLOCKS + AHEAD + 1),
        .CLOCKS(CLOCKS + AHEAD)
    ) shell (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_first(in_first),
        .in_last(in_last),
        .in_data(in_pixel),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data(out_level),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(pixel),
        .complaint(too_light),
        .done(error_valid),
        .done_last(error_last),
        .done_top(chosen_top),
        .done_data(chosen)
    );

    // ---- the line of errors ---------------------------------------------------------------------
    reg [X_BITS-1:0] column, error_column;
    wire [ERROR_BITS-1:0] found, new_error;
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
    ro_diffuse_core #(
        .KERNEL(KERNEL),
        .LEVELS(LEVELS),
        .MAXVAL(MAXVAL),
        .ERROR_BITS(ERROR_BITS)
    ) core (
        .clk(clk),
        .reset(reset),
        .shift(shift2),
        .in_beat(beat2),
        .in_last(last2),
        .in_top(top2),
        .in_pixel(pixel2),
        .in_error(found),
        .out_valid(error_valid),
        .out_last(error_last),
        .out_top(chosen_top),
        .out_level(chosen),
        .out_error(new_error)
    );
endmodule
