// SPDX-License-Identifier: MIT
// An unsigned product made of logic: halves of a are multiplied one clock earlier. A product of one
// bit is there at once. Takes clog2(A_BITS) clocks.
module ro_multiply_logic #(
    parameter A_BITS = 10,
    parameter B_BITS = 21
) (
    input  wire                     clk,
    input  wire [       A_BITS-1:0] a,
    input  wire [       B_BITS-1:0] b,
    output wire [A_BITS+B_BITS-1:0] product
);
    localparam CLOCKS = $clog2(A_BITS);
    localparam HALF = CLOCKS == 0 ? 1 : 1 << (CLOCKS - 1);
    localparam REST = A_BITS - HALF;

    generate
        if (A_BITS == 1) begin : bit_by_number
            wire unused = &{1'b0, clk};
            assign product = {1'b0, b & {B_BITS{a[0]}}};
        end else begin : halves
            wire [HALF+B_BITS-1:0] low;
            wire [REST+B_BITS-1:0] high, high_now;
            reg [A_BITS+B_BITS-1:0] sum;
            ro_multiply_logic #(
                .A_BITS(HALF),
                .B_BITS(B_BITS)
            ) lower (
                .clk(clk),
                .a(a[HALF-1:0]),
                .b(b),
                .product(low)
            );
            ro_multiply_logic #(
                .A_BITS(REST),
                .B_BITS(B_BITS)
            ) upper (
                .clk(clk),
                .a(a[A_BITS-1:HALF]),
                .b(b),
                .product(high_now)
            );
            ro_delay #(
                .BITS(REST + B_BITS),
                .CLOCKS(CLOCKS - 1 - $clog2(REST))
            ) wait_for_lower (
                .clk(clk),
                .in (high_now),
                .out(high)
            );
            always @(posedge clk) sum <= {high, {HALF{1'b0}}} + {{REST{1'b0}}, low};
            assign product = sum;
        end
    endgenerate
endmodule
