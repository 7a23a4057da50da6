// SPDX-License-Identifier: MIT
// Makes words for the steps out of what came in: a speed looked up by an intensity, cut to the bound
// that keeps phi monotone, as a sign and a size; phi or the speed doubled where a front stands still
// because its numbers are too coarse (`double_*`), both saturating.
// Controls hold from the first pixel of a frame to its last.
module ro_levelset_entry #(
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11,
    parameter A = 43,
    parameter INTENSITY_BITS = 0,    // 0: there is no table
    parameter TABLE_FILE = "",       // speeds as $readmemh reads them, two's complement
    parameter TABLE_BITS = INTENSITY_BITS > 0 ? INTENSITY_BITS : 1,
    parameter WORD_BITS = SPEED_BITS + PHI_BITS
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  from_table,
    input  wire                  double_phi,
    input  wire                  double_speed,
    input  wire                  table_write,
    input  wire [TABLE_BITS-1:0] table_address,
    input  wire [SPEED_BITS-1:0] table_speed,
    input  wire                  in_beat,
    input  wire                  in_last,
    input  wire                  in_top,
    input  wire                  in_flush,
    input  wire [ WORD_BITS-1:0] in_word,   // {speed or intensity, phi}
    output wire                  out_beat,
    output reg                   out_last,
    output reg                   out_top,
    output reg                   out_flush,
    output reg  [ WORD_BITS-1:0] out_word,  // {F < 0, |F|, phi}
    output reg                   too_fast   // a speed beyond the bound was cut
);
    localparam P = PHI_BITS;
    localparam S = SPEED_BITS;
    localparam integer BOUND = (1 << SPEED_BITS) * 128 / (128 + 3 * A);
    localparam [S:0] FASTEST = BOUND[S:0];
    localparam TABLE_CLOCKS = INTENSITY_BITS > 0 ? 2 : 0;

    generate
        if (A < 43) begin : bad_norm
            ro_error_A_must_be_43_or_more_so_that_speeds_are_below_a_half stop ();
        end
        if (INTENSITY_BITS > SPEED_BITS) begin : bad_intensity
            ro_error_INTENSITY_BITS_must_not_exceed_SPEED_BITS stop ();
        end
    endgenerate

    // ---- the table ----------------------------------------------------------------------------
    wire [WORD_BITS-1:0] word;
    wire [S-1:0] speed;
    wire last, top, flush, beat;

    ro_delay #(
        .BITS(WORD_BITS + 3),
        .CLOCKS(TABLE_CLOCKS)
    ) beside_table (
        .clk(clk),
        .in ({in_last, in_top, in_flush, in_word}),
        .out({last, top, flush, word})
    );
    ro_delay_reset #(
        .CLOCKS(TABLE_CLOCKS + 2)
    ) beats (
        .clk(clk),
        .reset(reset),
        .in(in_beat),
        .out(out_beat)
    );
    generate
        if (INTENSITY_BITS > 0) begin : with_table
            wire [S-1:0] found;
            ro_memory #(
                .WORDS(1 << TABLE_BITS),
                .BITS(S),
                .ADDRESS_BITS(TABLE_BITS),
                .FILE(TABLE_FILE)
            ) speeds (
                .clk(clk),
                .write(table_write),
                .write_address(table_address),
                .write_data(table_speed),
                .read_address(in_word[P+:TABLE_BITS]),
                .read_data(found)
            );
            ro_delay_reset #(
                .CLOCKS(2)
            ) beat_beside_table (
                .clk(clk),
                .reset(reset),
                .in(in_beat),
                .out(beat)
            );
            assign speed = from_table ? found : word[P+:S];
        end else begin : without_table
            wire unused = &{1'b0, from_table, table_write, table_address, table_speed};
            assign speed = word[P+:S];
            assign beat  = in_beat;
        end
    endgenerate

    // ---- the numbers --------------------------------------------------------------------------
    reg last1, top1, flush1, beat1, shrinks1;
    reg [S-1:0] size1;
    reg [P-1:0] phi1;
    wire [S:0] wanted = double_speed ? {size1, 1'b0} : {1'b0, size1};
    wire cut = wanted > FASTEST;
    wire [P-1:0] largest = {phi1[P-1], {P - 1{!phi1[P-1]}}};
    wire [P-1:0] twice = phi1[P-1] == phi1[P-2] ? {phi1[P-2:0], 1'b0} : largest;

    always @(posedge clk) begin
        last1    <= last;
        top1     <= top;
        flush1   <= flush;
        beat1    <= beat && !reset;
        shrinks1 <= speed[S-1];
        size1    <= speed[S-1] ? ~speed + 1'b1 : speed;
        phi1     <= word[P-1:0];

        out_last  <= last1;
        out_top   <= top1;
        out_flush <= flush1;
        out_word  <= {
            shrinks1,
            cut ? FASTEST[S-2:0] : wanted[S-2:0],
            double_phi ? twice : phi1
        };
        too_fast  <= beat1 && !flush1 && size1 > FASTEST[S-1:0];
    end
endmodule
