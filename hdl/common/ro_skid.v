// SPDX-License-Identifier: MIT
// A place to stand between two streams: `in_ready` comes from a register, and a pixel can pass every
// clock. The spare place takes the pixel that was on its way when the other side stopped.
module ro_skid #(
    parameter BITS = 8
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            in_valid,
    output wire            in_ready,
    input  wire [BITS-1:0] in_data,
    output reg             out_valid,
    input  wire            out_ready,
    output reg  [BITS-1:0] out_data
);
    reg            spare_full;
    reg [BITS-1:0] spare;

    assign in_ready = !spare_full;

    // The spare place follows the input while it is free, so only two bits wait for `out_ready`.
    always @(posedge clk) begin
        if (!spare_full) spare <= in_data;
        if (out_ready || !out_valid) begin
            out_valid  <= spare_full || in_valid;
            out_data   <= spare_full ? spare : in_data;
            spare_full <= 1'b0;
        end else if (in_valid) spare_full <= 1'b1;
        if (reset) begin
            out_valid  <= 1'b0;
            spare_full <= 1'b0;
        end
    end
endmodule
