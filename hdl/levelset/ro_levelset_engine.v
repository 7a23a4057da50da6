// SPDX-License-Identifier: MIT
// STEPS level-set steps in one pass over a picture: a shell, an entry, and one step behind another.
// Pixels and marks as in ro_levelset; the controls are those of ro_levelset_run.
module ro_levelset_engine #(
    parameter WIDTH = 512,
    parameter STEPS = 1,
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11,
    parameter A = 43,
    parameter BLOCKS = 1,
    parameter INTENSITY_BITS = 0,
    parameter TABLE_FILE = "",
    parameter TABLE_BITS = INTENSITY_BITS > 0 ? INTENSITY_BITS : 1,
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire [      STEPS-1:0] active,     // which steps move
    input  wire                   from_table,
    input  wire                   double_phi,
    input  wire                   double_speed,
    input  wire                   table_write,
    input  wire [ TABLE_BITS-1:0] table_address,
    input  wire [ SPEED_BITS-1:0] table_speed,
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
    input  wire                   forget,
    output wire [      STEPS-1:0] changed,
    output wire                   held,       // before the first step of the last frame
    output wire                   crossed,    // in any step since `forget`
    output wire                   idle,       // nothing is left to be pushed into the steps
    output wire                   error
);
    localparam P = PHI_BITS;
    localparam S = SPEED_BITS;
    localparam WORD_BITS = S + P;
    localparam MULTIPLY_CLOCKS = BLOCKS == 0 ? $clog2(S - 1) + 1 : P > 12 ? 4 : 3;
    localparam PIXEL_CLOCKS = 10 + MULTIPLY_CLOCKS;
    localparam CLOCKS = 4 + STEPS * (PIXEL_CLOCKS + 4);

    generate
        if (STEPS < 1 || STEPS > 64) begin : bad_steps
            ro_error_STEPS_must_be_1_to_64 stop ();
        end
    endgenerate

    // ---- in and out -----------------------------------------------------------------------------
    wire shift, bottom, too_fast;
    wire beat, last, top, flush;
    wire [WORD_BITS-1:0] word;
    wire [STEPS:0] beats, lasts, tops, flushes;
    wire [WORD_BITS*(STEPS+1)-1:0] words;
    wire [WORD_BITS-1:0] result = words[WORD_BITS*STEPS+:WORD_BITS];
    wire [S-2:0] size = result[P+:S-1];
    wire [S-1:0] speed = result[WORD_BITS-1] ? ~{1'b0, size} + 1'b1 : {1'b0, size};
    wire unused = &{1'b0, shift, bottom};

    ro_stream_shell #(
        .IN_BITS(WORD_BITS),
        .OUT_BITS(WORD_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .FLUSH(STEPS),
        .PERIOD(4),
        .CLOCKS(CLOCKS)
    ) shell (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_first(in_first),
        .in_last(in_last),
        .in_data({in_speed, in_phi}),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data({out_speed, out_phi}),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(word),
        .complaint(too_fast),
        .done(beats[STEPS] && !flushes[STEPS]),
        .done_last(lasts[STEPS]),
        .done_top(tops[STEPS]),
        .done_data({speed, result[P-1:0]})
    );

    // ---- steps --------------------------------------------------------------------------------
    ro_levelset_entry #(
        .PHI_BITS(P),
        .SPEED_BITS(S),
        .A(A),
        .INTENSITY_BITS(INTENSITY_BITS),
        .TABLE_FILE(TABLE_FILE),
        .TABLE_BITS(TABLE_BITS)
    ) entry (
        .clk(clk),
        .reset(reset),
        .from_table(from_table),
        .double_phi(double_phi),
        .double_speed(double_speed),
        .table_write(table_write),
        .table_address(table_address),
        .table_speed(table_speed),
        .in_beat(beat),
        .in_last(last),
        .in_top(top),
        .in_flush(flush),
        .in_word(word),
        .out_beat(beats[0]),
        .out_last(lasts[0]),
        .out_top(tops[0]),
        .out_flush(flushes[0]),
        .out_word(words[0+:WORD_BITS]),
        .too_fast(too_fast)
    );

    wire [STEPS-1:0] helds, crosseds;
    wire unused_helds = &{1'b0, helds};
    assign held = helds[0];
    assign crossed = |crosseds;

    genvar i;
    generate
        for (i = 0; i < STEPS; i = i + 1) begin : steps
            ro_levelset_step #(
                .WIDTH(WIDTH),
                .PHI_BITS(P),
                .SPEED_BITS(S),
                .A(A),
                .BLOCKS(BLOCKS),
                .PIXEL_CLOCKS(PIXEL_CLOCKS)
            ) step (
                .clk(clk),
                .reset(reset),
                .active(active[i]),
                .in_beat(beats[i]),
                .in_last(lasts[i]),
                .in_top(tops[i]),
                .in_flush(flushes[i]),
                .in_word(words[WORD_BITS*i+:WORD_BITS]),
                .out_beat(beats[i+1]),
                .out_last(lasts[i+1]),
                .out_top(tops[i+1]),
                .out_flush(flushes[i+1]),
                .out_word(words[WORD_BITS*(i+1)+:WORD_BITS]),
                .forget(forget),
                .changed(changed[i]),
                .held(helds[i]),
                .crossed(crosseds[i])
            );
        end
    endgenerate
endmodule
