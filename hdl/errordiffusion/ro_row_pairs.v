// SPDX-License-Identifier: MIT
// When which pixel of two rows takes its turn: rows 2i in one lane, rows 2i + 1 in the other, SKEW
// columns behind, clock by clock in turn.
//
//     clock    0  1  2  3 ...              2 SKEW + 1
//     lane 0   0     1     2  ...  column
//     lane 1                                   0     1     2  ...
//
// A pair starts when both of its rows have come, or the last row of a frame alone, and not before the
// rows of the pair before it are far enough for their errors to be known: PERIOD columns. Where the
// next pair is there in time it follows without a gap.
module ro_row_pairs #(
    parameter WIDTH_BITS = 11,
    parameter X_BITS = 10,
    parameter ROW_BITS = 2, // rows count modulo 2^ROW_BITS
    parameter SKEW = 11,
    parameter PERIOD = 24,
    parameter EARLY = 8     // so many columns before its end a row's place may be given away
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire [WIDTH_BITS-1:0] across,  // columns less one
    input  wire                  ready,   // a pair, its rows in the memory and room for its results
    input  wire                  single,  // of one row
    input  wire                  first,   // the first of a frame
    output reg                   start,   // a pair was taken,
    output reg                   is_single, // of one row;
    output reg  [  ROW_BITS-1:0] row_next,  // the row after it
    output wire                  place,   // of a row: a pixel
    output wire                  lane,
    output wire                  top,
    output wire                  last,
    output wire [    X_BITS-1:0] column,
    output wire [  ROW_BITS-1:0] row,
    output reg                   free     // a row will soon have been read
);
    localparam PERIOD_BITS = $clog2(PERIOD + 1);
    localparam integer FULL = PERIOD - 1;
    localparam [ROW_BITS-1:0] ONE_ROW = 1, TWO_ROWS = 2;

    reg phase;                         // lane 0 has its turn in phase 0
    reg is_top, spaced;
    reg [ROW_BITS-1:0] row0, row1;
    reg [PERIOD_BITS-1:0] wait_for;
    wire running0, running1, last0, last1, free0, free1, start1;
    wire [X_BITS-1:0] x0, x1;

    wire begin_pair = phase && ready && spaced && (!running0 || last0);

    always @(posedge clk) begin
        phase <= !phase;
        start <= begin_pair;
        if (begin_pair) begin
            is_single <= single;
            is_top    <= first;
            row0      <= row_next;
            row_next  <= row_next + (single ? ONE_ROW : TWO_ROWS);
            wait_for  <= FULL[PERIOD_BITS-1:0];
            spaced    <= 1'b0;
        end else if (phase && !spaced) begin
            wait_for <= wait_for - 1'b1;
            spaced   <= wait_for == 1;
        end
        if (start1) row1 <= row0 + 1'b1;
        free <= free0 || free1;
        if (reset) begin
            phase    <= 1'b0;
            start    <= 1'b0;
            spaced   <= 1'b1;
            row_next <= 0;
        end
    end

    ro_row_lane #(
        .WIDTH_BITS(WIDTH_BITS),
        .X_BITS(X_BITS),
        .EARLY(EARLY)
    ) lane0 (
        .clk(clk),
        .reset(reset),
        .across(across),
        .turn(phase),
        .start(begin_pair),
        .running(running0),
        .last(last0),
        .column(x0),
        .free(free0)
    );

    // The pair is still the same when lane 1 starts: SKEW is less than PERIOD.
    ro_delay_reset #(
        .CLOCKS(2 * SKEW + 1)
    ) behind (
        .clk(clk),
        .reset(reset),
        .in(begin_pair),
        .out(start1)
    );
    ro_row_lane #(
        .WIDTH_BITS(WIDTH_BITS),
        .X_BITS(X_BITS),
        .EARLY(EARLY)
    ) lane1 (
        .clk(clk),
        .reset(reset),
        .across(across),
        .turn(!phase),
        .start(start1 && !is_single),
        .running(running1),
        .last(last1),
        .column(x1),
        .free(free1)
    );

    assign lane   = phase;
    assign place  = phase ? running1 : running0;
    assign top    = !phase && is_top;
    assign last   = phase ? last1 : last0;
    assign column = phase ? x1 : x0;
    assign row    = phase ? row1 : row0;
endmodule
