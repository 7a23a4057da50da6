// SPDX-License-Identifier: MIT
// What a row's last place left: of one row at the last step, of LANES rows that take turns LANES
// clocks ago. `clear` leaves zeros to the next place.
module ro_lane_delay #(
    parameter BITS = 8,
    parameter LANES = 1
) (
    input  wire            clk,
    input  wire            step,
    input  wire            clear,
    input  wire [BITS-1:0] in,
    output wire [BITS-1:0] out
);
    reg [BITS*LANES-1:0] line;

    generate
        if (LANES == 1) begin : one
            always @(posedge clk) if (step) line <= clear ? {BITS{1'b0}} : in;
        end else begin : more
            always @(posedge clk)
                if (step) line <= {line[BITS*(LANES-1)-1:0], clear ? {BITS{1'b0}} : in};
        end
    endgenerate
    assign out = line[BITS*LANES-1-:BITS];
endmodule
