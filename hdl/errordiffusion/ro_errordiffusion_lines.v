// SPDX-License-Identifier: MIT
// Error diffusion of one picture, two rows at once: the same bits as ro_errordiffusion and a pixel a
// clock as well, but each row has two clocks for a pixel, so the clock can be faster. It takes four
// rows of pixels and eight rows of levels in memories.
//
//     guard --> 4 rows --> ro_row_pairs --> ro_diffuse_core --> 8 rows --> fifo
//                                            ^          |
//                                            +- errors -+
module ro_errordiffusion_lines #(
    parameter WIDTH = 1024,
    parameter [191:0] KERNEL = "floyd-steinberg",
    parameter LEVELS = 2,
    parameter MAXVAL = 255,
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
`include "ro_kernels.vh"
    localparam ERROR_BITS = 1 + $clog2((widest_gap(0) + 1) / 2 + 1);
    localparam X_BITS = WIDTH > 1 ? $clog2(WIDTH) : 1;
    // From a place to its error in the memory, in turns of a lane: 18 clocks and the places ahead.
    localparam SKEW = AHEAD + 10;
    localparam PERIOD = SKEW + AHEAD + 10;

    localparam CLOCKS = 16 + 2 * AHEAD; // from a place to its level

    // ---- rows of pixels in --------------------------------------------------------------------------
    wire beat, last, top, bottom, flush, shift, idle;
    wire [PIXEL_BITS-1:0] pixel;
    wire [WIDTH_BITS-1:0] across;
    wire over = {{32 - PIXEL_BITS{1'b0}}, pixel} > MAXVAL;
    wire row_ends = beat && last;
    reg too_light, drained;
    reg [2:0] rows;     // complete, their places not given away
    reg [1:0] in_row;
    reg [3:0] tops, bottoms;
    reg [X_BITS-1:0] in_column;
    wire room = rows < 3 || (rows == 3 && !row_ends);
    wire unused = &{1'b0, flush, shift, idle};

    ro_frame_guard #(
        .BITS(PIXEL_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS)
    ) guard (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_data(in_pixel),
        .in_first(in_first),
        .in_last(in_last),
        .complaint(too_light),
        .room(room),
        .drained(drained),
        .beat(beat),
        .data(pixel),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .across(across),
        .idle(idle),
        .error(error)
    );

    // ---- pairs of them ------------------------------------------------------------------------------
    wire start, is_single, place, lane, place_top, place_last, free;
    wire [X_BITS-1:0] column;
    wire [2:0] row, row_next;
    reg ready, single;
    reg [3:0] unstarted; // rows
    reg [3:0] reserved;  // rows of levels
    wire row_given;
    wire [3:0] taken = !start ? 4'd0 : is_single ? 4'd1 : 4'd2;
    // One number at a time is added: tools differ in what they make of longer sums.
    wire [3:0] more_unstarted = row_ends ? 4'd1 - taken : -taken;
    wire [3:0] more_reserved = row_given ? taken - 4'd1 : taken;

    always @(posedge clk) begin
        too_light <= beat && over;
        if (beat) in_column <= last ? {X_BITS{1'b0}} : in_column + 1'b1;
        if (row_ends) begin
            in_row          <= in_row + 1'b1;
            tops[in_row]    <= top;
            bottoms[in_row] <= bottom;
        end
        if (row_ends && !free) rows <= rows + 1'b1;
        if (!row_ends && free) rows <= rows - 1'b1;
        unstarted <= unstarted + more_unstarted;
        reserved  <= reserved + more_reserved;
        single    <= bottoms[row_next[1:0]];
        ready     <= (unstarted[3:1] != 0 || (unstarted[0] && bottoms[row_next[1:0]])) && reserved <= 6;
        drained   <= rows == 0 && reserved == 0 && unstarted == 0;
        if (reset) begin
            in_column <= 0;
            in_row    <= 0;
            rows      <= 0;
            unstarted <= 0;
            reserved  <= 0;
            ready     <= 1'b0;
        end
    end
    ro_row_pairs #(
        .WIDTH_BITS(WIDTH_BITS),
        .X_BITS(X_BITS),
        .ROW_BITS(3),
        .SKEW(SKEW),
        .PERIOD(PERIOD)
    ) pairs (
        .clk(clk),
        .reset(reset),
        .across(across),
        .ready(ready),
        .single(single),
        .first(tops[row_next[1:0]]),
        .start(start),
        .is_single(is_single),
        .row_next(row_next),
        .place(place),
        .lane(lane),
        .top(place_top),
        .last(place_last),
        .column(column),
        .row(row),
        .free(free)
    );

    // ---- memories and the core ----------------------------------------------------------------------
    wire place2, last2, top2, done, done_last, done_top;
    wire [PIXEL_BITS-1:0] pixel2;
    wire [ERROR_BITS-1:0] error2, done_error;
    wire [LEVEL_BITS-1:0] done_level;
    wire [2:0] done_row;
    reg [X_BITS-1:0] done_column, other_column; // of the lanes in turn
    wire unused_place = &{1'b0, lane, row_next[2]};

    ro_memory #(
        .WORDS(4 << X_BITS),
        .BITS(PIXEL_BITS),
        .ADDRESS_BITS(X_BITS + 2)
    ) pixels (
        .clk(clk),
        .write(beat),
        .write_address({in_row, in_column}),
        .write_data(over ? MAXVAL[PIXEL_BITS-1:0] : pixel),
        .read_address({row[1:0], column}),
        .read_data(pixel2)
    );
    ro_memory #(
        .WORDS(WIDTH),
        .BITS(ERROR_BITS),
        .ADDRESS_BITS(X_BITS)
    ) errors (
        .clk(clk),
        .write(done),
        .write_address(done_column),
        .write_data(done_error),
        .read_address(column),
        .read_data(error2)
    );
    ro_delay_reset #(
        .CLOCKS(2)
    ) place_beside_memories (
        .clk(clk),
        .reset(reset),
        .in(place),
        .out(place2)
    );
    ro_delay #(
        .BITS(2),
        .CLOCKS(2)
    ) beside_memories (
        .clk(clk),
        .in ({place_last, place_top}),
        .out({last2, top2})
    );
    ro_diffuse_core #(
        .KERNEL(KERNEL),
        .LEVELS(LEVELS),
        .MAXVAL(MAXVAL),
        .LANES(2),
        .ERROR_BITS(ERROR_BITS)
    ) core (
        .clk(clk),
        .reset(reset),
        .shift(1'b1),
        .in_beat(place2),
        .in_last(last2),
        .in_top(top2),
        .in_pixel(pixel2),
        .in_error(error2),
        .out_valid(done),
        .out_last(done_last),
        .out_top(done_top),
        .out_level(done_level),
        .out_error(done_error)
    );
    ro_delay #(
        .BITS(3),
        .CLOCKS(CLOCKS)
    ) row_beside_core (
        .clk(clk),
        .in (row),
        .out(done_row)
    );
    always @(posedge clk) begin
        done_column  <= other_column;
        other_column <= !done ? done_column : done_last ? {X_BITS{1'b0}} : done_column + 1'b1;
        if (reset) begin
            done_column  <= 0;
            other_column <= 0;
        end
    end

    // ---- rows of levels out -------------------------------------------------------------------------
    reg [3:0] rows_done; // and not given
    reg [2:0] out_row;
    reg [7:0] done_tops;
    reg [X_BITS-1:0] out_column;
    reg [WIDTH_BITS-1:0] to_give;
    reg giving, give_first, give_last;
    wire give, give_2, give_first_2, give_last_2, fifo_room;
    wire [LEVEL_BITS-1:0] level_2;

    assign give = giving && fifo_room;
    assign row_given = give && give_last;

    always @(posedge clk) begin
        if (done && done_last) done_tops[done_row] <= done_top;
        if (done && done_last && !row_given) rows_done <= rows_done + 1'b1;
        if (!(done && done_last) && row_given) rows_done <= rows_done - 1'b1;
        if (!giving || row_given) begin
            giving     <= rows_done > {3'd0, row_given};
            out_column <= 0;
            to_give    <= across;
            give_first <= done_tops[out_row + {2'd0, row_given}];
            give_last  <= across == 0;
        end else if (give) begin
            out_column <= out_column + 1'b1;
            to_give    <= to_give - 1'b1;
            give_first <= 1'b0;
            give_last  <= to_give == 1;
        end
        if (row_given) out_row <= out_row + 1'b1;
        if (reset) begin
            rows_done <= 0;
            out_row   <= 0;
            giving    <= 1'b0;
        end
    end
    ro_memory #(
        .WORDS(8 << X_BITS),
        .BITS(LEVEL_BITS),
        .ADDRESS_BITS(X_BITS + 3)
    ) levels (
        .clk(clk),
        .write(done),
        .write_address({done_row, done_column}),
        .write_data(done_level),
        .read_address({out_row, out_column}),
        .read_data(level_2)
    );
    ro_delay_reset #(
        .CLOCKS(2)
    ) give_beside_memory (
        .clk(clk),
        .reset(reset),
        .in(give),
        .out(give_2)
    );
    ro_delay #(
        .BITS(2),
        .CLOCKS(2)
    ) marks_beside_memory (
        .clk(clk),
        .in ({give_first, give_last}),
        .out({give_first_2, give_last_2})
    );
    ro_fifo #(
        .BITS(LEVEL_BITS + 2),
        .PLACES(16),
        .SPARE(6)
    ) results (
        .clk(clk),
        .reset(reset),
        .in_valid(give_2),
        .in_data({give_first_2, give_last_2, level_2}),
        .room(fifo_room),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_data({out_first, out_last, out_level})
    );
endmodule
