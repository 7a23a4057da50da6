// SPDX-License-Identifier: MIT
// What came in CLOCKS clocks ago, any number of them, in pieces of up to sixteen.
module ro_delay_far #(
    parameter BITS = 8,
    parameter CLOCKS = 20
) (
    input  wire            clk,
    input  wire [BITS-1:0] in,
    output wire [BITS-1:0] out
);
    generate
        if (CLOCKS < 4) begin : near
            ro_delay #(
                .BITS(BITS),
                .CLOCKS(CLOCKS)
            ) delay (
                .clk(clk),
                .in (in),
                .out(out)
            );
        end else if (CLOCKS <= 16) begin : one
            ro_delay_long #(
                .BITS(BITS),
                .CLOCKS(CLOCKS)
            ) delay (
                .clk(clk),
                .in (in),
                .out(out)
            );
        end else begin : more
            wire [BITS-1:0] later;
            ro_delay_long #(
                .BITS(BITS),
                .CLOCKS(12)
            ) delay (
                .clk(clk),
                .in (in),
                .out(later)
            );
            ro_delay_far #(
                .BITS(BITS),
                .CLOCKS(CLOCKS - 12)
            ) rest (
                .clk(clk),
                .in (later),
                .out(out)
            );
        end
    endgenerate
endmodule
