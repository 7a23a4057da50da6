// SPDX-License-Identifier: MIT
// Ordered dithering by a threshold array of up to 64 x 64 cells, a pixel a clock, exact as
// docs/numerics.md defines it: of the two levels next to a tone the upper one is taken where
//
//     2 K (tone - lower level) > gap (2 rank + 1)
//
// The array is a file of ranks as `roundoff screen make KIND FILE --type mem` writes it, row by row.
// Marks, sizes and `error` are those of ro_frame_guard; a sample above MAXVAL is cut and raises
// `error`. Out come the numbers of the levels.
module ro_ordered #(
    parameter SCREEN_FILE = "",
    parameter SCREEN_WIDTH = 8,
    parameter SCREEN_HEIGHT = 8,
    parameter LEVELS = 2,
    parameter MAXVAL = 255,
    parameter WIDTH = 65535, // the widest picture; it costs counters only
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16,
    parameter IN_BITS = $clog2(MAXVAL + 1),
    parameter OUT_BITS = $clog2(LEVELS)
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire                   in_first,
    input  wire                   in_last,
    input  wire [    IN_BITS-1:0] in_pixel,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [   OUT_BITS-1:0] out_level,
    output wire                   error
);
`include "ro_levels.vh"
    localparam CELLS = SCREEN_WIDTH * SCREEN_HEIGHT;
    localparam CELL_BITS = CELLS > 1 ? $clog2(CELLS) : 1;
    localparam integer GAP = WHITE / (LEVELS - 1); // the smaller one of two that differ by 1
    localparam TONE_BITS = $clog2(16 * MAXVAL + 1);
    localparam RANK_BITS = CELL_BITS + 1;          // of 2 rank + 1
    localparam PRODUCT_CLOCKS = 4;
    localparam LEFT_BITS = TONE_BITS + $clog2(2 * CELLS + 1);
    localparam RIGHT_BITS = RANK_BITS + $clog2(GAP + 1);
    localparam COMPARE_BITS = (LEFT_BITS > RIGHT_BITS + 1 ? LEFT_BITS : RIGHT_BITS + 1) + 1;
    localparam CLOCKS = 3 + PRODUCT_CLOCKS + 2;

    generate
        if (SCREEN_WIDTH < 1 || SCREEN_HEIGHT < 1 || CELLS > 4096) begin : bad_screen
            ro_error_a_screen_has_1_to_4096_cells stop ();
        end
        if (LEVELS < 2 || LEVELS > 16) begin : bad_levels
            ro_error_LEVELS_must_be_2_to_16 stop ();
        end
        if (MAXVAL < 1 || MAXVAL > 65535 || MAXVAL < LEVELS - 1) begin : bad_maxval
            ro_error_MAXVAL_must_be_1_to_65535_and_have_room_for_LEVELS stop ();
        end
        if (SCREEN_FILE == "") begin : bad_file
            ro_error_SCREEN_FILE_must_name_a_threshold_array stop ();
        end
    endgenerate

    // ---- in and out -----------------------------------------------------------------------------------
    wire beat, last, top, bottom, flush, shift, idle;
    wire [IN_BITS-1:0] pixel;
    wire done, done_last, done_top;
    reg [OUT_BITS-1:0] chosen;
    wire over = {{32 - IN_BITS{1'b0}}, pixel} > MAXVAL;
    reg too_light;
    wire unused = &{1'b0, bottom, flush, shift, idle};

    ro_stream_shell #(
        .IN_BITS(IN_BITS),
        .OUT_BITS(OUT_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
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
        .in_data(in_pixel),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_first(out_first),
        .out_last(out_last),
        .out_data(out_level),
        .idle(idle),
        .error(error),
        .beat(beat),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .data(pixel),
        .complaint(too_light),
        .done(done),
        .done_last(done_last),
        .done_top(done_top),
        .done_data(chosen)
    );

    // ---- 1 to 3: the rank of a pixel's cell -------------------------------------------------------------
    localparam integer LAST_COLUMN = SCREEN_WIDTH - 1, LAST_START = CELLS - SCREEN_WIDTH;
    localparam integer STRIDE = LAST_START == 0 ? 0 : SCREEN_WIDTH;
    reg [CELL_BITS-1:0] column, start, cell1;
    wire [CELL_BITS-1:0] row_start = top ? {CELL_BITS{1'b0}} : start;
    wire [CELL_BITS-1:0] rank3;
    reg [IN_BITS-1:0] pixel1;

    always @(posedge clk) begin
        too_light <= beat && over;
        pixel1    <= over ? MAXVAL[IN_BITS-1:0] : pixel;
        cell1     <= row_start + column;
        if (beat) begin
            column <= last || column == LAST_COLUMN[CELL_BITS-1:0] ? {CELL_BITS{1'b0}} : column + 1'b1;
            if (last)
                start <= row_start == LAST_START[CELL_BITS-1:0] ? {CELL_BITS{1'b0}}
                    : row_start + STRIDE[CELL_BITS-1:0];
        end
        if (reset) column <= 0;
    end
    ro_memory #(
        .WORDS(CELLS),
        .BITS(CELL_BITS),
        .ADDRESS_BITS(CELL_BITS),
        .FILE(SCREEN_FILE)
    ) ranks (
        .clk(clk),
        .write(1'b0),
        .write_address({CELL_BITS{1'b0}}),
        .write_data({CELL_BITS{1'b0}}),
        .read_address(cell1),
        .read_data(rank3)
    );

    // ---- 1 to 3: the level below, and what is above it ----------------------------------------------------
    function [511:0] level_table;
        input integer unused_input;
        integer k;
        begin
            level_table = {32'd0, {480{unused_input != 0}}};
            for (k = 0; k < LEVELS; k = k + 1) level_table[32*k+:32] = level(k);
        end
    endfunction
    function [15:0] wide_gaps; // where a gap has one more than GAP
        input integer unused_input;
        integer k;
        begin
            wide_gaps = {16{unused_input != 0}};
            for (k = 0; k + 1 < LEVELS; k = k + 1) wide_gaps[k] = level(k + 1) - level(k) > GAP;
        end
    endfunction
    localparam [511:0] TONES = level_table(0);
    localparam [15:0] WIDE = wide_gaps(0);
    localparam integer TOP = LEVELS - 1;

    reg [OUT_BITS-1:0] below_now, below2, below3;
    reg [TONE_BITS-1:0] tone2, part3;
    reg wide3;
    integer k;

    always @* begin
        below_now = 0;
        for (k = 1; k < LEVELS; k = k + 1)
            if ({{28 - IN_BITS{1'b0}}, pixel1, 4'd0} >= level(k)) below_now = below_now + 1'b1;
    end
    always @(posedge clk) begin
        below2 <= below_now;
        tone2  <= {pixel1, 4'd0};
        below3 <= below2;
        part3  <= tone2 - TONES[below2*32+:TONE_BITS];
        wide3  <= WIDE[{{4 - OUT_BITS{1'b0}}, below2}];
    end

    // ---- 4 to 9: both sides, and the choice ---------------------------------------------------------------
    localparam integer TWICE = 2 * CELLS;
    wire [LEFT_BITS-1:0] left7, left8;
    wire [RIGHT_BITS-1:0] right7;
    wire [RANK_BITS-1:0] odd7;
    wire [OUT_BITS-1:0] below8;
    wire wide7;
    reg [RIGHT_BITS:0] right8;

    ro_times_constant #(
        .BITS(TONE_BITS),
        .C(TWICE),
        .CLOCKS(PRODUCT_CLOCKS)
    ) left_side (
        .clk(clk),
        .x(part3),
        .product(left7)
    );
    ro_times_constant #(
        .BITS(RANK_BITS),
        .C(GAP),
        .CLOCKS(PRODUCT_CLOCKS)
    ) right_side (
        .clk(clk),
        .x({rank3, 1'b1}),
        .product(right7)
    );
    ro_delay #(
        .BITS(RANK_BITS + 1),
        .CLOCKS(PRODUCT_CLOCKS)
    ) beside_products (
        .clk(clk),
        .in ({wide3, rank3, 1'b1}),
        .out({wide7, odd7})
    );
    ro_delay #(
        .BITS(LEFT_BITS),
        .CLOCKS(1)
    ) hold_left (
        .clk(clk),
        .in (left7),
        .out(left8)
    );
    ro_delay #(
        .BITS(OUT_BITS),
        .CLOCKS(PRODUCT_CLOCKS + 1)
    ) hold_below (
        .clk(clk),
        .in (below3),
        .out(below8)
    );
    wire [COMPARE_BITS-1:0] left = {{COMPARE_BITS - LEFT_BITS{1'b0}}, left8};
    wire [COMPARE_BITS-1:0] right = {{COMPARE_BITS - RIGHT_BITS - 1{1'b0}}, right8};

    always @(posedge clk) begin
        right8 <= {1'b0, right7} + (wide7 ? {{RIGHT_BITS + 1 - RANK_BITS{1'b0}}, odd7} : {RIGHT_BITS + 1{1'b0}});
        chosen <= below8 != TOP[OUT_BITS-1:0] && left > right ? below8 + 1'b1 : below8;
    end
    ro_delay_reset #(
        .CLOCKS(CLOCKS)
    ) dones (
        .clk(clk),
        .reset(reset),
        .in(beat),
        .out(done)
    );
    ro_delay #(
        .BITS(2),
        .CLOCKS(CLOCKS)
    ) marks (
        .clk(clk),
        .in ({last, top}),
        .out({done_last, done_top})
    );
endmodule
