// SPDX-License-Identifier: MIT
// The blocks of hdl/vendor/ecp5.v for simulation, as far as that file uses them: one clock, port A of a
// memory writes, port B reads through its output register, a multiplier has registers on both sides.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module DP16KD #(
    parameter DATA_WIDTH_A = 18,
    parameter DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG",
    parameter REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC",
    parameter WRITEMODE_A = "NORMAL",
    parameter WRITEMODE_B = "NORMAL",
    parameter CSDECODE_A = "0b000",
    parameter CSDECODE_B = "0b000",
    parameter GSR = "DISABLED"
) (
    input  wire CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
    input  wire ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6,
    input  wire ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input  wire DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8,
    input  wire DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
    input  wire CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
    input  wire ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6,
    input  wire ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    output wire DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8,
    output wire DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
    // Addresses count bits: a word of 18 is two bytes of 9, each with an enable in the lowest bits.
    localparam SHIFT = DATA_WIDTH_A == 18 ? 4 : DATA_WIDTH_A == 9 ? 3 : DATA_WIDTH_A == 4 ? 2
        : DATA_WIDTH_A == 2 ? 1 : 0;
    wire [13:0] to =
        {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] from =
        {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [17:0] in =
        {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
        DIA4, DIA3, DIA2, DIA1, DIA0};
    reg [DATA_WIDTH_A-1:0] words[0:(1<<(14-SHIFT))-1];
    reg [DATA_WIDTH_A-1:0] found, given;
    wire [17:0] out = {{18 - DATA_WIDTH_A{1'b0}}, given};
    assign
        {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
        DOB4, DOB3, DOB2, DOB1, DOB0} = out;

    always @(posedge CLKA) begin
        if (CEA && WEA && (SHIFT != 4 || to[1:0] == 2'b11))
            words[to[13:SHIFT]] <= in[DATA_WIDTH_A-1:0];
        if (CEB) found <= words[from[13:SHIFT]];
        if (OCEB) given <= found;
    end
    generate
        if (REGMODE_B != "OUTREG" || DATA_WIDTH_A != DATA_WIDTH_B) begin : other
            a_block_that_is_used_in_another_way stop ();
        end
    endgenerate
endmodule

module MULT18X18D #(
    parameter REG_INPUTA_CLK = "NONE",
    parameter REG_INPUTA_CE = "CE0",
    parameter REG_INPUTA_RST = "RST0",
    parameter REG_INPUTB_CLK = "NONE",
    parameter REG_INPUTB_CE = "CE0",
    parameter REG_INPUTB_RST = "RST0",
    parameter REG_OUTPUT_CLK = "NONE",
    parameter REG_OUTPUT_CE = "CE0",
    parameter REG_OUTPUT_RST = "RST0",
    parameter GSR = "DISABLED"
) (
    input  wire CLK0, CE0, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
    input  wire A0, A1, A2, A3, A4, A5, A6, A7, A8,
    input  wire A9, A10, A11, A12, A13, A14, A15, A16, A17,
    input  wire B0, B1, B2, B3, B4, B5, B6, B7, B8,
    input  wire B9, B10, B11, B12, B13, B14, B15, B16, B17,
    output wire P0, P1, P2, P3, P4, P5, P6, P7, P8,
    output wire P9, P10, P11, P12, P13, P14, P15, P16, P17,
    output wire P18, P19, P20, P21, P22, P23, P24, P25, P26,
    output wire P27, P28, P29, P30, P31, P32, P33, P34, P35
);
    reg [17:0] a, b;
    reg [35:0] product;
    assign
        {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
        P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = product;
    always @(posedge CLK0)
        if (CE0) begin
            a <=
                {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
            b <=
                {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
            product <= {18'd0, a} * {18'd0, b};
        end
    generate
        if (REG_INPUTA_CLK != "CLK0" || REG_INPUTB_CLK != "CLK0" || REG_OUTPUT_CLK != "CLK0")
        begin : other
            a_multiplier_that_is_used_in_another_way stop ();
        end
    endgenerate
endmodule
