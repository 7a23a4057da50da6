// SPDX-License-Identifier: MIT
// One level-set step of a picture that streams through: a row later, a row is given. Beats are those
// of ro_window; borders are copied by choosing the pixel itself. Nothing waits.
module ro_levelset_step #(
    parameter WIDTH = 512,
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11,
    parameter A = 43,
    parameter BLOCKS = 1,
    parameter PIXEL_CLOCKS = 13,
    parameter WORD_BITS = SPEED_BITS + PHI_BITS
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire                 active,    // 0: phi stays as it is
    input  wire                 in_beat,
    input  wire                 in_last,   // of a row
    input  wire                 in_top,    // in the first row of a frame
    input  wire                 in_flush,
    input  wire [WORD_BITS-1:0] in_word,   // {F < 0, |F|, phi}
    output wire                 out_beat,
    output wire                 out_last,
    output wire                 out_top,
    output wire                 out_flush,
    output wire [WORD_BITS-1:0] out_word,
    input  wire                 forget,    // clears `crossed`
    output reg                  changed,   // a pixel of the last frame, or of this one so far,
    output reg                  held,      // a pixel whose speed would carry it across the contour
    output reg                  crossed    // a pixel changed its sign since `forget`
);
    localparam P = PHI_BITS;

    wire give, first, last, top, bottom, flush;
    wire [WORD_BITS-1:0] word;
    wire [P-1:0] left, right, above, below, corner0, corner1, corner2, corner3;
    wire unused = &{1'b0, corner0, corner1, corner2, corner3};

    ro_window #(
        .WIDTH(WIDTH),
        .WORD_BITS(WORD_BITS),
        .KEEP(P)
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
        .left_above(corner0),
        .left_below(corner1),
        .right(right),
        .right_above(corner2),
        .right_below(corner3)
    );

    wire [P-1:0] phi = word[P-1:0];
    wire [SPEED_BITS-2:0] size = word[P+:SPEED_BITS-1];
    wire moves, moves_now, give_end, first_end, inside_end, held_end;
    // the speed counts even where the step is not taken
    wire beside = phi[P-1] != (first ? phi[P-1] : left[P-1]) || phi[P-1] != (last ? phi[P-1] : right[P-1])
        || phi[P-1] != (top ? phi[P-1] : above[P-1]) || phi[P-1] != (bottom ? phi[P-1] : below[P-1]);
    wire is_held = beside && size != 0 && word[WORD_BITS-1] == phi[P-1];

    ro_levelset_pixel #(
        .PHI_BITS(P),
        .SPEED_BITS(SPEED_BITS),
        .A(A),
        .BLOCKS(BLOCKS),
        .CLOCKS(PIXEL_CLOCKS)
    ) pixel (
        .clk(clk),
        .here(phi),
        .left(first ? phi : left),
        .right(last ? phi : right),
        .above(top ? phi : above),
        .below(bottom ? phi : below),
        .shrinks(word[WORD_BITS-1]),
        .size(active ? size : {SPEED_BITS - 1{1'b0}}),
        .next(out_word[P-1:0]),
        .moves(moves)
    );
    ro_delay_long #(
        .BITS(6 + WORD_BITS - P),
        .CLOCKS(PIXEL_CLOCKS)
    ) beside_pixel (
        .clk(clk),
        .in ({phi[P-1], is_held, first, last, top, flush, word[WORD_BITS-1:P]}),
        .out({inside_end, held_end, first_end, out_last, out_top, out_flush, out_word[WORD_BITS-1:P]})
    );
    ro_delay_reset #(
        .CLOCKS(PIXEL_CLOCKS)
    ) give_beside_pixel (
        .clk(clk),
        .reset(reset),
        .in(give),
        .out(give_end)
    );
    assign out_beat = give_end;
    assign moves_now = moves && !out_flush;

    wire begins = first_end && out_top;
    wire crosses_now = inside_end != out_word[P-1] && !out_flush;
    always @(posedge clk) begin
        if (give_end) begin
            changed <= moves_now || (changed && !begins);
            held    <= (held_end && !out_flush) || (held && !begins);
        end
        crossed <= !forget && (crossed || (give_end && crosses_now));
    end
endmodule
