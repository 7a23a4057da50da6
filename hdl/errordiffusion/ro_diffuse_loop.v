// SPDX-License-Identifier: MIT
// The loop of error diffusion: what a pixel is rounded to decides what its right neighbour gets. A
// pixel a clock, in one clock for one row, in LANES clocks where LANES rows take turns. See
// ro_diffuse_base for sigma = D v + c and lambda; with r and q the weights to the next pixel and to
// the one behind it,
//
//     sigma' = base + c + r v + z,      z = q (error of the pixel before this one)
//
// where base is chosen by two sign bits that are there when the clock begins: ro_diffuse_next.
//
// A row begins with v = 0 and c = D/2, which the bases of its first pixel take into account: the loop
// is put back to it by the last pixel of a row. What goes out is a copy that is not put back.
module ro_diffuse_loop #(
    parameter LANES = 1,
    parameter MAXVAL = 255,
    parameter LEVELS = 2,
    parameter SHIFT = 4,
    parameter RIGHT = 7,       // r: 2, 3, 4, 7 or 8
    parameter FURTHER = 0,     // q: 0, 2 or 3
    parameter OFFSET = 8,      // of tau: D/2, or 0 where r is neither D/2 nor D/2 - 1
    parameter SUM_BITS = 17,
    parameter LEVEL_BITS = 1
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  in_valid,
    input  wire                  in_last,
    input  wire [LEVEL_BITS-1:0] in_mid,
    input  wire [  SUM_BITS-1:0] base_above,
    input  wire [  SUM_BITS-1:0] base_mid,
    input  wire [  SUM_BITS-1:0] base_below,
    input  wire [  SUM_BITS-1:0] sign_above,
    input  wire [  SUM_BITS-1:0] sign_mid,
    input  wire [  SUM_BITS-1:0] sign_below,
    input  wire [  SUM_BITS-1:0] low_above,
    input  wire [  SUM_BITS-1:0] low_mid,
    input  wire [  SUM_BITS-1:0] low_below,
    output reg                   out_valid,
    output reg                   out_last,
    output reg  [LEVEL_BITS-1:0] out_mid,
    output reg  [  SUM_BITS-1:0] out_sigma,
    output reg                   out_low    // lambda < 0: the level below mid
);
`include "ro_levels.vh"
    localparam B = SUM_BITS;
    localparam D = 1 << SHIFT;
    localparam integer HALF = D / 2 + OFFSET;
    localparam [B-1:0] BEGIN = HALF[B-1:0];

    generate
        if (2 * RIGHT != D && 2 * RIGHT != D - 2 && 4 * RIGHT != D) begin : bad_right
            ro_error_RIGHT_must_be_a_half_or_a_quarter_of_the_divisor_or_one_less_than_a_half stop ();
        end
        if (OFFSET != (2 * RIGHT >= D - 2 ? D / 2 : 0)) begin : bad_offset
            ro_error_OFFSET_does_not_fit_RIGHT stop ();
        end
        if (FURTHER != 0 && FURTHER != 2 && FURTHER != 3 || FURTHER != 0 && OFFSET != 0) begin : bad_further
            ro_error_FURTHER_must_be_0_2_or_3_and_RIGHT_a_quarter_of_the_divisor stop ();
        end
        if (LANES != 1 && LANES != 2) begin : bad_lanes
            ro_error_LANES_must_be_1_or_2 stop ();
        end
    endgenerate

    // ---- the state: of the pixel before the one that comes in -----------------------------------
    reg [B-1:0] tau;
    reg sigma_is_negative, lambda_is_negative;
    wire [B-1:0] z; // q times the error before the one in tau
    wire [B-1:0] next, sigma, lambda;

    ro_diffuse_next #(
        .LANES(LANES),
        .LEVELS(LEVELS),
        .SHIFT(SHIFT),
        .RIGHT(RIGHT),
        .OFFSET(OFFSET),
        .SUM_BITS(B)
    ) next_sums (
        .clk(clk),
        .tau(tau),
        .sigma_is_negative(sigma_is_negative),
        .lambda_is_negative(lambda_is_negative),
        .z(z),
        .base_above(base_above),
        .base_mid(base_mid),
        .base_below(base_below),
        .sign_above(sign_above),
        .sign_mid(sign_mid),
        .sign_below(sign_below),
        .low_above(low_above),
        .low_mid(low_mid),
        .low_below(low_below),
        .next(next),
        .sigma(sigma),
        .lambda(lambda)
    );

    // ---- what the pixel two further gets --------------------------------------------------------
    // q e = q v + q (middle + 1 - level), the latter from a table when the pixel comes in.
    wire step; // a pixel comes in
    generate
        if (FURTHER == 0) begin : next_only
            assign z = {B{1'b0}};
        end else begin : further
            localparam [511:0] ABOVES = errors_at_threshold(FURTHER, 1);
            localparam [511:0] MIDS = errors_at_threshold(FURTHER, 0);
            localparam [511:0] BELOWS = errors_at_threshold(FURTHER, -1);
            wire [3*B-1:0] found = {
                ABOVES[in_mid*32+:B], MIDS[in_mid*32+:B], BELOWS[in_mid*32+:B]
            };
            wire above = !sigma_is_negative;
            wire below = LEVELS > 2 && lambda_is_negative;
            wire [B-1:0] v = {{SHIFT{tau[B-1]}}, tau[B-1:SHIFT]};
            wire [B-1:0] if_above, if_mid, if_below;
            wire [B-1:0] twice = v << 1, once = FURTHER == 3 ? v : {B{1'b0}};
            wire [B-1:0] rest = above ? if_above : below ? if_below : if_mid;
            wire [B-1:0] q_carries = ((twice & once) | (twice & rest) | (once & rest)) << 1;
            wire [B-1:0] q_error = (twice ^ once ^ rest) + q_carries;
            ro_lane_delay #(
                .BITS(3 * B),
                .LANES(LANES)
            ) hold_found (
                .clk(clk),
                .step(step),
                .clear(in_last || !in_valid),
                .in(found),
                .out({if_above, if_mid, if_below})
            );
            ro_lane_delay #(
                .BITS(B),
                .LANES(LANES)
            ) hold_error (
                .clk(clk),
                .step(step),
                .clear(in_last || !in_valid),
                .in(q_error),
                .out(z)
            );
        end
    endgenerate

    // ---- what becomes of it ---------------------------------------------------------------------
    generate
        if (LANES == 1) begin : one_lane
            assign step = in_valid || reset;
            always @(posedge clk) begin
                if (step) begin
                    tau <= in_last || reset ? BEGIN : next;
                    sigma_is_negative  <= sigma[B-1];
                    lambda_is_negative <= lambda[B-1];
                end
                if (in_valid) begin
                    out_last  <= in_last;
                    out_mid   <= in_mid;
                    out_sigma <= sigma;
                    out_low   <= lambda[B-1];
                end
                out_valid <= in_valid && !reset;
            end
        end else begin : two_lanes
            reg valid1, last1;
            reg [LEVEL_BITS-1:0] mid1;
            assign step = 1'b1;
            always @(posedge clk) begin
                valid1 <= in_valid && !reset;
                last1  <= in_last;
                mid1   <= in_mid;

                tau <= valid1 && !last1 ? next : BEGIN;
                sigma_is_negative  <= sigma[B-1];
                lambda_is_negative <= lambda[B-1];
                out_valid <= valid1 && !reset;
                out_last  <= last1;
                out_mid   <= mid1;
                out_sigma <= sigma;
                out_low   <= lambda[B-1];
            end
        end
    endgenerate
    wire unused = step;
endmodule
