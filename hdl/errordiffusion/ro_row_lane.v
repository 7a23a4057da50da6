// SPDX-License-Identifier: MIT
// The columns of a row, one each time it is the lane's turn next.
module ro_row_lane #(
    parameter WIDTH_BITS = 11,
    parameter X_BITS = 10,
    parameter EARLY = 8
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire [WIDTH_BITS-1:0] across, // columns less one
    input  wire                  turn,
    input  wire                  start,  // with a turn: a row begins
    output reg                   running,
    output reg                   last,
    output reg  [    X_BITS-1:0] column,
    output reg                   free    // EARLY columns before the end, or at the end of a short row
);
    localparam [WIDTH_BITS-1:0] NEAR_END = EARLY[WIDTH_BITS-1:0];
    reg [WIDTH_BITS-1:0] to_come;
    reg short_row;

    always @(posedge clk) begin
        if (start) begin
            running   <= 1'b1;
            column    <= 0;
            to_come   <= across;
            last      <= across == 0;
            short_row <= across <= 2 * NEAR_END;
        end else if (turn) begin
            if (last) running <= 1'b0;
            column  <= column + 1'b1;
            to_come <= to_come - 1'b1;
            last    <= to_come == 1;
        end
        free <= turn && running && (short_row ? last : to_come == NEAR_END);
        if (reset) begin
            running <= 1'b0;
            last    <= 1'b0;
        end
    end
endmodule
