// SPDX-License-Identifier: MIT
// One pixel of a level-set step, CLOCKS clocks later; a pixel can enter every clock. As
// docs/numerics.md defines it: with the differences X to the four neighbours that point against the
// motion,
//
//     N = a sum(X) + (128 - a) max(X),    phi' = phi - floor((F N + 2^(k-1)) / 2^k),   k = bits + 7
//
// Where F is negative, phi and its neighbours are complemented first, which turns q - p into p - q;
// what is left of F is its size. N is a (sum - max) + 128 max, so one product by a constant is left
// and the other is a shift. |F| stays within the bound of the time step, so phi' stays between the
// smallest and the largest of the five and is never cut off.
//
//     1  complement       5  larger of both, S      9  a T + 128 M = N
//     2  differences      6  T = S - M             10  |F| N + 2^(k-1)  (3 clocks, or 4, or of logic)
//     3  parts above 0    7  a T                    .  phi -+ its upper part
//     4  pairs            8
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
        if (A < 1 || A > 127) begin : bad_norm
            ro_error_A_must_be_1_to_127 stop ();
        end
        if (P < 4 || P > 18 || SPEED_BITS < 4 || SPEED_BITS > 17) begin : bad_bits
            ro_error_PHI_BITS_must_be_4_to_18_and_SPEED_BITS_4_to_17 stop ();
        end
    endgenerate

    // 1: values are offset by half of their range, so that they compare as unsigned numbers
    reg [P-1:0] p1, l1, r1, u1, d1;
    wire [P-1:0] turn = {!shrinks, {P - 1{shrinks}}};
    always @(posedge clk) begin
        p1 <= here ^ turn;
        l1 <= left ^ turn;
        r1 <= right ^ turn;
        u1 <= above ^ turn;
        d1 <= below ^ turn;
    end

    // 2, 3
    reg [P:0] l2, r2, u2, d2;
    reg left_is_lower_2, above_is_lower_2, left_is_lower_3, above_is_lower_3;
    reg [P-1:0] l3, r3, u3, d3;
    always @(posedge clk) begin
        l2 <= {1'b0, p1} - {1'b0, l1};
        r2 <= {1'b0, p1} - {1'b0, r1};
        u2 <= {1'b0, p1} - {1'b0, u1};
        d2 <= {1'b0, p1} - {1'b0, d1};
        left_is_lower_2  <= l1 < r1;
        above_is_lower_2 <= u1 < d1;

        l3 <= l2[P] ? {P{1'b0}} : l2[P-1:0];
        r3 <= r2[P] ? {P{1'b0}} : r2[P-1:0];
        u3 <= u2[P] ? {P{1'b0}} : u2[P-1:0];
        d3 <= d2[P] ? {P{1'b0}} : d2[P-1:0];
        left_is_lower_3  <= left_is_lower_2;
        above_is_lower_3 <= above_is_lower_2;
    end

    // 4, 5, 6: the lower neighbour has the larger difference
    reg [P-1:0] across4, along4, most5, most6;
    reg [P:0] across_sum4, along_sum4;
    reg [P+1:0] sum5, others6;
    always @(posedge clk) begin
        across4     <= left_is_lower_3 ? l3 : r3;
        along4      <= above_is_lower_3 ? u3 : d3;
        across_sum4 <= {1'b0, l3} + {1'b0, r3};
        along_sum4  <= {1'b0, u3} + {1'b0, d3};

        most5 <= across4 > along4 ? across4 : along4;
        sum5  <= {1'b0, across_sum4} + {1'b0, along_sum4};

        others6 <= sum5 - {2'b0, most5};
        most6   <= most5;
    end

    // 7, 8, 9
    localparam SCALED_BITS = P + 2 + $clog2(A + 1);
    wire [SCALED_BITS-1:0] scaled8;
    wire [P-1:0] most8;
    reg [N_BITS-1:0] norm9;
    ro_times_constant #(
        .BITS(P + 2),
        .C(A),
        .CLOCKS(2)
    ) scale (
        .clk(clk),
        .x(others6),
        .product(scaled8)
    );
    ro_delay #(
        .BITS(P),
        .CLOCKS(2)
    ) hold_most (
        .clk(clk),
        .in (most6),
        .out(most8)
    );
    always @(posedge clk)
        norm9 <= {{N_BITS - SCALED_BITS{1'b0}}, scaled8} + {{N_BITS - P - 7{1'b0}}, most8, 7'd0};

    // 10 and on: 2^(k-1), one less where F < 0
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
