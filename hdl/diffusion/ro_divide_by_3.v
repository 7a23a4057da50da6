// SPDX-License-Identifier: MIT
// A third of a number, rounded down: digits of two bits from the highest on, each with the remainder
// of those before it, three digits a clock. CLOCKS clocks later.
module ro_divide_by_3 #(
    parameter BITS = 29,
    parameter CLOCKS = 5 // (digits + 2) / 3
) (
    input  wire            clk,
    input  wire [BITS-1:0] number,
    output wire [BITS-1:0] third
);
    localparam DIGITS = (BITS + 1) / 2;
    localparam W = 2 * DIGITS;

    generate
        if (CLOCKS != (DIGITS + 2) / 3) begin : bad_clocks
            ro_error_CLOCKS_must_be_a_third_of_the_digits stop ();
        end
    endgenerate

    // {remainder, word}: of the word, digits from `from` down to `to` become digits of the quotient.
    function [W+1:0] divide;
        input [W+1:0] given;
        input integer from, to;
        reg [1:0] remainder;
        reg [3:0] both;
        integer i;
        begin
            divide    = given;
            remainder = given[W+1:W];
            for (i = from; i >= to; i = i - 1) begin
                both = {remainder, given[2*i+:2]};
                divide[2*i+:2] = both >= 9 ? 2'd3 : both >= 6 ? 2'd2 : both >= 3 ? 2'd1 : 2'd0;
                case (both)
                    4'd0, 4'd3, 4'd6, 4'd9: remainder = 2'd0;
                    4'd1, 4'd4, 4'd7, 4'd10: remainder = 2'd1;
                    default: remainder = 2'd2;
                endcase
            end
            divide[W+1:W] = remainder;
        end
    endfunction

    wire [(W+2)*(CLOCKS+1)-1:0] words;
    assign words[W+1:0] = {{W + 2 - BITS{1'b0}}, number};

    genvar k;
    generate
        for (k = 0; k < CLOCKS; k = k + 1) begin : digit
            localparam FROM = DIGITS - 1 - 3 * k;
            localparam TO = FROM < 2 ? 0 : FROM - 2;
            reg [W+1:0] next;
            always @(posedge clk) next <= divide(words[(W+2)*k+:W+2], FROM, TO);
            assign words[(W+2)*(k+1)+:W+2] = next;
        end
    endgenerate
    assign third = words[(W+2)*CLOCKS+:BITS];
    wire unused = &{1'b0, words};
endmodule
