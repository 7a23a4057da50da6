// SPDX-License-Identifier: MIT
// One pixel of a Jacobi iteration of profile xpp24, CLOCKS clocks later; see docs/numerics.md:
//
//     x' = x + ((r - x) + t sum g (2 x_diagonal + x_side + x_side' - 4 x) / (6 2^26)) inv / 2^12
//
// over the four elements round it, both divisions toward zero: the sizes are divided, and signs put
// back. Differences get half of their range added, so that products are unsigned.
//
//      2  differences        2  their sum            .  divided by 3
//      4  times weights      1  its size             1  target, and 1 its size
//      1  pairs              .  times t              4  times the inverse, 1 the result
module ro_jacobi_pixel #(
    parameter X_BITS = 25,
    parameter R_BITS = 24,
    parameter TIME = 16384,       // tau/h^2 in 1/16384
    parameter TIME_CLOCKS = 2,
    parameter THIRD_CLOCKS = 5,
    parameter CLOCKS = 17 + TIME_CLOCKS + THIRD_CLOCKS
) (
    input  wire              clk,
    input  wire [X_BITS-1:0] x,
    input  wire [R_BITS-1:0] r,
    input  wire [      11:0] inverse,
    input  wire [X_BITS-1:0] n,
    input  wire [X_BITS-1:0] s,
    input  wire [X_BITS-1:0] w,
    input  wire [X_BITS-1:0] e,
    input  wire [X_BITS-1:0] nw,
    input  wire [X_BITS-1:0] ne,
    input  wire [X_BITS-1:0] sw,
    input  wire [X_BITS-1:0] se,
    input  wire [      11:0] g_nw,
    input  wire [      11:0] g_ne,
    input  wire [      11:0] g_sw,
    input  wire [      11:0] g_se,
    output reg  [X_BITS-1:0] next
);
    localparam X = X_BITS;
    localparam D = X + 3;         // of differences
    localparam PRODUCT = D + 12;
    localparam PULL = PRODUCT + 2;
    localparam TIMED = PULL - 1 + $clog2(TIME + 1);
    localparam SCALED = TIMED - 27;
    localparam TARGET = (SCALED > X ? SCALED : X) + 2;

    generate
        if (TIME < 1 || TIME > 131072) begin : bad_time
            ro_error_TIME_must_be_1_to_131072 stop ();
        end
        if (R_BITS > X_BITS) begin : bad_bits
            ro_error_R_BITS_must_not_exceed_X_BITS stop ();
        end
        if (CLOCKS != 17 + TIME_CLOCKS + THIRD_CLOCKS) begin : bad_clocks
            ro_error_CLOCKS_do_not_fit_the_parts_of_a_jacobi_pixel stop ();
        end
    endgenerate

    // ---- differences: of each element the diagonal less 2 x, and the sides ----------------------------
    function [X:0] longer;   // by a bit
        input [X-1:0] value;
        longer = {value[X-1], value};
    endfunction
    function [X+1:0] longest; // by two
        input [X-1:0] value;
        longest = {{2{value[X-1]}}, value};
    endfunction

    wire [4*X-1:0] diagonals = {se, sw, ne, nw};
    wire [4*X-1:0] sides = {e, w, e, w};
    wire [4*X-1:0] others = {s, s, n, n};
    wire [4*12-1:0] weights = {g_se, g_sw, g_ne, g_nw};
    wire [4*PRODUCT-1:0] products;

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : element
            reg [X:0] both;
            reg [X+1:0] diagonal;
            reg [D-1:0] difference;
            wire [11:0] weight;
            always @(posedge clk) begin
                both       <= longer(sides[X*i+:X]) + longer(others[X*i+:X]);
                diagonal   <= longest(diagonals[X*i+:X]) - {x[X-1], x, 1'b0};
                difference <= {diagonal, 1'b0} + {{2{both[X]}}, both};
            end
            ro_delay #(
                .BITS(12),
                .CLOCKS(2)
            ) hold (
                .clk(clk),
                .in (weights[12*i+:12]),
                .out(weight)
            );
            ro_multiply_add #(
                .A_BITS(12),
                .B_BITS(D),
                .C_BITS(1),
                .CLOCKS(4)
            ) multiply (
                .clk(clk),
                .a(weight),
                .b({!difference[D-1], difference[D-2:0]}),
                .c(1'b0),
                .sum(products[PRODUCT*i+:PRODUCT])
            );
        end
    endgenerate

    // ---- their sum, less what was added ---------------------------------------------------------------
    wire [4*12-1:0] weights_then;
    reg [PULL:0] upper, lower, all, pull;
    reg [12:0] weight_upper, weight_lower;
    reg [13:0] weight_all;
    reg [PULL-2:0] size;
    ro_delay #(
        .BITS(48),
        .CLOCKS(6)
    ) hold_weights (
        .clk(clk),
        .in (weights),
        .out(weights_then)
    );
    always @(posedge clk) begin
        upper        <= {3'b0, products[0*PRODUCT+:PRODUCT]} + {3'b0, products[1*PRODUCT+:PRODUCT]};
        lower        <= {3'b0, products[2*PRODUCT+:PRODUCT]} + {3'b0, products[3*PRODUCT+:PRODUCT]};
        weight_upper <= {1'b0, weights_then[11:0]} + {1'b0, weights_then[23:12]};
        weight_lower <= {1'b0, weights_then[35:24]} + {1'b0, weights_then[47:36]};
        all          <= upper + lower;
        weight_all   <= {1'b0, weight_upper} + {1'b0, weight_lower};
        pull         <= all - {{PULL + 1 - 14 - (D - 1){1'b0}}, weight_all, {D - 1{1'b0}}};
        size         <= pull[PULL] ? ~pull[PULL-2:0] + 1'b1 : pull[PULL-2:0];
    end

    // ---- times t, over 3 2^27 -------------------------------------------------------------------------
    wire [TIMED-1:0] timed;
    wire [SCALED-1:0] third;
    wire unused_low = &{1'b0, timed};
    ro_times_constant #(
        .BITS(PULL - 1),
        .C(TIME),
        .CLOCKS(TIME_CLOCKS)
    ) time_step (
        .clk(clk),
        .x(size),
        .product(timed)
    );
    ro_divide_by_3 #(
        .BITS(SCALED),
        .CLOCKS(THIRD_CLOCKS)
    ) divide (
        .clk(clk),
        .number(timed[TIMED-1:27]),
        .third(third)
    );

    // ---- the target, times the inverse ----------------------------------------------------------------
    localparam TILL_TARGET = 10 + TIME_CLOCKS + THIRD_CLOCKS;
    wire pull_is_negative, target_was_negative;
    wire [X:0] rest;
    reg [X:0] rest_now;
    reg [TARGET-1:0] target;
    reg [TARGET-2:0] target_size;
    wire [11:0] inverse_then;
    wire [X-1:0] x_then;
    wire [TARGET+10:0] scaled;
    wire [X-1:0] change = scaled[12+:X];
    wire [TARGET-1:0] long_third = {{TARGET - SCALED{1'b0}}, third};
    wire [TARGET-1:0] long_rest = {{TARGET - X - 1{rest[X]}}, rest};
    wire unused_scaled = &{1'b0, scaled};

    always @(posedge clk) begin
        rest_now    <= {{X + 1 - R_BITS{r[R_BITS-1]}}, r} - longer(x);
        target      <= pull_is_negative ? long_rest - long_third : long_rest + long_third;
        target_size <= target[TARGET-1] ? ~target[TARGET-2:0] + 1'b1 : target[TARGET-2:0];
        next        <= target_was_negative ? x_then - change : x_then + change;
    end
    ro_delay_far #(
        .BITS(X + 1),
        .CLOCKS(TILL_TARGET - 1)
    ) hold_rest (
        .clk(clk),
        .in (rest_now),
        .out(rest)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(1 + TIME_CLOCKS + THIRD_CLOCKS)
    ) hold_sign (
        .clk(clk),
        .in (pull[PULL]),
        .out(pull_is_negative)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(5)
    ) hold_target_sign (
        .clk(clk),
        .in (target[TARGET-1]),
        .out(target_was_negative)
    );
    ro_delay_far #(
        .BITS(12),
        .CLOCKS(TILL_TARGET + 2)
    ) hold_inverse (
        .clk(clk),
        .in (inverse),
        .out(inverse_then)
    );
    ro_delay_far #(
        .BITS(X),
        .CLOCKS(CLOCKS - 1)
    ) hold_x (
        .clk(clk),
        .in (x),
        .out(x_then)
    );
    ro_multiply_add #(
        .A_BITS(12),
        .B_BITS(TARGET - 1),
        .C_BITS(1),
        .CLOCKS(4)
    ) invert (
        .clk(clk),
        .a(inverse_then),
        .b(target_size),
        .c(1'b0),
        .sum(scaled)
    );
endmodule
