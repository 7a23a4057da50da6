// SPDX-License-Identifier: MIT
// ro_multiply_add against a b + c, for all numbers.
module multiply_proof #(
    parameter A = 4,
    parameter B = 21,
    parameter BLOCKS = 1,
    parameter CLOCKS = 3
) (
    input wire         clk,
    input wire [A-1:0] a,
    input wire [B-1:0] b,
    input wire [B-4:0] c
);
    wire [A+B-1:0] sum;
    ro_multiply_add #(
        .A_BITS(A),
        .B_BITS(B),
        .C_BITS(B - 3),
        .BLOCKS(BLOCKS),
        .CLOCKS(CLOCKS)
    ) circuit (
        .clk(clk),
        .a(a),
        .b(b),
        .c(c),
        .sum(sum)
    );
    wire [A+B-1:0] expected = a * b + c;
    always @* assert (sum == expected);
endmodule
