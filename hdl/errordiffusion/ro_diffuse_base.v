// SPDX-License-Identifier: MIT
// Everything about a pixel that can be known before its left neighbour has been rounded, so that the
// loop (ro_diffuse_loop) has as little to do as possible.
//
// The tone T of a pixel leaves three levels for it at most, since what flows in is at most half a gap:
// `mid`, the one below and the one above. (Two levels: 0 and 1 with nothing between.) Of the sum
// s = D v + c, v being the pixel's value and c the rest that is carried on, the loop keeps
//
//     sigma = s - D (middle[mid] + 1)          v is nearer to mid + 1 iff sigma >= 0
//
// and the sign of lambda, the same with middle[mid - 1]. With e = v - level, the next pixel has
//
//     s' = D T' + (errors from above) + c + r e,    r e = r sigma/D + r (middle[mid] + 1 - level)
//
// Its `base_*` are all of sigma' but c and r sigma/D, for each of the three levels that the pixel
// before it may take, moved by what the loop wants (see there); `sign_*` the same without OFFSET, and
// `low_*` the same of lambda'. They come 4 clocks later.
module ro_diffuse_base #(
    parameter MAXVAL = 255,
    parameter LEVELS = 2,
    parameter LANES = 1,
    parameter SHIFT = 4,      // D = 2^SHIFT
    parameter RIGHT = 7,      // r
    parameter OFFSET = 8,     // of what the loop keeps
    parameter PIXEL_BITS = 8,
    parameter SUM_BITS = 17,
    parameter LEVEL_BITS = 1
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  in_valid,
    input  wire                  in_last,
    input  wire [PIXEL_BITS-1:0] in_pixel,
    input  wire [  SUM_BITS-1:0] in_sum,
    output wire                  out_valid,
    output wire                  out_last,
    output reg  [LEVEL_BITS-1:0] out_mid,
    output reg  [  SUM_BITS-1:0] base_above, // the pixel before it took mid + 1,
    output reg  [  SUM_BITS-1:0] base_mid,
    output reg  [  SUM_BITS-1:0] base_below, // or mid - 1; not for two levels
    output reg  [  SUM_BITS-1:0] sign_above,
    output reg  [  SUM_BITS-1:0] sign_mid,
    output reg  [  SUM_BITS-1:0] sign_below,
    output reg  [  SUM_BITS-1:0] low_above,
    output reg  [  SUM_BITS-1:0] low_mid,
    output reg  [  SUM_BITS-1:0] low_below
);
`include "ro_levels.vh"
    localparam D = 1 << SHIFT;

    // ---- constants, by level --------------------------------------------------------------------
    function [511:0] thresholds; // D (middle[k] + 1), less what the loop leaves out
        input integer factor;
        integer k;
        begin
            thresholds = 512'd0;
            for (k = LOWEST_MID; k <= HIGHEST_MID; k = k + 1)
                thresholds[32*k+:32] = factor * (middle(k) + 1) - (2 * RIGHT == D - 2 ? 1 : 0);
        end
    endfunction

    function [511:0] gaps; // D (middle[k] - middle[k - 1])
        input integer factor;
        integer k;
        begin
            gaps = 512'd0;
            for (k = 1; k <= HIGHEST_MID; k = k + 1)
                gaps[32*k+:32] = factor * (middle(k) - middle(k - 1));
        end
    endfunction

    localparam [511:0] THRESHOLDS = thresholds(D), GAPS = gaps(D);
    localparam [511:0] ABOVES = errors_at_threshold(RIGHT, 1);
    localparam [511:0] MIDS = errors_at_threshold(RIGHT, 0);
    localparam [511:0] BELOWS = errors_at_threshold(RIGHT, -1);

    // ---- 1: the level in the middle, and the sum so far -----------------------------------------
    reg [LEVEL_BITS-1:0] mid_now, mid1, mid2, mid3;
    reg [SUM_BITS-1:0] sum1, sum2;
    wire valid1, last1;
    integer k;

    always @* begin
        mid_now = LOWEST_MID[LEVEL_BITS-1:0];
        for (k = LOWEST_MID; k < HIGHEST_MID; k = k + 1)
            if ({{32 - PIXEL_BITS{1'b0}}, in_pixel} > middle(k) / 16) mid_now = mid_now + 1'b1;
    end
    always @(posedge clk) begin
        mid1 <= mid_now;
        sum1 <= in_sum + ({{SUM_BITS - PIXEL_BITS{1'b0}}, in_pixel} << (4 + SHIFT));
    end

    // ---- 2: against its threshold; what the pixel before it adds ---------------------------------
    wire begins;                       // there is none before it
    wire [LEVEL_BITS-1:0] mid_before;
    reg [SUM_BITS-1:0] above2, at_mid2, below2, gap2, gap3;

    always @(posedge clk) begin
        mid2    <= mid1;
        sum2    <= sum1 - THRESHOLDS[mid1*32+:SUM_BITS];
        gap2    <= GAPS[mid1*32+:SUM_BITS];
        above2  <= begins ? {SUM_BITS{1'b0}} : ABOVES[mid_before*32+:SUM_BITS];
        at_mid2 <= begins ? {SUM_BITS{1'b0}} : MIDS[mid_before*32+:SUM_BITS];
        below2  <= begins ? {SUM_BITS{1'b0}} : BELOWS[mid_before*32+:SUM_BITS];
    end

    // In one lane the pixel before is the last valid one; of several it came LANES clocks ago.
    generate
        if (LANES == 1) begin : one_lane
            reg ended;
            reg [LEVEL_BITS-1:0] mid;
            always @(posedge clk)
                if (reset) ended <= 1'b1;
                else if (valid1) begin
                    ended <= last1;
                    mid   <= mid1;
                end
            assign begins = ended;
            assign mid_before = mid;
        end else begin : lanes
            wire was_valid, was_last;
            ro_delay_reset #(
                .CLOCKS(LANES)
            ) valid_before (
                .clk(clk),
                .reset(reset),
                .in(valid1),
                .out(was_valid)
            );
            ro_delay #(
                .BITS(1 + LEVEL_BITS),
                .CLOCKS(LANES)
            ) mid_of_before (
                .clk(clk),
                .in ({last1, mid1}),
                .out({was_last, mid_before})
            );
            assign begins = !was_valid || was_last;
        end
    endgenerate

    // ---- 3, 4 -----------------------------------------------------------------------------------
    reg [SUM_BITS-1:0] above3, at_mid3, below3;

    always @(posedge clk) begin
        mid3    <= mid2;
        gap3    <= gap2;
        above3  <= sum2 + above2;
        at_mid3 <= sum2 + at_mid2;
        below3  <= sum2 + below2;

        out_mid    <= mid3;
        base_above <= above3 + OFFSET[SUM_BITS-1:0];
        base_mid   <= at_mid3 + OFFSET[SUM_BITS-1:0];
        base_below <= below3 + OFFSET[SUM_BITS-1:0];
        sign_above <= above3;
        sign_mid   <= at_mid3;
        sign_below <= below3;
        low_above  <= above3 + gap3;
        low_mid    <= at_mid3 + gap3;
        low_below  <= below3 + gap3;
    end

    ro_delay_reset #(
        .CLOCKS(1)
    ) valid_1 (
        .clk(clk),
        .reset(reset),
        .in(in_valid),
        .out(valid1)
    );
    ro_delay_reset #(
        .CLOCKS(3)
    ) valid_4 (
        .clk(clk),
        .reset(reset),
        .in(valid1),
        .out(out_valid)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(1)
    ) last_1 (
        .clk(clk),
        .in (in_last),
        .out(last1)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(3)
    ) last_4 (
        .clk(clk),
        .in (last1),
        .out(out_last)
    );
endmodule
