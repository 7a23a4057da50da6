// SPDX-License-Identifier: MIT
// One pixel of a level-set step, CLOCKS clocks later; a pixel can enter every clock. As
// docs/numerics.md defines it, with N of ro_levelset_norm,
//
//     phi' = phi - floor((F N + 2^(k-1)) / 2^k),   k = bits + 7
//
// |F| stays within the bound of the time step, so phi' stays between the smallest and the largest of
// the five and is never cut off.
//
//     9 clocks N;  3, or 4, or those of logic for |F| N and the rounding;  1 phi -+ the upper part
module ro_levelset_pixel #(
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11, // of F with its sign, and b of the number system
    parameter A = 43,
    parameter BLOCKS = 1,
    parameter CLOCKS = 13
) (
    input  wire                  clk,
    input  wire [  PHI_BITS-1:0] here,
    input  wire [  PHI_BITS-1:0] left,
    input  wire [  PHI_BITS-1:0] right,
    input  wire [  PHI_BITS-1:0] above,
    input  wire [  PHI_BITS-1:0] below,
    input  wire                  shrinks, // F < 0
    input  wire [SPEED_BITS-2:0] size,    // |F|
    output reg  [  PHI_BITS-1:0] next,
    output reg                   moves    // next differs from here
);
    localparam P = PHI_BITS;
    localparam N_BITS = P + 9;
    localparam K = SPEED_BITS + 7;
    localparam MULTIPLY_CLOCKS = BLOCKS == 0 ? $clog2(SPEED_BITS - 1) + 1 : N_BITS > 21 ? 4 : 3;

    generate
        if (CLOCKS != 10 + MULTIPLY_CLOCKS) begin : bad_clocks
            ro_error_CLOCKS_do_not_fit_the_bits_of_a_level_set stop ();
        end
        if (P < 4 || P > 18 || SPEED_BITS < 4 || SPEED_BITS > 17) begin : bad_bits
            ro_error_PHI_BITS_must_be_4_to_18_and_SPEED_BITS_4_to_17 stop ();
        end
    endgenerate

    wire [N_BITS-1:0] norm9;
    ro_levelset_norm #(
        .PHI_BITS(P),
        .A(A)
    ) norm_of_five (
        .clk(clk),
        .here(here),
        .left(left),
        .right(right),
        .above(above),
        .below(below),
        .shrinks(shrinks),
        .norm(norm9)
    );

    // 2^(k-1) is added, one less where F < 0
    wire [SPEED_BITS-2:0] size9;
    wire shrinks9, shrinks_end;
    wire [P-1:0] here_end;
    wire [SPEED_BITS+N_BITS-2:0] flux;
    ro_delay_long #(
        .BITS(SPEED_BITS),
        .CLOCKS(9)
    ) hold_speed (
        .clk(clk),
        .in ({shrinks, size}),
        .out({shrinks9, size9})
    );
    ro_multiply_add #(
        .A_BITS(SPEED_BITS - 1),
        .B_BITS(N_BITS),
        .C_BITS(K),
        .BLOCKS(BLOCKS),
        .CLOCKS(MULTIPLY_CLOCKS)
    ) multiply (
        .clk(clk),
        .a(size9),
        .b(norm9),
        .c({!shrinks9, {K - 1{shrinks9}}}),
        .sum(flux)
    );
    ro_delay_long #(
        .BITS(P),
        .CLOCKS(9 + MULTIPLY_CLOCKS)
    ) hold_here (
        .clk(clk),
        .in (here),
        .out(here_end)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(MULTIPLY_CLOCKS)
    ) hold_sign (
        .clk(clk),
        .in (shrinks9),
        .out(shrinks_end)
    );
    wire [P-1:0] change = flux[K+:P];
    wire unused = &{1'b0, flux};
    always @(posedge clk) begin
        next  <= shrinks_end ? here_end + change : here_end - change;
        moves <= change != 0;
    end
endmodule
