// SPDX-License-Identifier: MIT
// The norm of the differences to the four neighbours that point against the motion, in 1/128 and 9
// clocks later: X is what the pixel is above a neighbour, or below it where the front shrinks, and
//
//     N = a sum(X) + (128 - a) max(X) = a (sum(X) - max(X)) + 128 max(X)
//
// so that one product by a constant is left and the other is a shift. Where the front shrinks, all
// five are complemented first, which turns q - p into p - q. The lower of two neighbours has the
// larger difference, which is known before the differences are.
//
//     1  complement      3  parts above 0     5  the larger of both, S     7, 8  a T
//     2  differences     4  pairs             6  T = S - M                 9     a T + 128 M
module ro_levelset_norm #(
    parameter PHI_BITS = 12,
    parameter A = 43
) (
    input  wire                clk,
    input  wire [PHI_BITS-1:0] here,
    input  wire [PHI_BITS-1:0] left,
    input  wire [PHI_BITS-1:0] right,
    input  wire [PHI_BITS-1:0] above,
    input  wire [PHI_BITS-1:0] below,
    input  wire                shrinks,
    output wire [PHI_BITS+8:0] norm
);
    localparam P = PHI_BITS;
    localparam N_BITS = P + 9;

    generate
        if (A < 1 || A > 127) begin : bad_norm
            ro_error_A_must_be_1_to_127 stop ();
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
    assign norm = norm9;
endmodule
