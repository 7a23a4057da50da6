// SPDX-License-Identifier: MIT
// STEPS Jacobi iterations of profile xpp24 in one pass over a picture of any height, a pixel a clock:
// the solver of `roundoff denoise --scheme xpp24`. x, the right-hand side r, and the two halves of a
// pixel's word, 12 bits of the weight of the element at its lower right and 12 of its inverse diagonal,
// come in; x after the iterations goes out with the rest beside it, so that passes can follow one
// another. Numbers are two's complement; x has a bit more than the 24 of r, since rounded inverses may
// carry it beyond the picture's range by up to 0.3 % a time step of 1. Marks, sizes and `error` are
// those of ro_frame_guard.
module ro_jacobi #(
    parameter WIDTH = 512,     // the widest picture
    parameter STEPS = 1,
    parameter TIME = 16384,    // tau/h^2 in 1/16384, up to 8
    parameter TIME_CLOCKS = 2, // more for a TIME with many digits
    parameter X_BITS = 25,
    parameter R_BITS = 24,
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire                   in_first,
    input  wire                   in_last,
    input  wire [     X_BITS-1:0] in_x,
    input  wire [     R_BITS-1:0] in_r,
    input  wire [           11:0] in_weight,
    input  wire [           11:0] in_inverse,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [     X_BITS-1:0] out_x,
    output wire [     R_BITS-1:0] out_r,
    output wire [           11:0] out_weight,
    output wire [           11:0] out_inverse,
    output wire                   error
);
    localparam WORD_BITS = R_BITS + 24 + X_BITS;
    localparam SCALED = X_BITS + 16 + $clog2(TIME + 1) - 27;
    localparam THIRD_CLOCKS = ((SCALED + 1) / 2 + 2) / 3;
    localparam PIXEL_CLOCKS = 17 + TIME_CLOCKS + THIRD_CLOCKS;

    generate
        if (STEPS < 1 || STEPS > 64) begin : bad_steps
            ro_error_STEPS_must_be_1_to_64 stop ();
        end
    endgenerate

    wire beat, last, top, bottom, flush, shift, idle;
    wire [WORD_BITS-1:0] word;
    wire [STEPS:0] beats, lasts, tops, flushes;
    wire [WORD_BITS*(STEPS+1)-1:0] words;
    wire unused = &{1'b0, shift, idle, bottom};

    ro_stream_shell #(
        .IN_BITS(WORD_BITS),
        .OUT_BITS(WORD_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .FLUSH(STEPS),
        .PERIOD(4),
        .CLOCKS(STEPS * (PIXEL_CLOCKS + 4))
    ) shell (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_first(in_first),
        .in_last(in_last),
        .in_data({in_r, in_inverse, in_weight, in_x}),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data({out_r, out_inverse, out_weight, out_x}),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(word),
        .complaint(1'b0),
        .done(beats[STEPS] && !flushes[STEPS]),
        .done_last(lasts[STEPS]),
        .done_top(tops[STEPS]),
        .done_data(words[WORD_BITS*STEPS+:WORD_BITS])
    );
    assign {beats[0], lasts[0], tops[0], flushes[0]} = {beat, last, top, flush};
    assign words[0+:WORD_BITS] = word;

    genvar i;
    generate
        for (i = 0; i < STEPS; i = i + 1) begin : steps
            ro_jacobi_step #(
                .WIDTH(WIDTH),
                .X_BITS(X_BITS),
                .R_BITS(R_BITS),
                .TIME(TIME),
                .TIME_CLOCKS(TIME_CLOCKS),
                .THIRD_CLOCKS(THIRD_CLOCKS)
            ) step (
                .clk(clk),
                .reset(reset),
                .in_beat(beats[i]),
                .in_last(lasts[i]),
                .in_top(tops[i]),
                .in_flush(flushes[i]),
                .in_word(words[WORD_BITS*i+:WORD_BITS]),
                .out_beat(beats[i+1]),
                .out_last(lasts[i+1]),
                .out_top(tops[i+1]),
                .out_flush(flushes[i+1]),
                .out_word(words[WORD_BITS*(i+1)+:WORD_BITS])
            );
        end
    endgenerate
endmodule
