// SPDX-License-Identifier: MIT
// ro_flux against w (from - to) / 2^16, rounded, for all pairs of pixels.
module flux_proof #(
    parameter B = 12,
    parameter WEIGHT = 4095,
    parameter DOUBLE = 1,
    parameter NEAREST = 0
) (
    input wire         clk,
    input wire [B-1:0] from,
    input wire [B-1:0] to,
    input wire         half,
    input wire         none
);
    localparam CLOCKS = 7;
    wire [B-1:0] flux;
    ro_flux #(
        .BITS(B),
        .WEIGHT(WEIGHT),
        .DOUBLE(DOUBLE),
        .NEAREST(NEAREST),
        .PRODUCT_CLOCKS(3),
        .CLOCKS(CLOCKS)
    ) circuit (
        .clk(clk),
        .from(from),
        .to(to),
        .half(half),
        .none(none),
        .flux(flux)
    );
    wire signed [B-1:0] p = from, q = to;
    wire signed [B:0] difference = p - q;
    wire [B:0] size = difference < 0 ? -difference : difference;
    wire [31:0] weight = DOUBLE && !half ? 2 * WEIGHT : WEIGHT;
    wire [31:0] whole = (weight * size + (NEAREST ? 32768 : 0)) >> 16;
    wire [B-1:0] expected = none ? 0 : difference < 0 ? -whole : whole;
    wire [B-1:0] expected_then;
    ro_delay #(
        .BITS(B),
        .CLOCKS(CLOCKS)
    ) later (
        .clk(clk),
        .in (expected),
        .out(expected_then)
    );
    always @* assert (flux == expected_then);
endmodule
