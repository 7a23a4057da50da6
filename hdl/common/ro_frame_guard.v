// SPDX-License-Identifier: MIT
// Lets pictures in. A stream comes with marks on the first pixel of a frame and on the last pixel of
// each row; behind the guard every frame has `width` by `height` pixels, whatever came:
//
//     a row that ends early       is filled up with zeros
//     a row that goes on          loses what is too much
//     a frame that begins early   waits until the one before it has been filled up
//     pixels between two frames   are dropped
//
// Each of these raises `error`, and so does a `complaint`; it falls when a whole frame has come
// without a fault.
//
// What follows never stops: a beat is given only while there is `room` for its result at the end.
// Where no further row comes, up to FLUSH rows of beats without pixels push the last rows out of the
// line memories behind the guard, and TAIL clocks with `shift` push the last pixels of a row on
// where no pixel of the next one does. After
// a row of less than PERIOD pixels there is a gap, so that beats of one column are at least PERIOD
// clocks apart: what a pixel leaves in the memories is there when the one below asks for it.
module ro_frame_guard #(
    parameter BITS = 8,
    parameter WIDTH = 512, // the widest picture
    parameter WIDTH_BITS = 10,
    parameter HEIGHT_BITS = 16,
    parameter FLUSH = 0,
    parameter TAIL = 0,
    parameter PERIOD = 1
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire [       BITS-1:0] in_data,
    input  wire                   in_first, // of a frame
    input  wire                   in_last,  // of a row
    input  wire                   complaint, // a pixel was found to be wrong behind the guard
    input  wire                   room,
    input  wire                   drained,  // a frame of another width may follow
    output reg                    beat,
    output reg  [       BITS-1:0] data,
    output reg                    last,     // of a row
    output reg                    top,      // in the first row
    output reg                    bottom,   // in the last row
    output reg                    flush,    // no pixel
    output reg                    shift,    // a beat, or a clock of the tail
    output reg  [ WIDTH_BITS-1:0] across,   // columns of the frame, less one
    output wire                   idle,     // nothing was left behind
    output reg                    error
);
    localparam integer LIMIT = WIDTH + 1;
    localparam FLUSH_BITS = $clog2(FLUSH + 2);
    localparam TAIL_BITS = $clog2(TAIL + 2);
    localparam PERIOD_BITS = $clog2(PERIOD + 1);
    localparam [FLUSH_BITS-1:0] ALL_FLUSHES = FLUSH[FLUSH_BITS-1:0];
    localparam [TAIL_BITS-1:0] WHOLE_TAIL = TAIL[TAIL_BITS-1:0];

    generate
        if (WIDTH < 1 || WIDTH_BITS < $clog2(WIDTH + 1)) begin : bad_width
            ro_error_WIDTH_must_be_positive_and_fit_WIDTH_BITS stop ();
        end
        if (PERIOD < 1) begin : bad_period
            ro_error_PERIOD_must_be_positive stop ();
        end
    endgenerate

    // ---- the pixel that waits -----------------------------------------------------------------
    wire held, held_first, held_last, take;
    wire [BITS-1:0] held_data;

    ro_skid #(
        .BITS(BITS + 2)
    ) skid (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_data({in_first, in_last, in_data}),
        .out_valid(held),
        .out_ready(take),
        .out_data({held_first, held_last, held_data})
    );

    // ---- what is done with it -----------------------------------------------------------------
    // One bit a state: few of them decide, and early in a clock.
    reg waiting;    // for a frame
    reg in_row;
    reg fill_row;   // a row came to its end too early,
    reg fill_frame; // or a frame
    reg skip;       // till a row ends that should have ended
    reg flushing;   // a row without pixels
    reg sure;       // a beat that waits for no pixel: one of those without, or the first of a frame
    reg frame_begins, last_column, last_row;
    reg flushes_left, size_fits, same_width, spaced;
    reg [2:0] calm; // what was given last has arrived, so that `drained` knows of it

    wire early = held && held_first && !frame_begins; // in a row
    wire give = ((in_row && held && !held_first) || sure) && room && spaced;
    wire pixel = give && in_row;
    wire row_ends = give && last_column;
    wire frame_ends = give && last_column && last_row && !flushing;
    wire unwanted = held && ((waiting && !(held_first && size_fits)) || (skip && !held_first));
    reg drop; // the pixel that was unwanted a clock ago: no hurry, and a shorter way to the reader
    wire may_start = same_width || (!flushes_left && drained && calm == 3'b111);
    wire start_frame = waiting && held && held_first && size_fits && may_start && !drop;
    wire start_flush = waiting && flushes_left && !(held && (!held_first || same_width));

    assign take = pixel || drop;
    assign idle = waiting && !held && !flushes_left;

    always @(posedge clk) begin
        calm <= {calm[1:0], waiting && !start_frame};
        drop <= unwanted && !drop;
        if (start_frame || start_flush) waiting <= 1'b0;
        if (start_frame) in_row <= 1'b1;
        if (start_flush) flushing <= 1'b1;
        if (start_frame || start_flush) sure <= 1'b1;
        if (give && frame_begins) sure <= 1'b0;
        if (pixel && held_last != last_column) begin
            in_row   <= 1'b0;
            fill_row <= held_last;
            sure     <= held_last;
            skip     <= !held_last;
        end
        if ((in_row || skip) && early) begin
            in_row     <= 1'b0;
            skip       <= 1'b0;
            fill_frame <= 1'b1;
            sure       <= 1'b1;
        end
        if (skip && drop && held_last) begin
            skip   <= 1'b0;
            in_row <= 1'b1;
        end
        if (row_ends && fill_row) begin
            fill_row <= 1'b0;
            sure     <= 1'b0;
            in_row   <= 1'b1;
        end
        if (row_ends && (last_row || flushing)) begin
            in_row     <= 1'b0;
            fill_row   <= 1'b0;
            fill_frame <= 1'b0;
            skip       <= 1'b0;
            flushing   <= 1'b0;
            sure       <= 1'b0;
            waiting    <= 1'b1;
        end
        if (reset) begin
            drop       <= 1'b0;
            waiting    <= 1'b1;
            in_row     <= 1'b0;
            fill_row   <= 1'b0;
            fill_frame <= 1'b0;
            skip       <= 1'b0;
            flushing   <= 1'b0;
            sure       <= 1'b0;
        end
    end

    // ---- faults, a clock later ----------------------------------------------------------------
    reg fault, frame_started, frame_ended, clean;
    wire unused_state = fill_frame;

    always @(posedge clk) begin
        fault <= ((in_row || skip) && early) || drop || complaint || (pixel && held_last != last_column);
        frame_started <= start_frame;
        frame_ended   <= frame_ends;
        clean <= frame_started || (clean && !fault);
        if (fault) error <= 1'b1;
        else if (frame_ended && clean) error <= 1'b0;
        if (reset) begin
            fault <= 1'b0;
            error <= 1'b0;
        end
    end

    // ---- columns and rows ---------------------------------------------------------------------
    reg [WIDTH_BITS-1:0] width_less_1, to_right;
    reg [HEIGHT_BITS-1:0] height_less_1, below;
    reg [FLUSH_BITS-1:0] flushes; // rows without pixels still to be given
    reg [PERIOD_BITS-1:0] short_by, gap, pause;
    reg row_begins;
    wire [31:0] missing = PERIOD - {{32 - WIDTH_BITS{1'b0}}, width};
    wire unused = &{1'b0, missing};

    always @(posedge clk) begin
        size_fits     <= width != 0 && {1'b0, width} < LIMIT[WIDTH_BITS:0] && height != 0;
        same_width    <= width_less_1 == across;
        width_less_1  <= width - 1'b1;
        height_less_1 <= height - 1'b1;
        short_by      <= missing[31] ? {PERIOD_BITS{1'b0}} : missing[PERIOD_BITS-1:0];
        if (start_frame) begin
            across       <= width_less_1;
            to_right     <= width_less_1;
            last_column  <= width_less_1 == 0;
            below        <= height_less_1;
            last_row     <= height_less_1 == 0;
            gap          <= short_by;
            frame_begins <= 1'b1;
            row_begins   <= 1'b1;
        end else if (give) begin
            frame_begins <= 1'b0;
            row_begins   <= last_column;
            to_right     <= last_column ? across : to_right - 1'b1;
            last_column  <= last_column ? across == 0 : to_right == 1;
            if (last_column) begin
                below    <= below - 1'b1;
                last_row <= below == 1;
            end
        end
        if (frame_ends) begin
            flushes      <= ALL_FLUSHES;
            flushes_left <= FLUSH > 0;
        end else if (start_flush) begin
            flushes      <= flushes - 1'b1;
            flushes_left <= flushes != 1;
        end
        if (row_ends) begin
            pause  <= gap;
            spaced <= gap == 0;
        end else if (!spaced) begin
            pause  <= pause - 1'b1;
            spaced <= pause == 1;
        end
        if (reset) begin
            flushes_left <= 1'b0;
            spaced       <= 1'b1;
        end
    end

    // ---- what is given ------------------------------------------------------------------------
    reg [TAIL_BITS-1:0] tail;

    always @(posedge clk) begin
        beat  <= give;
        data  <= held_data & {BITS{in_row}};
        last  <= last_column;
        flush <= flushing;
        bottom <= last_row;
        if (give && row_begins) top <= frame_begins;
        shift <= give || tail != 0;
        if (row_ends) tail <= WHOLE_TAIL;
        else if (give) tail <= 0; // the pixels of a row push by themselves, and stay together
        else if (tail != 0) tail <= tail - 1'b1;
        if (reset) begin
            beat  <= 1'b0;
            shift <= 1'b0;
            tail  <= 0;
        end
    end
endmodule
