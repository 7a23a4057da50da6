// SPDX-License-Identifier: MIT
// From sigma to the level of a pixel and its error, two clocks later.
module ro_diffuse_choice #(
    parameter MAXVAL = 255,
    parameter LEVELS = 2,
    parameter SHIFT = 4,
    parameter SUM_BITS = 17,
    parameter LEVEL_BITS = 1,
    parameter ERROR_BITS = 12
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  in_valid,
    input  wire                  in_last,
    input  wire [LEVEL_BITS-1:0] in_mid,
    input  wire [  SUM_BITS-1:0] in_sigma,
    input  wire                  in_low,
    output wire                  out_valid,
    output wire                  out_last,
    output reg  [LEVEL_BITS-1:0] out_level,
    output reg  [ERROR_BITS-1:0] out_error
);
`include "ro_levels.vh"
    localparam [511:0] ABOVES = errors_at_threshold(1, 1);
    localparam [511:0] MIDS = errors_at_threshold(1, 0);
    localparam [511:0] BELOWS = errors_at_threshold(1, -1);

    wire above = !in_sigma[SUM_BITS-1];
    wire below = LEVELS > 2 && in_low;
    reg [LEVEL_BITS-1:0] level1;
    reg [ERROR_BITS-1:0] part1, v1;
    wire unused = &{1'b0, in_sigma};

    always @(posedge clk) begin
        v1     <= in_sigma[SHIFT+:ERROR_BITS]; // the error fits, so its upper bits need not be added
        part1  <= above ? ABOVES[in_mid*32+:ERROR_BITS]
            : below ? BELOWS[in_mid*32+:ERROR_BITS] : MIDS[in_mid*32+:ERROR_BITS];
        level1 <= above ? in_mid + 1'b1 : below ? in_mid - 1'b1 : in_mid;

        out_level <= level1;
        out_error <= v1 + part1;
    end

    ro_delay_reset #(
        .CLOCKS(2)
    ) valids (
        .clk(clk),
        .reset(reset),
        .in(in_valid),
        .out(out_valid)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(2)
    ) lasts (
        .clk(clk),
        .in (in_last),
        .out(out_last)
    );
endmodule
