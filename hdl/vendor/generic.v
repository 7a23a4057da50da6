// SPDX-License-Identifier: MIT
// What devices have as blocks, in plain Verilog: for simulation, for proofs, and for devices whose
// tools find their blocks by themselves. Compile this file or that of a vendor, not both.
/* verilator lint_off DECLFILENAME */

// A memory with a write port and a read port; what is read comes out two clocks after its address.
// A word is not read in the clock in which it is written.
module ro_memory #(
    parameter WORDS = 512,
    parameter BITS = 36,
    parameter ADDRESS_BITS = 9,
    parameter FILE = "" // what it holds at first, as $readmemh reads it
) (
    input  wire                    clk,
    input  wire                    write,
    input  wire [ADDRESS_BITS-1:0] write_address,
    input  wire [        BITS-1:0] write_data,
    input  wire [ADDRESS_BITS-1:0] read_address,
    output reg  [        BITS-1:0] read_data
);
    reg [BITS-1:0] words[0:WORDS-1];
    reg [BITS-1:0] found;

    generate
        if (FILE != "") begin : filled
            initial $readmemh(FILE, words);
        end
    endgenerate

    always @(posedge clk) begin
        if (write) words[write_address] <= write_data;
        found     <= words[read_address];
        read_data <= found;
    end
endmodule

// An unsigned product of up to 18 by 18 bits, two clocks later.
module ro_multiply18 #(
    parameter A_BITS = 18,
    parameter B_BITS = 18
) (
    input  wire                     clk,
    input  wire [       A_BITS-1:0] a,
    input  wire [       B_BITS-1:0] b,
    output reg  [A_BITS+B_BITS-1:0] product
);
    reg [A_BITS-1:0] a_held;
    reg [B_BITS-1:0] b_held;

    always @(posedge clk) begin
        a_held  <= a;
        b_held  <= b;
        product <= {{B_BITS{1'b0}}, a_held} * {{A_BITS{1'b0}}, b_held};
    end
endmodule

// What came in CLOCKS clocks ago, more than a few: where a device has small memories, in those.
module ro_delay_long #(
    parameter BITS = 8,
    parameter CLOCKS = 12
) (
    input  wire            clk,
    input  wire [BITS-1:0] in,
    output wire [BITS-1:0] out
);
    ro_delay #(
        .BITS(BITS),
        .CLOCKS(CLOCKS)
    ) delay (
        .clk(clk),
        .in (in),
        .out(out)
    );
endmodule
