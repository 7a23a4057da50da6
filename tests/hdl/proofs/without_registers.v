// SPDX-License-Identifier: MIT
// Registers as wires: a pipeline without feedback becomes the function that it computes.
(* techmap_celltype = "$dff" *)
module no_register #(
    parameter WIDTH = 1,
    parameter CLK_POLARITY = 1
) (
    input  wire             CLK,
    input  wire [WIDTH-1:0] D,
    output wire [WIDTH-1:0] Q
);
    assign Q = D;
endmodule
