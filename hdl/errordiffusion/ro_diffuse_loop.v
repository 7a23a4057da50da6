// SPDX-License-Identifier: MIT
// The loop of error diffusion: what a pixel is rounded to decides what its right neighbour gets. A
// pixel a clock, in one clock for one row, in LANES clocks where LANES rows take turns. See
// ro_diffuse_base for sigma and lambda; here
//
//     sigma' = base + c + r v + z,    sigma = D v + c,    z = q (error of the pixel before this one)
//
// where base is chosen by two sign bits that are there when the clock begins, so the choice, the
// products by shifts and a carry-save addition come before one single addition. q = 0 for most
// kernels.
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
    localparam [B-1:0] BEGIN = 1 << (SHIFT - 1);

    generate
        if (RIGHT != 2 && RIGHT != 3 && RIGHT != 4 && RIGHT != 7 && RIGHT != 8) begin : bad_right
            ro_error_RIGHT_must_be_2_3_4_7_or_8 stop ();
        end
        if (FURTHER != 0 && FURTHER != 2 && FURTHER != 3) begin : bad_further
            ro_error_FURTHER_must_be_0_2_or_3 stop ();
        end
        if (LANES != 1 && LANES != 2) begin : bad_lanes
            ro_error_LANES_must_be_1_or_2 stop ();
        end
    endgenerate

    // ---- the state: of the pixel before the one that comes in -----------------------------------
    reg [B-1:0] sigma;
    reg lambda_is_negative;
    wire below = LEVELS > 2 && lambda_is_negative;
    wire above = !sigma[B-1];
    wire [B-1:0] v = {{SHIFT{sigma[B-1]}}, sigma[B-1:SHIFT]};
    wire [B-1:0] c = {{B - SHIFT{1'b0}}, sigma[SHIFT-1:0]};
    wire [B-1:0] r_v = RIGHT == 7 ? (v << 3) - v : RIGHT == 3 ? (v << 1) + v : v << $clog2(RIGHT);

    wire [B-1:0] base = above ? base_above : below ? base_below : base_mid;
    wire [B-1:0] low = above ? low_above : below ? low_below : low_mid;

    // ---- what the pixel two further gets --------------------------------------------------------
    // q e = q v + q (middle + 1 - level), the latter from a table when the pixel comes in.
    wire step;       // a pixel comes in
    wire [B-1:0] z;  // q times the error before the one in sigma
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
            wire [B-1:0] if_above, if_mid, if_below;
            wire [B-1:0] q_v = FURTHER == 2 ? v << 1 : (v << 1) + v;
            wire [B-1:0] q_error = q_v + (above ? if_above : below ? if_below : if_mid);
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

    // ---- the addition -----------------------------------------------------------------------------
    generate
        if (LANES == 1) begin : in_one_clock
            wire [B-1:0] next = base + r_v + c + z;
            wire [B-1:0] next_low = low + r_v + c + z;
            assign step = in_valid || reset;
            always @(posedge clk) begin
                if (step) begin
                    sigma <= in_last || reset ? BEGIN : next;
                    lambda_is_negative <= next_low[B-1];
                end
                if (in_valid) begin
                    out_last  <= in_last;
                    out_mid   <= in_mid;
                    out_sigma <= next;
                    out_low   <= next_low[B-1];
                end
                out_valid <= in_valid && !reset;
            end
        end else begin : in_two_clocks
            reg [B-1:0] chosen, chosen_low, added;
            reg valid1, last1;
            reg [LEVEL_BITS-1:0] mid1;
            wire [B-1:0] next = chosen + added;
            wire [B-1:0] next_low = chosen_low + added;
            assign step = 1'b1;
            always @(posedge clk) begin
                chosen     <= base;
                chosen_low <= low;
                added      <= r_v + c + z;
                valid1     <= in_valid && !reset;
                last1      <= in_last;
                mid1       <= in_mid;

                sigma     <= valid1 && !last1 ? next : BEGIN;
                lambda_is_negative <= next_low[B-1];
                out_valid <= valid1 && !reset;
                out_last  <= last1;
                out_mid   <= mid1;
                out_sigma <= next;
                out_low   <= next_low[B-1];
            end
        end
    endgenerate
endmodule
