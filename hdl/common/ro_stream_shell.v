// SPDX-License-Identifier: MIT
// What stands round a pipeline that never stops: the guard in front of it, which gives beats while
// there is room for their results, and a fifo behind it, where results wait for a reader.
//
//     in --> guard --> beat .. pipeline .. done --> fifo --> out
//              ^                                      |
//              +---------------- room ----------------+
//
// CLOCKS is the longest time from a beat to the last result that follows from it and from those
// before it.
module ro_stream_shell #(
    parameter IN_BITS = 8,
    parameter OUT_BITS = 8,
    parameter WIDTH = 512,
    parameter WIDTH_BITS = 10,
    parameter HEIGHT_BITS = 16,
    parameter FLUSH = 0,  // see ro_frame_guard
    parameter TAIL = 0,
    parameter PERIOD = 1,
    parameter CLOCKS = 16
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   in_valid,
    output wire                   in_ready,
    input  wire                   in_first,
    input  wire                   in_last,
    input  wire [    IN_BITS-1:0] in_data,
    output wire                   out_valid,
    input  wire                   out_ready,
    output wire                   out_first,
    output wire                   out_last,
    output wire [   OUT_BITS-1:0] out_data,
    output wire                   idle,
    output wire                   error,
    // the pipeline
    output wire                   beat,
    output wire                   last,
    output wire                   top,
    output wire                   bottom,
    output wire                   flush,
    output wire                   shift,
    output wire [    IN_BITS-1:0] data,
    input  wire                   complaint,
    input  wire                   done,      // a result
    input  wire                   done_last,
    input  wire                   done_top,
    input  wire [   OUT_BITS-1:0] done_data
);
    localparam SPARE = CLOCKS + 8;
    localparam PLACES = 1 << $clog2(SPARE + SPARE / 2 + 8);

    generate
        if (WIDTH < 1 || WIDTH > 65535) begin : bad_width
            ro_error_WIDTH_must_be_1_to_65535 stop ();
        end
    endgenerate

    wire room;
    wire [WIDTH_BITS-1:0] across;
    wire unused = &{1'b0, across};

    ro_frame_guard #(
        .BITS(IN_BITS),
        .WIDTH(WIDTH),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .FLUSH(FLUSH),
        .TAIL(TAIL),
        .PERIOD(PERIOD)
    ) guard (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .in_data(in_data),
        .in_first(in_first),
        .in_last(in_last),
        .complaint(complaint),
        .room(room),
        .drained(1'b1),
        .beat(beat),
        .data(data),
        .last(last),
        .top(top),
        .bottom(bottom),
        .flush(flush),
        .shift(shift),
        .across(across),
        .idle(idle),
        .error(error)
    );

    reg row_begins, put, put_first, put_last;
    reg [OUT_BITS-1:0] put_data;

    always @(posedge clk) begin
        put       <= done && !reset;
        put_first <= row_begins && done_top;
        put_last  <= done_last;
        put_data  <= done_data;
        if (reset) row_begins <= 1'b1;
        else if (done) row_begins <= done_last;
    end
    ro_fifo #(
        .BITS(OUT_BITS + 2),
        .PLACES(PLACES),
        .SPARE(SPARE)
    ) results (
        .clk(clk),
        .reset(reset),
        .in_valid(put),
        .in_data({put_first, put_last, put_data}),
        .room(room),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .out_data({out_first, out_last, out_data})
    );
endmodule
