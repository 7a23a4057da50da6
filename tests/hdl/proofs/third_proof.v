// SPDX-License-Identifier: MIT
// ro_divide_by_3: three times the result, and less than three more, for all numbers.
module third_proof #(
    parameter B = 29,
    parameter CLOCKS = 5
) (
    input wire         clk,
    input wire [B-1:0] number
);
    wire [B-1:0] third, number_then;
    ro_divide_by_3 #(
        .BITS(B),
        .CLOCKS(CLOCKS)
    ) circuit (
        .clk(clk),
        .number(number),
        .third(third)
    );
    ro_delay #(
        .BITS(B),
        .CLOCKS(CLOCKS)
    ) later (
        .clk(clk),
        .in (number),
        .out(number_then)
    );
    wire [B+2:0] thrice = {third, 1'b0} + third;
    always @* assert (thrice <= number_then && number_then < thrice + 3);
endmodule
