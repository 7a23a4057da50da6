// SPDX-License-Identifier: MIT
// One level-set step of a picture that streams through: a row later, a row is given.
//
//     row above  . . u . .      The memory holds a word a column: the pixel of the last row with its
//     last row   . l p r .      speed, and above it phi of the row before. A pixel d that comes in
//     this row   . . d          brings out p and u; l and r are their neighbours in time.
//
// A beat is a place of a row: a pixel, or nothing where rows are pushed out (`flush`). A row that
// is followed by the top row of the next frame, or by a flush, was the last of its frame. Borders are
// copied by choosing p itself. What came in CLOCKS clocks and a row ago goes out; nothing waits.
module ro_levelset_step #(
    parameter WIDTH = 512,
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11,
    parameter A = 43,
    parameter BLOCKS = 1,
    parameter PIXEL_CLOCKS = 13,
    parameter WORD_BITS = 1 + SPEED_BITS + PHI_BITS
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire                 active,    // 0: phi stays as it is
    input  wire                 in_beat,
    input  wire                 in_last,   // of a row
    input  wire                 in_top,    // in the first row of a frame
    input  wire                 in_flush,
    input  wire [WORD_BITS-1:0] in_word,   // {tag, F < 0, |F|, phi}
    output wire                 out_beat,
    output wire                 out_last,
    output wire                 out_top,
    output wire                 out_flush,
    output wire [WORD_BITS-1:0] out_word,
    output reg                  changed    // a pixel of the last frame, or of this one so far
);
    localparam P = PHI_BITS;
    localparam X_BITS = WIDTH > 1 ? $clog2(WIDTH) : 1;

    // ---- clocks 0 to 2: the memory ------------------------------------------------------------
    reg [X_BITS-1:0] column;
    wire [X_BITS-1:0] column2;
    wire beat2, last2, top2, flush2;
    wire [WORD_BITS-1:0] word2, word_here2;
    wire [P-1:0] above2;

    always @(posedge clk)
        if (reset) column <= 0;
        else if (in_beat) column <= in_last ? {X_BITS{1'b0}} : column + 1'b1;

    ro_delay #(
        .BITS(3 + WORD_BITS + X_BITS),
        .CLOCKS(2)
    ) beside_memory (
        .clk(clk),
        .in ({in_last, in_top, in_flush, in_word, column}),
        .out({last2, top2, flush2, word2, column2})
    );
    ro_delay_reset #(
        .CLOCKS(2)
    ) beat_beside_memory (
        .clk(clk),
        .reset(reset),
        .in(in_beat),
        .out(beat2)
    );
    ro_memory #(
        .WORDS(WIDTH),
        .BITS(WORD_BITS + P),
        .ADDRESS_BITS(X_BITS)
    ) rows (
        .clk(clk),
        .write(beat2),
        .write_address(column2),
        .write_data({word2, word_here2[P-1:0]}),
        .read_address(column),
        .read_data({word_here2, above2})
    );

    // ---- clock 3: the pixel in the middle -----------------------------------------------------
    // It is given when its right neighbour is there, or at once at the end of a row.
    reg held, held_top, row_begins;     // what the memory holds: a row that has not been given
    reg full, first, last, top, bottom, flush;
    reg [WORD_BITS-1:0] word;
    reg [P-1:0] left, above, below;

    wire give = full && (last || beat2);

    always @(posedge clk) begin
        if (beat2) begin
            row_begins <= last2;
            if (last2) begin
                held     <= !flush2;
                held_top <= top2;
            end
            first  <= row_begins;
            last   <= last2;
            top    <= held_top;
            bottom <= top2 || flush2;
            flush  <= !held;
            word   <= word_here2;
            left   <= word[P-1:0];
            above  <= above2;
            below  <= word2[P-1:0];
        end
        full <= beat2 ? held || flush2 : full && !give;
        if (reset) begin
            held       <= 1'b0;
            row_begins <= 1'b1;
            full       <= 1'b0;
        end
    end

    // ---- and on -------------------------------------------------------------------------------
    wire [P-1:0] phi = word[P-1:0];
    wire [SPEED_BITS-2:0] size = word[P+:SPEED_BITS-1];
    wire moves, moves_now, give_end, first_end;

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
        .right(last ? phi : word_here2[P-1:0]),
        .above(top ? phi : above),
        .below(bottom ? phi : below),
        .shrinks(word[WORD_BITS-2]),
        .size(active ? size : {SPEED_BITS - 1{1'b0}}),
        .next(out_word[P-1:0]),
        .moves(moves)
    );
    ro_delay_long #(
        .BITS(4 + WORD_BITS - P),
        .CLOCKS(PIXEL_CLOCKS)
    ) beside_pixel (
        .clk(clk),
        .in ({first, last, top, flush, word[WORD_BITS-1:P]}),
        .out({first_end, out_last, out_top, out_flush, out_word[WORD_BITS-1:P]})
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

    always @(posedge clk)
        if (give_end) changed <= moves_now || (changed && !(first_end && out_top));
endmodule
