// SPDX-License-Identifier: MIT
// The three by three pixels round each pixel of a picture that streams through, a row later. A word
// comes in for every pixel; of its lowest KEEP bits neighbours are given, of the pixel itself all.
//
//     row above   a  a  a      The memory holds a word a column: that of the last row, and what is kept
//     last row    h [w] h      of the row before. What comes in brings out the two above it; columns
//     this row    b  b  b      to the left and right are neighbours in time.
//
// A beat is a place of a row: a pixel, or nothing where rows are pushed out (`flush`). A row that is
// followed by the top row of the next frame, or by a flush, was the last of its frame. A flush that
// finds no row to push out goes on to what follows. `give` says that there is a pixel, or such a flush,
// with all of its neighbours; outside the picture they are anything, and marks tell where that is.
module ro_window #(
    parameter WIDTH = 512,
    parameter WORD_BITS = 24,
    parameter KEEP = 12
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire                 in_beat,
    input  wire                 in_last,  // of a row
    input  wire                 in_top,   // in the first row of a frame
    input  wire                 in_flush,
    input  wire [WORD_BITS-1:0] in_word,
    output wire                 give,
    output reg                  first,    // of a row
    output reg                  last,
    output reg                  top,      // row
    output reg                  bottom,
    output reg                  flush,
    output reg  [WORD_BITS-1:0] word,
    output reg  [     KEEP-1:0] above,
    output reg  [     KEEP-1:0] below,
    output reg  [     KEEP-1:0] left,
    output reg  [     KEEP-1:0] left_above,
    output reg  [     KEEP-1:0] left_below,
    output wire [     KEEP-1:0] right,
    output wire [     KEEP-1:0] right_above,
    output wire [     KEEP-1:0] right_below
);
    localparam X_BITS = WIDTH > 1 ? $clog2(WIDTH) : 1;

    // ---- clocks 0 to 2: the memory ------------------------------------------------------------------
    reg [X_BITS-1:0] column;
    wire [X_BITS-1:0] column2;
    wire beat2, last2, top2, flush2;
    wire [WORD_BITS-1:0] word2, here2;

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
        .BITS(WORD_BITS + KEEP),
        .ADDRESS_BITS(X_BITS)
    ) rows (
        .clk(clk),
        .write(beat2),
        .write_address(column2),
        .write_data({word2, here2[KEEP-1:0]}),
        .read_address(column),
        .read_data({here2, right_above})
    );
    assign right = here2[KEEP-1:0];
    assign right_below = word2[KEEP-1:0];

    // ---- clock 3: the pixel in the middle -----------------------------------------------------------
    // It is given when its right neighbour is there, or at once at the end of a row.
    reg held, held_top, row_begins; // what the memory holds: a row that has not been given
    reg full;

    assign give = full && (last || beat2);

    always @(posedge clk) begin
        if (beat2) begin
            row_begins <= last2;
            if (last2) begin
                held     <= !flush2;
                held_top <= top2;
            end
            first      <= row_begins;
            last       <= last2;
            top        <= held_top;
            bottom     <= top2 || flush2;
            flush      <= !held;
            word       <= here2;
            above      <= right_above;
            below      <= right_below;
            left       <= word[KEEP-1:0];
            left_above <= above;
            left_below <= below;
        end
        full <= beat2 ? held || flush2 : full && !give;
        if (reset) begin
            held       <= 1'b0;
            row_begins <= 1'b1;
            full       <= 1'b0;
        end
    end
endmodule
