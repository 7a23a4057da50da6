// SPDX-License-Identifier: MIT
// Error diffusion by every kernel and several numbers of levels, one of them at a time: `which` says
// which one gets the stream. All kernels with two levels come first; from 32 on it is Floyd-Steinberg
// with 2 to 16 levels.
module kernels_top #(
    parameter WIDTH = 40,
    parameter MAXVAL = 255,
    parameter FIRST = 0, // of the list
    parameter COUNT = 12,
    parameter LINES = 0  // 1: two rows at once
) (
    input  wire        clk,
    input  wire        reset,
    input  wire [ 4:0] which,
    input  wire [15:0] width,
    input  wire [15:0] height,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire        in_first,
    input  wire        in_last,
    input  wire [15:0] in_pixel,
    output wire        out_valid,
    input  wire        out_ready,
    output wire        out_first,
    output wire        out_last,
    output wire [ 3:0] out_level,
    output wire        error
);
    localparam WIDTH_BITS = $clog2(WIDTH + 1);
    localparam IN_BITS = $clog2(MAXVAL + 1);
    wire [31:0] readys, valids, firsts, lasts, errors;
    wire [127:0] levels;
    wire unused = &{1'b0, width, in_pixel};

    assign in_ready  = readys[which];
    assign out_valid = valids[which];
    assign out_first = firsts[which];
    assign out_last  = lasts[which];
    assign out_level = levels[4*which+:4];
    assign error     = errors[which];

    genvar i;
    generate
        for (i = COUNT; i < 32; i = i + 1) begin : none
            assign {readys[i], valids[i], firsts[i], lasts[i], errors[i], levels[4*i+:4]} = 9'd0;
        end
        for (i = 0; i < COUNT; i = i + 1) begin : circuit
            localparam AT = FIRST + i;
            localparam LEVELS = AT < 8 ? 2 : AT < 16 ? (AT % 2 == 0 ? 16 : 3) : AT < 24 ? 5
                : AT < 32 ? 11 : AT - 30;
            localparam [191:0] KERNEL =
                AT % 8 == 0 || AT >= 32 ? "floyd-steinberg" :
                AT % 8 == 1 ? "sierra-two-row" :
                AT % 8 == 2 ? "burkes" :
                AT % 8 == 3 ? "shiau-fan-2" :
                AT % 8 == 4 ? "sierra-lite" :
                AT % 8 == 5 ? "fan" :
                AT % 8 == 6 ? "shiau-fan" : "false-floyd-steinberg";
            localparam OUT_BITS = $clog2(LEVELS);
            wire [OUT_BITS-1:0] level;
            assign levels[4*i+:4] = 4'd0 | {{4 - OUT_BITS{1'b0}}, level};
            if (LINES == 0) begin : one_stream
                ro_errordiffusion #(
                    .WIDTH(WIDTH),
                    .KERNEL(KERNEL),
                    .LEVELS(LEVELS),
                    .MAXVAL(MAXVAL)
                ) diffusion (
                    .clk(clk),
                    .reset(reset),
                    .width(width[WIDTH_BITS-1:0]),
                    .height(height),
                    .in_valid(in_valid && which == i),
                    .in_ready(readys[i]),
                    .in_first(in_first),
                    .in_last(in_last),
                    .in_pixel(in_pixel[IN_BITS-1:0]),
                    .out_valid(valids[i]),
                    .out_ready(out_ready && which == i),
                    .out_first(firsts[i]),
                    .out_last(lasts[i]),
                    .out_level(level),
                    .error(errors[i])
                );
            end else begin : two_rows
                ro_errordiffusion_lines #(
                    .WIDTH(WIDTH),
                    .KERNEL(KERNEL),
                    .LEVELS(LEVELS),
                    .MAXVAL(MAXVAL)
                ) diffusion (
                    .clk(clk),
                    .reset(reset),
                    .width(width[WIDTH_BITS-1:0]),
                    .height(height),
                    .in_valid(in_valid && which == i),
                    .in_ready(readys[i]),
                    .in_first(in_first),
                    .in_last(in_last),
                    .in_pixel(in_pixel[IN_BITS-1:0]),
                    .out_valid(valids[i]),
                    .out_ready(out_ready && which == i),
                    .out_first(firsts[i]),
                    .out_last(lasts[i]),
                    .out_level(level),
                    .error(errors[i])
                );
            end
        end
    endgenerate
endmodule
