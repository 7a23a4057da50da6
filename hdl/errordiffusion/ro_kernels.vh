// SPDX-License-Identifier: MIT
// The kernels of error diffusion that reach one row down, with their common factor taken out. To be
// included in a module that has the parameter KERNEL. Taps of the row below stand from the column +2
// to the column -3 of the target, four bits each.
    /* verilator lint_off UNUSEDPARAM */
    localparam [191:0] FLOYD_STEINBERG = "floyd-steinberg";
    localparam [191:0] FALSE_FLOYD_STEINBERG = "false-floyd-steinberg";
    localparam [191:0] BURKES = "burkes";
    localparam [191:0] SIERRA_TWO_ROW = "sierra-two-row";
    localparam [191:0] SIERRA_LITE = "sierra-lite";
    localparam [191:0] FAN = "fan";
    localparam [191:0] SHIAU_FAN = "shiau-fan";
    localparam [191:0] SHIAU_FAN_2 = "shiau-fan-2";

    // {log2 of the divisor, to the right, two to the right, taps below}
    localparam [35:0] TAPS =
        KERNEL == FLOYD_STEINBERG ? 36'h4_7_0_015300 :
        KERNEL == FALSE_FLOYD_STEINBERG ? 36'h3_3_0_023000 :
        KERNEL == BURKES ? 36'h4_4_2_124210 :
        KERNEL == SIERRA_TWO_ROW ? 36'h4_4_3_123210 :
        KERNEL == SIERRA_LITE ? 36'h2_2_0_001100 :
        KERNEL == FAN ? 36'h4_7_0_005310 :
        KERNEL == SHIAU_FAN ? 36'h3_4_0_002110 :
        KERNEL == SHIAU_FAN_2 ? 36'h4_8_0_004211 : 36'd0;
    localparam integer SHIFT = {28'd0, TAPS[35:32]};
    localparam integer RIGHT = {28'd0, TAPS[31:28]};
    localparam integer FURTHER = {28'd0, TAPS[27:24]};
    localparam integer OFFSET = 2 * RIGHT >= (1 << SHIFT) - 2 ? (1 << SHIFT) / 2 : 0;
    localparam [23:0] WEIGHTS = TAPS[23:0];
    localparam AHEAD = WEIGHTS[3:0] != 0 ? 3 : WEIGHTS[7:4] != 0 ? 2 : WEIGHTS[11:8] != 0 ? 1 : 0;
    localparam BEHIND = WEIGHTS[23:20] != 0 ? 2 : WEIGHTS[19:16] != 0 ? 1 : 0;

    generate
        if (TAPS == 36'd0) begin : bad_kernel
            ro_error_KERNEL_must_be_one_of_those_in_ro_kernels_vh stop ();
        end
        if (LEVELS < 2 || LEVELS > 16) begin : bad_levels
            ro_error_LEVELS_must_be_2_to_16 stop ();
        end
        if (MAXVAL < 1 || MAXVAL > 65535 || MAXVAL < LEVELS - 1) begin : bad_maxval
            ro_error_MAXVAL_must_be_1_to_65535_and_have_room_for_LEVELS stop ();
        end
    endgenerate

    // Values differ from a threshold by 5/4 of white at most.
    localparam PIXEL_BITS = $clog2(MAXVAL + 1);
    localparam LEVEL_BITS = $clog2(LEVELS);
    localparam SUM_BITS = 1 + $clog2(16 * MAXVAL + (LEVELS > 2 ? 4 * MAXVAL : 0) + 8) + SHIFT;
    /* verilator lint_on UNUSEDPARAM */
