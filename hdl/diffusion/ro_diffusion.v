// SPDX-License-Identifier: MIT
// STEPS explicit steps of linear diffusion in one pass over a picture of any height, a pixel a clock:
// `roundoff denoise --model linear` in numbers of BITS bits (s9: 9, s12: 12), two's complement. Marks,
// sizes and `error` are those of ro_frame_guard.
module ro_diffusion #(
    parameter WIDTH = 512, // the widest picture
    parameter STEPS = 1,
    parameter BITS = 12,
    parameter TIME = 6143, // tau/h^2 in 1/16384; 3071 at most when rounding to nearest
    parameter NEAREST = 0, // 1: fluxes are rounded to nearest, 0: toward zero
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire                   in_first,
    input  wire                   in_last,
    input  wire [       BITS-1:0] in_pixel,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [       BITS-1:0] out_pixel,
    output wire                   error
);
    localparam PRODUCT_CLOCKS = 3;                 // enough for any weight of 13 bits
    localparam STEP_CLOCKS = 2 + PRODUCT_CLOCKS + 4 + 5; // from a beat to what it brings out

    generate
        if (STEPS < 1 || STEPS > 64) begin : bad_steps
            ro_error_STEPS_must_be_1_to_64 stop ();
        end
    endgenerate

    wire beat, last, top, bottom, flush, shift, idle;
    wire [BITS-1:0] pixel;
    wire [STEPS:0] beats, lasts, tops, bottoms, flushes;
    wire [BITS*(STEPS+1)-1:0] pixels;
    wire unused = &{1'b0, shift, idle, bottoms[STEPS]};

    ro_stream_shell #(
        .IN_BITS(BITS),
        .OUT_BITS(BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .FLUSH(STEPS),
        .PERIOD(STEP_CLOCKS + 2),
        .CLOCKS(STEPS * (STEP_CLOCKS + 1))
    ) shell (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_first(in_first),
        .in_last(in_last),
        .in_data(in_pixel),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data(out_pixel),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(pixel),
        .complaint(1'b0),
        .done(beats[STEPS] && !flushes[STEPS]),
        .done_last(lasts[STEPS]),
        .done_top(tops[STEPS]),
        .done_data(pixels[BITS*STEPS+:BITS])
    );
    assign {beats[0], lasts[0], tops[0], bottoms[0], flushes[0]} = {beat, last, top, bottom, flush};
    assign pixels[0+:BITS] = pixel;

    genvar i;
    generate
        for (i = 0; i < STEPS; i = i + 1) begin : steps
            ro_flux_step #(
                .WIDTH(WIDTH),
                .BITS(BITS),
                .TIME(TIME),
                .NEAREST(NEAREST),
                .PRODUCT_CLOCKS(PRODUCT_CLOCKS)
            ) step (
                .clk(clk),
                .reset(reset),
                .in_beat(beats[i]),
                .in_last(lasts[i]),
                .in_top(tops[i]),
                .in_bottom(bottoms[i]),
                .in_flush(flushes[i]),
                .in_pixel(pixels[BITS*i+:BITS]),
                .out_beat(beats[i+1]),
                .out_last(lasts[i+1]),
                .out_top(tops[i+1]),
                .out_bottom(bottoms[i+1]),
                .out_flush(flushes[i+1]),
                .out_pixel(pixels[BITS*(i+1)+:BITS])
            );
        end
    endgenerate
endmodule
