// SPDX-License-Identifier: MIT
// The blocks of Lattice ECP5. Their registers are what tools do not find by themselves: without them
// a memory's word comes 5.6 ns after the clock, with them after 0.9 ns. Compile this file instead of
// generic.v.
/* verilator lint_off DECLFILENAME */

// See generic.v. A block of 16 kbit is 18 bits wide for up to 1024 words, 9 for 2048, 4 for 4096, 2
// for 8192 and 1 for 16384.
module ro_memory #(
    parameter WORDS = 512,
    parameter BITS = 36,
    parameter ADDRESS_BITS = 9,
    parameter FILE = ""
) (
    input  wire                    clk,
    input  wire                    write,
    input  wire [ADDRESS_BITS-1:0] write_address,
    input  wire [        BITS-1:0] write_data,
    input  wire [ADDRESS_BITS-1:0] read_address,
    output wire [        BITS-1:0] read_data
);
    localparam SHIFT = WORDS <= 1024 ? 4 : WORDS <= 2048 ? 3 : WORDS <= 4096 ? 2 : WORDS <= 8192 ? 1 : 0;
    localparam SLICE = WORDS <= 1024 ? 18 : WORDS <= 2048 ? 9 : 1 << SHIFT;
    localparam BLOCKS = (BITS + SLICE - 1) / SLICE;

    genvar i;
    generate
        if (WORDS > 16384) begin : bad_words
            ro_error_a_memory_has_at_most_16384_words stop ();
        end else if (FILE != "") begin : filled // found by the tools, with a register behind it
            reg [BITS-1:0] words[0:WORDS-1];
            reg [BITS-1:0] found, given;
            initial $readmemh(FILE, words);
            always @(posedge clk) begin
                if (write) words[write_address] <= write_data;
                found <= words[read_address];
                given <= found;
            end
            assign read_data = given;
        end else begin : blocks
            // The lowest four address bits of a block 18 bits wide enable its bytes.
            wire [13:0] from = {{14 - ADDRESS_BITS{1'b0}}, read_address} << SHIFT;
            wire [13:0] to = {{14 - ADDRESS_BITS{1'b0}}, write_address} << SHIFT | (SHIFT == 4 ? 14'd3 : 14'd0);
            wire [BLOCKS*SLICE-1:0] in = {{BLOCKS * SLICE - BITS{1'b0}}, write_data};
            wire [BLOCKS*SLICE-1:0] out;
            wire unused = &{1'b0, out};
            assign read_data = out[BITS-1:0];
            for (i = 0; i < BLOCKS; i = i + 1) begin : slice
                ro_ecp5_block #(
                    .SLICE(SLICE)
                ) block (
                    .clk(clk),
                    .write(write),
                    .to(to),
                    .in(in[SLICE*i+:SLICE]),
                    .from(from),
                    .out(out[SLICE*i+:SLICE])
                );
            end
        end
    endgenerate
endmodule

// A block: port A writes, port B reads through its output register.
module ro_ecp5_block #(
    parameter SLICE = 18
) (
    input  wire             clk,
    input  wire             write,
    input  wire [     13:0] to,
    input  wire [SLICE-1:0] in,
    input  wire [     13:0] from,
    output wire [SLICE-1:0] out
);
    wire [17:0] a = {{18 - SLICE{1'b0}}, in};
    wire [17:0] b;
    wire unused = &{1'b0, b};
    assign out = b[SLICE-1:0];

    DP16KD #(
        .DATA_WIDTH_A(SLICE),
        .DATA_WIDTH_B(SLICE),
        .REGMODE_A("NOREG"),
        .REGMODE_B("OUTREG"),
        .RESETMODE("SYNC"),
        .WRITEMODE_A("NORMAL"),
        .WRITEMODE_B("NORMAL"),
        .CSDECODE_A("0b000"),
        .CSDECODE_B("0b000"),
        .GSR("DISABLED")
    ) block (
        .CLKA(clk), .CEA(1'b1), .OCEA(1'b0), .WEA(write), .RSTA(1'b0),
        .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
        .ADA0(to[0]), .ADA1(to[1]), .ADA2(to[2]), .ADA3(to[3]), .ADA4(to[4]), .ADA5(to[5]), .ADA6(to[6]),
        .ADA7(to[7]), .ADA8(to[8]), .ADA9(to[9]), .ADA10(to[10]), .ADA11(to[11]), .ADA12(to[12]), .ADA13(to[13]),
        .DIA0(a[0]), .DIA1(a[1]), .DIA2(a[2]), .DIA3(a[3]), .DIA4(a[4]), .DIA5(a[5]),
        .DIA6(a[6]), .DIA7(a[7]), .DIA8(a[8]), .DIA9(a[9]), .DIA10(a[10]), .DIA11(a[11]),
        .DIA12(a[12]), .DIA13(a[13]), .DIA14(a[14]), .DIA15(a[15]), .DIA16(a[16]), .DIA17(a[17]),
        .CLKB(clk), .CEB(1'b1), .OCEB(1'b1), .WEB(1'b0), .RSTB(1'b0),
        .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
        .ADB0(from[0]), .ADB1(from[1]), .ADB2(from[2]), .ADB3(from[3]), .ADB4(from[4]), .ADB5(from[5]), .ADB6(from[6]),
        .ADB7(from[7]), .ADB8(from[8]), .ADB9(from[9]), .ADB10(from[10]), .ADB11(from[11]), .ADB12(from[12]), .ADB13(from[13]),
        .DOB0(b[0]), .DOB1(b[1]), .DOB2(b[2]), .DOB3(b[3]), .DOB4(b[4]), .DOB5(b[5]),
        .DOB6(b[6]), .DOB7(b[7]), .DOB8(b[8]), .DOB9(b[9]), .DOB10(b[10]), .DOB11(b[11]),
        .DOB12(b[12]), .DOB13(b[13]), .DOB14(b[14]), .DOB15(b[15]), .DOB16(b[16]), .DOB17(b[17])
    );
endmodule

// See generic.v: registers before and behind the multiplier.
module ro_multiply18 #(
    parameter A_BITS = 18,
    parameter B_BITS = 18
) (
    input  wire                     clk,
    input  wire [       A_BITS-1:0] a,
    input  wire [       B_BITS-1:0] b,
    output wire [A_BITS+B_BITS-1:0] product
);
    wire [17:0] x = {{18 - A_BITS{1'b0}}, a};
    wire [17:0] y = {{18 - B_BITS{1'b0}}, b};
    wire [35:0] p;
    wire unused = &{1'b0, p};
    assign product = p[A_BITS+B_BITS-1:0];

    MULT18X18D #(
        .REG_INPUTA_CLK("CLK0"), .REG_INPUTA_CE("CE0"), .REG_INPUTA_RST("RST0"),
        .REG_INPUTB_CLK("CLK0"), .REG_INPUTB_CE("CE0"), .REG_INPUTB_RST("RST0"),
        .REG_OUTPUT_CLK("CLK0"), .REG_OUTPUT_CE("CE0"), .REG_OUTPUT_RST("RST0"),
        .GSR("DISABLED")
    ) multiplier (
        .CLK0(clk), .CE0(1'b1), .RST0(1'b0),
        .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0),
        .A0(x[0]), .A1(x[1]), .A2(x[2]), .A3(x[3]), .A4(x[4]), .A5(x[5]),
        .A6(x[6]), .A7(x[7]), .A8(x[8]), .A9(x[9]), .A10(x[10]), .A11(x[11]),
        .A12(x[12]), .A13(x[13]), .A14(x[14]), .A15(x[15]), .A16(x[16]), .A17(x[17]),
        .B0(y[0]), .B1(y[1]), .B2(y[2]), .B3(y[3]), .B4(y[4]), .B5(y[5]),
        .B6(y[6]), .B7(y[7]), .B8(y[8]), .B9(y[9]), .B10(y[10]), .B11(y[11]),
        .B12(y[12]), .B13(y[13]), .B14(y[14]), .B15(y[15]), .B16(y[16]), .B17(y[17]),
        .P0(p[0]), .P1(p[1]), .P2(p[2]), .P3(p[3]), .P4(p[4]), .P5(p[5]),
        .P6(p[6]), .P7(p[7]), .P8(p[8]), .P9(p[9]), .P10(p[10]), .P11(p[11]),
        .P12(p[12]), .P13(p[13]), .P14(p[14]), .P15(p[15]), .P16(p[16]), .P17(p[17]),
        .P18(p[18]), .P19(p[19]), .P20(p[20]), .P21(p[21]), .P22(p[22]), .P23(p[23]),
        .P24(p[24]), .P25(p[25]), .P26(p[26]), .P27(p[27]), .P28(p[28]), .P29(p[29]),
        .P30(p[30]), .P31(p[31]), .P32(p[32]), .P33(p[33]), .P34(p[34]), .P35(p[35])
    );
endmodule

// See generic.v: a ring in memories of sixteen words, and a register.
module ro_delay_long #(
    parameter BITS = 8,
    parameter CLOCKS = 12
) (
    input  wire            clk,
    input  wire [BITS-1:0] in,
    output reg  [BITS-1:0] out
);
    generate
        if (CLOCKS < 3 || CLOCKS > 17) begin : bad_clocks
            ro_error_a_long_delay_has_3_to_17_clocks stop ();
        end
    endgenerate
    localparam integer LAST = CLOCKS - 2;
    reg [BITS-1:0] ring[0:15];
    reg [3:0] at;

    always @(posedge clk) begin
        out      <= ring[at];
        ring[at] <= in;
        at       <= at == LAST[3:0] ? 4'd0 : at + 1'b1;
    end
endmodule
