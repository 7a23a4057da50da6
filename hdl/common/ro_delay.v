// SPDX-License-Identifier: MIT
// What came in CLOCKS clocks ago.
module ro_delay #(
    parameter BITS = 1,
    parameter CLOCKS = 1
) (
    input  wire            clk,
    input  wire [BITS-1:0] in,
    output wire [BITS-1:0] out
);
    generate
        if (CLOCKS == 0) begin : none
            wire unused = &{1'b0, clk};
            assign out = in;
        end else if (CLOCKS == 1) begin : one
            reg [BITS-1:0] held;
            always @(posedge clk) held <= in;
            assign out = held;
        end else begin : more
            reg [BITS*CLOCKS-1:0] line;
            always @(posedge clk) line <= {line[BITS*(CLOCKS-1)-1:0], in};
            assign out = line[BITS*CLOCKS-1-:BITS];
        end
    endgenerate
endmodule
