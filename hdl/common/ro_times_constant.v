// SPDX-License-Identifier: MIT
// C times x by shifts and additions, CLOCKS clocks later. C is written with as few digits 1 and -1 as
// it can be, 43 = 64 - 16 - 4 - 1; the upper half of them and the lower half are products of this
// kind themselves, one clock earlier.
module ro_times_constant #(
    parameter BITS = 12,
    parameter C = 43,
    parameter CLOCKS = 2,
    parameter PRODUCT_BITS = BITS + $clog2(C + 1)
) (
    input  wire                    clk,
    input  wire [        BITS-1:0] x,
    output wire [PRODUCT_BITS-1:0] product
);
    // Digits that are not zero: the lowest is 1 or -1 by the two bits from there on.
    function integer digits;
        input integer value;
        integer rest;
        begin
            digits = 0;
            for (rest = value; rest != 0; rest = rest / 2)
                if (rest % 2 != 0) begin
                    digits = digits + 1;
                    rest   = rest % 4 == 3 ? rest + 1 : rest - 1;
                end
        end
    endfunction

    // What the lowest `count` of them add up to.
    function integer lowest;
        input integer value;
        input integer count;
        integer rest, place, found;
        begin
            lowest = 0;
            found  = 0;
            place  = 1;
            for (rest = value; rest != 0; rest = rest / 2) begin
                if (rest % 2 != 0) begin
                    if (found < count) lowest = lowest + (rest % 4 == 3 ? -place : place);
                    found = found + 1;
                    rest  = rest % 4 == 3 ? rest + 1 : rest - 1;
                end
                place = 2 * place;
            end
        end
    endfunction

    localparam DIGITS = digits(C);
    localparam LOW = lowest(C, DIGITS / 2);
    localparam HIGH = C - LOW;
    localparam LOW_SIZE = LOW < 0 ? -LOW : LOW;
    localparam HIGH_BITS = BITS + $clog2(HIGH + 1);
    localparam LOW_BITS = BITS + $clog2(LOW_SIZE + 1);

    generate
        if (C < 1) begin : bad_constant
            ro_error_C_must_be_positive stop ();
        end else if (DIGITS == 1) begin : shifted
            wire [PRODUCT_BITS-1:0] whole = {{PRODUCT_BITS - BITS{1'b0}}, x} << $clog2(C);
            ro_delay #(
                .BITS(PRODUCT_BITS),
                .CLOCKS(CLOCKS)
            ) later (
                .clk(clk),
                .in (whole),
                .out(product)
            );
        end else if (CLOCKS < $clog2(DIGITS)) begin : bad_clocks
            ro_error_CLOCKS_are_too_few_for_the_digits_of_C stop ();
        end else begin : halves
            wire [HIGH_BITS-1:0] high;
            wire [LOW_BITS-1:0] low;
            reg [PRODUCT_BITS-1:0] sum;
            ro_times_constant #(
                .BITS(BITS),
                .C(HIGH),
                .CLOCKS(CLOCKS - 1)
            ) upper (
                .clk(clk),
                .x(x),
                .product(high)
            );
            ro_times_constant #(
                .BITS(BITS),
                .C(LOW_SIZE),
                .CLOCKS(CLOCKS - 1)
            ) lower (
                .clk(clk),
                .x(x),
                .product(low)
            );
            wire [HIGH_BITS-1:0] whole_low = {{HIGH_BITS - LOW_BITS{1'b0}}, low};
            wire [HIGH_BITS-1:0] next = LOW < 0 ? high - whole_low : high + whole_low;
            wire unused = &{1'b0, next};
            always @(posedge clk) sum <= next[PRODUCT_BITS-1:0];
            assign product = sum;
        end
    endgenerate
endmodule
