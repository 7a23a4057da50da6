// SPDX-License-Identifier: MIT
// Where the results of a pipeline that never stops wait for a reader that may. `room` says early
// enough that places run out: what is still on its way finds one of the SPARE places left.
//
//     in --> memory, a clock or more --> four places --> out
//
// A word is asked for when one of the four places is promised to it, so the memory's two clocks
// cost no pixel.
module ro_fifo #(
    parameter BITS = 8,
    parameter PLACES = 64, // a power of two
    parameter SPARE = 32
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            in_valid,
    input  wire [BITS-1:0] in_data,
    output reg             room,
    output wire            out_valid,
    input  wire            out_ready,
    output wire [BITS-1:0] out_data
);
    localparam BITS_OF_PLACE = $clog2(PLACES);

    generate
        if (PLACES != 1 << BITS_OF_PLACE) begin : bad_places
            ro_error_PLACES_of_a_fifo_must_be_a_power_of_two stop ();
        end
        if (SPARE >= PLACES) begin : bad_spare
            ro_error_SPARE_of_a_fifo_must_be_less_than_its_PLACES stop ();
        end
    endgenerate

    reg [BITS_OF_PLACE-1:0] write_place, read_place;
    reg [BITS_OF_PLACE:0] stored;   // in the memory and not asked for
    reg [BITS_OF_PLACE:0] occupied; // everything that came and has not left, a clock ago
    reg came, left;
    reg [2:0] promised;             // of the four places
    reg asked_1, asked_2;
    wire [BITS-1:0] read_data;

    wire ask = stored != 0 && !promised[2];
    wire leave = out_valid && out_ready;

    ro_memory #(
        .WORDS(PLACES),
        .BITS(BITS),
        .ADDRESS_BITS(BITS_OF_PLACE)
    ) memory (
        .clk(clk),
        .write(in_valid),
        .write_address(write_place),
        .write_data(in_data),
        .read_address(read_place),
        .read_data(read_data)
    );

    always @(posedge clk) begin
        if (in_valid) write_place <= write_place + 1'b1;
        if (ask) read_place <= read_place + 1'b1;
        if (in_valid && !ask) stored <= stored + 1'b1;
        if (!in_valid && ask) stored <= stored - 1'b1;
        came <= in_valid;
        left <= leave;
        if (came && !left) occupied <= occupied + 1'b1;
        if (!came && left) occupied <= occupied - 1'b1;
        if (ask && !leave) promised <= promised + 1'b1;
        if (!ask && leave) promised <= promised - 1'b1;
        asked_1 <= ask;
        asked_2 <= asked_1;
        room <= occupied < PLACES[BITS_OF_PLACE:0] - SPARE[BITS_OF_PLACE:0];
        if (reset) begin
            write_place <= 0;
            read_place  <= 0;
            stored      <= 0;
            occupied    <= 0;
            promised    <= 0;
            came        <= 1'b0;
            left        <= 1'b0;
            asked_1     <= 1'b0;
            asked_2     <= 1'b0;
            room        <= 1'b0;
        end
    end

    reg [BITS-1:0] places[0:3];
    reg [1:0] last_in, next_out;
    reg [2:0] waiting;

    assign out_valid = waiting != 0;
    assign out_data  = places[next_out];

    always @(posedge clk) begin
        if (asked_2) begin
            places[last_in] <= read_data;
            last_in <= last_in + 1'b1;
        end
        if (leave) next_out <= next_out + 1'b1;
        if (asked_2 && !leave) waiting <= waiting + 1'b1;
        if (!asked_2 && leave) waiting <= waiting - 1'b1;
        if (reset) begin
            last_in  <= 0;
            next_out <= 0;
            waiting  <= 0;
        end
    end
endmodule
