// SPDX-License-Identifier: MIT
// ro_levelset_norm finds the largest of the differences and their sum, for all pixels.
module norm_proof #(
    parameter P = 12,
    parameter A = 43
) (
    input wire         clk,
    input wire [P-1:0] here,
    input wire [P-1:0] left,
    input wire [P-1:0] right,
    input wire [P-1:0] above,
    input wire [P-1:0] below,
    input wire         shrinks,
    output wire [P+8:0] norm,
    output wire [P-1:0] most,
    output wire [P+1:0] sum
);
    ro_levelset_norm #(
        .PHI_BITS(P),
        .A(A)
    ) circuit (
        .clk(clk),
        .here(here),
        .left(left),
        .right(right),
        .above(above),
        .below(below),
        .shrinks(shrinks),
        .norm(norm)
    );

    function [P-1:0] part;
        input signed [P-1:0] p, q;
        input turned;
        reg signed [P:0] difference;
        begin
            difference = turned ? q - p : p - q;
            part = difference > 0 ? difference[P-1:0] : {P{1'b0}};
        end
    endfunction
    wire [P-1:0] l = part(here, left, shrinks), r = part(here, right, shrinks);
    wire [P-1:0] u = part(here, above, shrinks), d = part(here, below, shrinks);
    wire [P-1:0] lr = l > r ? l : r, ud = u > d ? u : d;
    assign most = lr > ud ? lr : ud;
    wire [P:0] across = l + r, along = u + d;
    assign sum = across + along;
endmodule
