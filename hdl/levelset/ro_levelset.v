// SPDX-License-Identifier: MIT
// STEPS level-set steps of profile fpga12 in one pass over a picture of any height: phi and the speed
// of every pixel in, phi after the steps out, with the speed beside it, so that passes can follow one
// another. A pixel a clock; frames may follow without a gap.
//
// Streams move where `valid` and `ready` meet. `first` marks the first pixel of a frame, `last` the
// last one of a row. `width` and `height` stay as they are while a frame comes in. `error`: a frame
// did not have that shape, or a speed was beyond the bound (1020 for fpga12); see ro_frame_guard.
module ro_levelset #(
    parameter WIDTH = 512,     // the widest picture
    parameter STEPS = 1,
    parameter PHI_BITS = 12,   // u8: 8, s12: 12, s16: 16
    parameter SPEED_BITS = 11, // u8: 8, s12: 11, s16: 15
    parameter A = 43,          // of the norm, in 1/128
    parameter BLOCKS = 1,      // 1: multipliers of the device, 0: of logic
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
    input  wire [   PHI_BITS-1:0] in_phi,
    input  wire [ SPEED_BITS-1:0] in_speed,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [   PHI_BITS-1:0] out_phi,
    output wire [ SPEED_BITS-1:0] out_speed,
    output wire                   error
);
    wire idle, held, crossed;
    wire [STEPS-1:0] changed;
    wire unused = &{1'b0, idle, held, crossed, changed};

    ro_levelset_engine #(
        .WIDTH(WIDTH),
        .STEPS(STEPS),
        .PHI_BITS(PHI_BITS),
        .SPEED_BITS(SPEED_BITS),
        .A(A),
        .BLOCKS(BLOCKS),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS)
    ) engine (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .active({STEPS{1'b1}}),
        .from_table(1'b0),
        .double_phi(1'b0),
        .double_speed(1'b0),
        .table_write(1'b0),
        .table_address(1'b0),
        .table_speed({SPEED_BITS{1'b0}}),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_first(in_first),
        .in_last(in_last),
        .in_phi(in_phi),
        .in_speed(in_speed),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_phi(out_phi),
        .out_speed(out_speed),
        .forget(1'b0),
        .changed(changed),
        .held(held),
        .crossed(crossed),
        .idle(idle),
        .error(error)
    );
endmodule
