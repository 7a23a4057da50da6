// SPDX-License-Identifier: MIT
// a times b plus c, unsigned, CLOCKS clocks later. With BLOCKS the product is that of the device's
// multipliers of 18 bits: the upper 18 bits of b have one, up to three bits below them are additions,
// and more than three have a second one. Without, it is made of logic.
//
//     clocks: 3 with blocks, 4 where there are two of them; clog2(A_BITS) + 1 of logic
module ro_multiply_add #(
    parameter A_BITS = 10,
    parameter B_BITS = 21,
    parameter C_BITS = 18,
    parameter BLOCKS = 1,
    parameter CLOCKS = 3
) (
    input  wire                     clk,
    input  wire [       A_BITS-1:0] a,
    input  wire [       B_BITS-1:0] b,
    input  wire [       C_BITS-1:0] c,
    output reg  [A_BITS+B_BITS-1:0] sum
);
    localparam BITS = A_BITS + B_BITS;
    localparam LOW = BLOCKS == 0 ? 0 : B_BITS > 18 ? B_BITS - 18 : 0; // bits of b below the block
    localparam NEEDED = BLOCKS == 0 ? $clog2(A_BITS) + 1 : LOW > 3 ? 4 : 3;

    generate
        if (CLOCKS != NEEDED) begin : bad_clocks
            ro_error_CLOCKS_do_not_fit_the_bits_of_a_and_b stop ();
        end
        if (BLOCKS != 0 && (A_BITS > 18 || B_BITS > 36)) begin : bad_bits
            ro_error_a_may_have_18_bits_and_b_36 stop ();
        end
        if (C_BITS > BITS) begin : bad_addend
            ro_error_c_must_not_be_wider_than_the_product stop ();
        end
    endgenerate

    wire [BITS-1:0] product, rest;
    always @(posedge clk) sum <= product + rest;

    generate
        if (BLOCKS == 0) begin : of_logic
            wire [C_BITS-1:0] addend;
            ro_multiply_logic #(
                .A_BITS(A_BITS),
                .B_BITS(B_BITS)
            ) multiply (
                .clk(clk),
                .a(a),
                .b(b),
                .product(product)
            );
            ro_delay #(
                .BITS(C_BITS),
                .CLOCKS(CLOCKS - 1)
            ) later (
                .clk(clk),
                .in (c),
                .out(addend)
            );
            assign rest = {{BITS - C_BITS{1'b0}}, addend};
        end else begin : of_blocks
            localparam TOP = B_BITS - LOW;
            wire [A_BITS+TOP-1:0] upper, upper_later;
            wire [BITS:0] low_rest;
            wire unused = low_rest[BITS];
            ro_multiply18 #(
                .A_BITS(A_BITS),
                .B_BITS(TOP)
            ) multiply (
                .clk(clk),
                .a(a),
                .b(b[B_BITS-1:LOW]),
                .product(upper)
            );
            ro_delay #(
                .BITS(A_BITS + TOP),
                .CLOCKS(CLOCKS - 3)
            ) wait_for_low (
                .clk(clk),
                .in (upper),
                .out(upper_later)
            );
            assign product = {{BITS - A_BITS - TOP{1'b0}}, upper_later} << LOW;
            assign rest = low_rest[BITS-1:0];

            if (LOW <= 3) begin : by_additions
                localparam W = (A_BITS + 3 > C_BITS ? A_BITS + 3 : C_BITS) + 1;
                wire [2:0] bits = LOW == 0 ? 3'd0 : b[2:0] & ~(3'd7 << LOW);
                reg [W-1:0] two, one_and_c, sum_low;
                wire [W-1:0] a1 = bits[0] ? {{W - A_BITS{1'b0}}, a} : {W{1'b0}};
                wire [W-1:0] a2 = bits[1] ? {{W - A_BITS - 1{1'b0}}, a, 1'b0} : {W{1'b0}};
                wire [W-1:0] a4 = bits[2] ? {{W - A_BITS - 2{1'b0}}, a, 2'b0} : {W{1'b0}};
                always @(posedge clk) begin
                    two       <= a1 + a2;
                    one_and_c <= a4 + {{W - C_BITS{1'b0}}, c};
                    sum_low   <= two + one_and_c;
                end
                assign low_rest = {{BITS + 1 - W{1'b0}}, sum_low};
            end else begin : by_another
                wire [A_BITS+LOW-1:0] lower;
                wire [C_BITS-1:0] addend;
                reg [BITS:0] sum_low;
                ro_multiply18 #(
                    .A_BITS(A_BITS),
                    .B_BITS(LOW)
                ) multiply_low (
                    .clk(clk),
                    .a(a),
                    .b(b[LOW-1:0]),
                    .product(lower)
                );
                ro_delay #(
                    .BITS(C_BITS),
                    .CLOCKS(2)
                ) later (
                    .clk(clk),
                    .in (c),
                    .out(addend)
                );
                always @(posedge clk)
                    sum_low <= {{BITS + 1 - A_BITS - LOW{1'b0}}, lower}
                        + {{BITS + 1 - C_BITS{1'b0}}, addend};
                assign low_rest = sum_low;
            end
        end
    endgenerate
endmodule
