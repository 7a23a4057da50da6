// SPDX-License-Identifier: MIT
// One Jacobi iteration of profile xpp24 on a picture that streams through: a row later, a row is given.
// A pixel comes with the right-hand side r, the weight g of the element at its lower right and its
// inverse diagonal, which go on with it. Elements that reach beyond the picture count for nothing.
module ro_jacobi_step #(
    parameter WIDTH = 512,
    parameter X_BITS = 25,
    parameter R_BITS = 24,
    parameter TIME = 16384,
    parameter TIME_CLOCKS = 2,
    parameter THIRD_CLOCKS = 5,
    parameter PIXEL_CLOCKS = 17 + TIME_CLOCKS + THIRD_CLOCKS,
    parameter WORD_BITS = R_BITS + 24 + X_BITS
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire                 in_beat,
    input  wire                 in_last,
    input  wire                 in_top,
    input  wire                 in_flush,
    input  wire [WORD_BITS-1:0] in_word, // {r, inverse, g, x}
    output wire                 out_beat,
    output wire                 out_last,
    output wire                 out_top,
    output wire                 out_flush,
    output wire [WORD_BITS-1:0] out_word
);
    localparam X = X_BITS;
    localparam KEEP = 12 + X;

    wire give, first, last, top, bottom, flush;
    wire [WORD_BITS-1:0] word;
    wire [KEEP-1:0] above, below, left, left_above, left_below, right, right_above, right_below;
    wire unused = &{1'b0, below, left_below, right, right_above, right_below};

    ro_window #(
        .WIDTH(WIDTH),
        .WORD_BITS(WORD_BITS),
        .KEEP(KEEP)
    ) window (
        .clk(clk),
        .reset(reset),
        .in_beat(in_beat),
        .in_last(in_last),
        .in_top(in_top),
        .in_flush(in_flush),
        .in_word(in_word),
        .give(give),
        .first(first),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .word(word),
        .above(above),
        .below(below),
        .left(left),
        .left_above(left_above),
        .left_below(left_below),
        .right(right),
        .right_above(right_above),
        .right_below(right_below)
    );

    ro_jacobi_pixel #(
        .X_BITS(X),
        .R_BITS(R_BITS),
        .TIME(TIME),
        .TIME_CLOCKS(TIME_CLOCKS),
        .THIRD_CLOCKS(THIRD_CLOCKS)
    ) pixel (
        .clk(clk),
        .x(word[X-1:0]),
        .r(word[X+24+:R_BITS]),
        .inverse(word[X+12+:12]),
        .n(above[X-1:0]),
        .s(below[X-1:0]),
        .w(left[X-1:0]),
        .e(right[X-1:0]),
        .nw(left_above[X-1:0]),
        .ne(right_above[X-1:0]),
        .sw(left_below[X-1:0]),
        .se(right_below[X-1:0]),
        .g_nw(first || top ? 12'd0 : left_above[X+:12]),
        .g_ne(last || top ? 12'd0 : above[X+:12]),
        .g_sw(first || bottom ? 12'd0 : left[X+:12]),
        .g_se(last || bottom ? 12'd0 : word[X+:12]),
        .next(out_word[X-1:0])
    );
    ro_delay_far #(
        .BITS(3 + WORD_BITS - X),
        .CLOCKS(PIXEL_CLOCKS)
    ) beside_pixel (
        .clk(clk),
        .in ({last, top, flush, word[WORD_BITS-1:X]}),
        .out({out_last, out_top, out_flush, out_word[WORD_BITS-1:X]})
    );
    ro_delay_reset #(
        .CLOCKS(PIXEL_CLOCKS)
    ) give_beside_pixel (
        .clk(clk),
        .reset(reset),
        .in(give),
        .out(out_beat)
    );
endmodule
