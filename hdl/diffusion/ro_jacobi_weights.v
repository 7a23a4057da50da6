// SPDX-License-Identifier: MIT
// The weight stage of profile xpp24: a picture a comes in, smoothed as its gradient is to be taken, and
// for every pixel 12 bits of the weight of the element at its lower right and 12 of the inverse diagonal
// go out beside it, a pixel a clock. They are what ro_jacobi takes, and those of the library, grey.
//
//     p = a(x+1, y+1) - a(x, y), q = a(x+1, y) - a(x, y+1)      the diagonals of an element
//     i = min((p p + q q) 2^-SHIFT, 65535) FACTOR >> 16         a place in a table of 512 weights
//     W = the sum of the weights of the four elements round the pixel; the inverse is W's, by W >> 5
//
// SHIFT and FACTOR are the library's numbers for a contrast; TIME is tau/h^2 in 1/16384. Elements that
// reach beyond the picture weigh nothing.
module ro_jacobi_weights #(
    parameter WIDTH = 512,
    parameter TIME = 16384,
    parameter SHIFT = 16, // 0 to 40
    parameter FACTOR = 1024,
    parameter A_BITS = 24,
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
    input  wire [     A_BITS-1:0] in_a,       // two's complement
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [     A_BITS-1:0] out_a,
    output wire [           11:0] out_weight,
    output wire [           11:0] out_inverse,
    output wire                   error
);
    localparam A = A_BITS;
    localparam WEIGHT_CLOCKS = 6;
    localparam INVERSE_CLOCKS = 3;
    localparam CLOCKS = WEIGHT_CLOCKS + 4 + INVERSE_CLOCKS + 4;

    generate
        if (SHIFT < 0 || SHIFT > 40 || FACTOR < 1 || FACTOR > 2048) begin : bad_scale
            ro_error_SHIFT_must_be_0_to_40_and_FACTOR_1_to_2048 stop ();
        end
    endgenerate

    // ---- the tables ---------------------------------------------------------------------------------
    localparam [63:0] ONE = 64'd3 * 64'd16384 * 64'd4096;
    reg [11:0] weights[0:511], inverses[0:511];
    reg [63:0] value;
    integer i;
    initial
        for (i = 0; i < 512; i = i + 1) begin
            value = 64'd32768 / (64'd8 + {32'd0, i});
            weights[i] = value > 64'd4095 ? 12'd4095 : value[11:0];
            value = ONE * 64'd4096 / (ONE + 64'd2 * {32'd0, TIME[31:0]} * (64'd32 * {32'd0, i} + 64'd16));
            inverses[i] = value > 64'd4095 ? 12'd4095 : value[11:0];
        end

    wire beat, last, top, bottom, flush, shift, idle;
    wire beat1, last1, top1, flush1, beat2, last2, top2, flush2;
    wire [A-1:0] a;
    wire [A+11:0] word1;
    wire [A+23:0] word2;
    wire unused = &{1'b0, shift, idle, bottom};

    ro_stream_shell #(
        .IN_BITS(A),
        .OUT_BITS(A + 24),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .FLUSH(2),
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
        .in_data(in_a),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data({out_inverse, out_weight, out_a}),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(a),
        .complaint(1'b0),
        .done(beat2 && !flush2),
        .done_last(last2),
        .done_top(top2),
        .done_data(word2)
    );

    // ---- the weight of an element -------------------------------------------------------------------
    wire give_a, last_a, top_a, bottom_a, flush_a, first_a;
    wire [A-1:0] here_a, below_a, right_a, right_below_a, unused0, unused1, unused2, unused3, unused4;
    ro_window #(
        .WIDTH(WIDTH),
        .WORD_BITS(A),
        .KEEP(A)
    ) window_of_a (
        .clk(clk),
        .reset(reset),
        .in_beat(beat),
        .in_last(last),
        .in_top(top),
        .in_flush(flush),
        .in_word(a),
        .give(give_a),
        .first(first_a),
        .last(last_a),
        .top(top_a),
        .bottom(bottom_a),
        .flush(flush_a),
        .word(here_a),
        .above(unused0),
        .below(below_a),
        .left(unused1),
        .left_above(unused2),
        .left_below(unused3),
        .right(right_a),
        .right_above(unused4),
        .right_below(right_below_a)
    );
    wire unused_a = &{1'b0, first_a, unused0, unused1, unused2, unused3, unused4};

    reg [A:0] p1, q1;
    reg [2*A+1:0] pp2, qq2;
    reg [2*A+2:0] norm3;
    reg [15:0] scaled4;
    reg [27:0] place5;
    reg [11:0] weight6;
    wire beyond5;
    wire [A:0] p_size = p1[A] ? ~p1 + 1'b1 : p1;
    wire [A:0] q_size = q1[A] ? ~q1 + 1'b1 : q1;
    wire [2*A+2:0] shifted3 = norm3 >> SHIFT;
    wire unused_place = &{1'b0, place5[15:0]};
    always @(posedge clk) begin
        p1 <= {right_below_a[A-1], right_below_a} - {here_a[A-1], here_a};
        q1 <= {right_a[A-1], right_a} - {below_a[A-1], below_a};
        pp2 <= {{A + 1{1'b0}}, p_size} * {{A + 1{1'b0}}, p_size};
        qq2 <= {{A + 1{1'b0}}, q_size} * {{A + 1{1'b0}}, q_size};
        norm3 <= {1'b0, pp2} + {1'b0, qq2};
        scaled4 <= |shifted3[2*A+2:16] ? 16'hffff : shifted3[15:0];
        place5 <= {12'd0, scaled4} * FACTOR[27:0];
        weight6 <= beyond5 || place5[27:25] != 0 ? 12'd0 : weights[place5[24:16]];
    end
    ro_delay #(
        .BITS(1),
        .CLOCKS(WEIGHT_CLOCKS - 1)
    ) hold_beyond (
        .clk(clk),
        .in (last_a || bottom_a),
        .out(beyond5)
    );
    ro_delay #(
        .BITS(3 + A),
        .CLOCKS(WEIGHT_CLOCKS)
    ) beside_weight (
        .clk(clk),
        .in ({last_a, top_a, flush_a, here_a}),
        .out({last1, top1, flush1, word1[A-1:0]})
    );
    ro_delay_reset #(
        .CLOCKS(WEIGHT_CLOCKS)
    ) give_beside_weight (
        .clk(clk),
        .reset(reset),
        .in(give_a),
        .out(beat1)
    );
    assign word1[A+:12] = weight6;

    // ---- the inverse of a pixel ---------------------------------------------------------------------
    wire give_w, first_w, last_w, top_w, bottom_w, flush_w;
    wire [A+11:0] here_w;
    wire [11:0] above_w, left_w, left_above_w, unused5, unused6, unused7, unused8, unused9;
    ro_window #(
        .WIDTH(WIDTH),
        .WORD_BITS(A + 12),
        .KEEP(12)
    ) window_of_weights (
        .clk(clk),
        .reset(reset),
        .in_beat(beat1),
        .in_last(last1),
        .in_top(top1),
        .in_flush(flush1),
        .in_word({word1[A-1:0], word1[A+:12]}),
        .give(give_w),
        .first(first_w),
        .last(last_w),
        .top(top_w),
        .bottom(bottom_w),
        .flush(flush_w),
        .word(here_w),
        .above(above_w),
        .below(unused5),
        .left(left_w),
        .left_above(left_above_w),
        .left_below(unused6),
        .right(unused7),
        .right_above(unused8),
        .right_below(unused9)
    );
    wire unused_w = &{1'b0, bottom_w, unused5, unused6, unused7, unused8, unused9};

    reg [12:0] upper1, lower1;
    reg [13:0] sum2;
    reg [11:0] inverse3;
    wire unused_low = &{1'b0, sum2[4:0]};
    always @(posedge clk) begin
        upper1 <= (top_w ? 13'd0 : {1'b0, above_w}) + (top_w || first_w ? 13'd0 : {1'b0, left_above_w});
        lower1 <= {1'b0, here_w[11:0]} + (first_w ? 13'd0 : {1'b0, left_w});
        sum2 <= {1'b0, upper1} + {1'b0, lower1};
        inverse3 <= inverses[sum2[13:5]];
    end
    ro_delay #(
        .BITS(3 + A + 12),
        .CLOCKS(INVERSE_CLOCKS)
    ) beside_inverse (
        .clk(clk),
        .in ({last_w, top_w, flush_w, here_w[11:0], here_w[12+:A]}),
        .out({last2, top2, flush2, word2[A+:12], word2[A-1:0]})
    );
    ro_delay_reset #(
        .CLOCKS(INVERSE_CLOCKS)
    ) give_beside_inverse (
        .clk(clk),
        .reset(reset),
        .in(give_w),
        .out(beat2)
    );
    assign word2[A+12+:12] = inverse3;
endmodule
