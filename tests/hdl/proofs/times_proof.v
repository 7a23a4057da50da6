// SPDX-License-Identifier: MIT
// ro_times_constant against a product, for all numbers.
module times_proof #(
    parameter B = 14,
    parameter C = 43,
    parameter CLOCKS = 3
) (
    input wire         clk,
    input wire [B-1:0] x
);
    wire [B+$clog2(C + 1)-1:0] product;
    ro_times_constant #(
        .BITS(B),
        .C(C),
        .CLOCKS(CLOCKS)
    ) circuit (
        .clk(clk),
        .x(x),
        .product(product)
    );
    always @* assert (product == C * x);
endmodule
