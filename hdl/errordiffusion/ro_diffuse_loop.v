// SPDX-License-Identifier: MIT
// The loop of error diffusion: what a pixel is rounded to decides what its right neighbour gets. A
// pixel a clock, in one clock for one row, in LANES clocks where LANES rows take turns. See
// ro_diffuse_base for sigma = D v + c and lambda; with r and q the weights to the next pixel and to
// the one behind it,
//
//     sigma' = base + c + r v + z,      z = q (error of the pixel before this one)
//
// where base is chosen by two sign bits that are there when the clock begins. Three numbers become two
// (a carry-save addition), and one addition with a carry chain remains.
//
// Where r is D/2 or D/2 - 1, c + r v would be three numbers by itself, since c and (D/2) v overlap in
// one bit. So tau = sigma + D/2 is kept instead, D v" + c", of which c" has the upper bit t: then
//
//     c + (D/2) v     = (D/2) v" + c" without t                     one number, its bits side by side
//     c + (D/2 - 1) v = that - v" + 1 - t = that + ~v" + 1 + !t     two, !t in a place that is free
//
// The first 1 is in the bases. The signs of sigma and lambda have additions of their own.
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
    wire above = !sigma_is_negative;
    wire below = LEVELS > 2 && lambda_is_negative;
    wire [B-1:0] v = {{SHIFT{tau[B-1]}}, tau[B-1:SHIFT]};
    wire [B-1:0] c = {{B - SHIFT{1'b0}}, tau[SHIFT-1:0]};
    wire [B-1:0] low_c = c & {{B - SHIFT + 1{1'b0}}, {SHIFT - 1{1'b1}}};
    wire not_t = !tau[SHIFT-1];
    wire [B-1:0] z; // q times the error before the one in tau

    // c + r v + z as two numbers and a bit
    wire [B-1:0] quarter = v << $clog2(RIGHT);
    wire [B-1:0] sums = OFFSET != 0 ? (v << (SHIFT - 1)) | low_c : quarter ^ c ^ z;
    wire [B-1:0] carries = 2 * RIGHT == D - 2 ? ~v
        : OFFSET != 0 ? {B{1'b0}} : ((quarter & c) | (quarter & z) | (c & z)) << 1;
    wire [B-1:0] one = {{B - 1{1'b0}}, 2 * RIGHT == D - 2 ? not_t : 1'b0};

    wire [B-1:0] base = above ? base_above : below ? base_below : base_mid;
    wire [B-1:0] sign = above ? sign_above : below ? sign_below : sign_mid;
    wire [B-1:0] low = above ? low_above : below ? low_below : low_mid;

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

    // ---- the addition ---------------------------------------------------------------------------
    generate
        if (LANES == 1) begin : in_one_clock
            wire [B-1:0] both = sums & carries, either = sums | carries, odd = sums ^ carries;
            wire [B-1:0] next = (odd ^ base) + ((both | (either & base)) << 1 | one);
            wire [B-1:0] sigma = (odd ^ sign) + ((both | (either & sign)) << 1 | one);
            wire [B-1:0] lambda = (odd ^ low) + ((both | (either & low)) << 1 | one);
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
        end else begin : in_two_clocks
            reg [B-1:0] chosen, chosen_sign, chosen_low, added;
            reg valid1, last1;
            reg [LEVEL_BITS-1:0] mid1;
            wire unused_bit = two[0];
            wire [B:0] two = {sums, one[0]} + {carries, one[0]}; // the last bits carry
            wire [B-1:0] next = chosen + added;
            wire [B-1:0] sigma = chosen_sign + added;
            wire [B-1:0] lambda = chosen_low + added;
            assign step = 1'b1;
            always @(posedge clk) begin
                chosen      <= base;
                chosen_sign <= sign;
                chosen_low  <= low;
                added       <= two[B:1];
                valid1      <= in_valid && !reset;
                last1       <= in_last;
                mid1        <= in_mid;

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
    wire unused = &{1'b0, sign, low, not_t, low_c, quarter, one, step};
endmodule
