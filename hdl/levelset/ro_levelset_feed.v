// SPDX-License-Identifier: MIT
// Reads the words of a picture from a memory in their order, pass after pass, with the marks of a
// stream, and writes what comes back to where it was. Where passes follow one another (`again`), a
// word of the next one is read when this one has written it.
module ro_levelset_feed #(
    parameter WIDTH_BITS = 10,
    parameter HEIGHT_BITS = 16,
    parameter ADDRESS_BITS = 24,
    parameter WORD_BITS = 24
) (
    input  wire                    clk,
    input  wire                    reset,
    input  wire [  WIDTH_BITS-1:0] width,
    input  wire [ HEIGHT_BITS-1:0] height,
    input  wire                    go,        // a first pass
    input  wire                    again,     // another follows
    output wire                    pass_read,
    output wire                    drained,   // everything has been written
    // the memory
    output wire                    read_valid,
    input  wire                    read_ready,
    output reg  [ADDRESS_BITS-1:0] read_address,
    input  wire                    data_valid,
    output wire                    data_ready,
    input  wire [   WORD_BITS-1:0] data,
    output wire                    write_valid,
    input  wire                    write_ready,
    output wire [ADDRESS_BITS-1:0] write_address,
    output wire [   WORD_BITS-1:0] write_data,
    // the engine
    output wire                    to_valid,
    input  wire                    to_ready,
    output wire                    to_first,
    output wire                    to_last,
    output wire [   WORD_BITS-1:0] to_word,
    input  wire                    from_valid,
    output wire                    from_ready,
    input  wire                    from_first,
    input  wire [   WORD_BITS-1:0] from_word
);
    // ---- out of the memory --------------------------------------------------------------------------
    reg reading, may_read, first_pass;
    reg [ADDRESS_BITS-1:0] outstanding; // words read and not written
    reg [ADDRESS_BITS-1:0] most;        // less than a picture by what is decided too late to count
    wire read = read_valid && read_ready;
    wire write = write_valid && write_ready;
    wire last_x, last_y, first;

    ro_raster #(
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS)
    ) reads (
        .clk(clk),
        .clear(go),
        .width(width),
        .height(height),
        .step(read),
        .first(first),
        .last_x(last_x),
        .last_y(last_y)
    );
    assign read_valid = reading && may_read;
    assign pass_read  = read && last_x && last_y;
    assign drained    = !reading && !go && outstanding == 0;
    wire unused = first;

    always @(posedge clk) begin
        if (go) reading <= 1'b1;
        else if (pass_read) reading <= again;
        if (go) read_address <= 0;
        else if (read) read_address <= last_x && last_y ? {ADDRESS_BITS{1'b0}} : read_address + 1'b1;
        if (go) first_pass <= 1'b1;
        else if (pass_read) first_pass <= 1'b0;
        if (pass_read) most <= read_address < 3 ? {ADDRESS_BITS{1'b0}} : read_address - {{ADDRESS_BITS - 2{1'b0}}, 2'd3};
        if (read && !write) outstanding <= outstanding + 1'b1;
        if (!read && write) outstanding <= outstanding - 1'b1;
        may_read <= (first_pass && !pass_read) || outstanding == 0 || outstanding < most;
        if (pass_read) may_read <= 1'b0; // till `most` is known
        if (go) may_read <= 1'b1;
        if (reset) begin
            reading     <= 1'b0;
            outstanding <= 0;
        end
    end

    // ---- through the engine -------------------------------------------------------------------------
    wire unused_y;
    ro_raster #(
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS)
    ) words (
        .clk(clk),
        .clear(go),
        .width(width),
        .height(height),
        .step(to_valid && to_ready),
        .first(to_first),
        .last_x(to_last),
        .last_y(unused_y)
    );
    assign to_valid   = data_valid;
    assign data_ready = to_ready;
    assign to_word    = data;

    // ---- and back -----------------------------------------------------------------------------------
    reg [ADDRESS_BITS-1:0] next_address;

    assign write_valid   = from_valid;
    assign from_ready    = write_ready;
    assign write_data    = from_word;
    assign write_address = from_first ? {ADDRESS_BITS{1'b0}} : next_address;

    always @(posedge clk) if (write) next_address <= write_address + 1'b1;
endmodule
