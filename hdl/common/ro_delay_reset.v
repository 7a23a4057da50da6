// SPDX-License-Identifier: MIT
// A bit that came CLOCKS clocks ago; none since the last reset.
module ro_delay_reset #(
    parameter CLOCKS = 2
) (
    input  wire clk,
    input  wire reset,
    input  wire in,
    output wire out
);
    reg [CLOCKS:0] line;

    always @(posedge clk) line <= reset ? {CLOCKS + 1{1'b0}} : {line[CLOCKS-1:0], in};

    wire unused = line[CLOCKS];
    assign out = line[CLOCKS-1];
endmodule
