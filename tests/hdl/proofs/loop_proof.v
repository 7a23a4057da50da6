// SPDX-License-Identifier: MIT
// The rewritten loop of error diffusion against the plain one, for all states and all that is known
// about the next pixel: sigma' = g + c + r v + z with sigma = D v + c, and the same of lambda, g being
// chosen by what the pixel before was rounded to.
module loop_proof #(
    parameter LANES = 1,
    parameter LEVELS = 2,
    parameter SHIFT = 4,
    parameter RIGHT = 7,
    parameter FURTHER = 0,
    parameter B = 17
) (
    input wire         clk,
    input wire [B-1:0] sigma,
    input wire         lambda_is_negative,
    input wire [B-1:0] error, // that of the pixel before, times q
    input wire [B-1:0] g_above,
    input wire [B-1:0] g_mid,
    input wire [B-1:0] g_below,
    input wire [B-1:0] l_above,
    input wire [B-1:0] l_mid,
    input wire [B-1:0] l_below
);
    localparam D = 1 << SHIFT;
    localparam OFFSET = 2 * RIGHT >= D - 2 ? D / 2 : 0;
    localparam ONE = 2 * RIGHT == D - 2 ? 1 : 0; // the bases hold it
    wire [B-1:0] z = FURTHER != 0 ? error : 0;
    wire [B-1:0] tau = sigma + OFFSET;
    wire negative = sigma[B-1];
    wire [B-1:0] next, next_sigma, next_lambda;

    ro_diffuse_next #(
        .LANES(LANES),
        .LEVELS(LEVELS),
        .SHIFT(SHIFT),
        .RIGHT(RIGHT),
        .OFFSET(OFFSET),
        .SUM_BITS(B)
    ) circuit (
        .clk(clk),
        .tau(tau),
        .sigma_is_negative(negative),
        .lambda_is_negative(lambda_is_negative),
        .z(z),
        .base_above(g_above + ONE + OFFSET),
        .base_mid(g_mid + ONE + OFFSET),
        .base_below(g_below + ONE + OFFSET),
        .sign_above(g_above + ONE),
        .sign_mid(g_mid + ONE),
        .sign_below(g_below + ONE),
        .low_above(l_above + ONE),
        .low_mid(l_mid + ONE),
        .low_below(l_below + ONE),
        .next(next),
        .sigma(next_sigma),
        .lambda(next_lambda)
    );

    wire signed [B-1:0] whole = sigma;
    wire signed [B-1:0] v = whole >>> SHIFT;
    wire [B-1:0] c = sigma & (D - 1);
    wire [B-1:0] g = !negative ? g_above : LEVELS > 2 && lambda_is_negative ? g_below : g_mid;
    wire [B-1:0] l = !negative ? l_above : LEVELS > 2 && lambda_is_negative ? l_below : l_mid;
    wire [B-1:0] same = c + RIGHT * v + z;
    wire [B-1:0] expected = g + same, expected_tau = g + same + OFFSET, expected_lambda = l + same;
    always @* begin
        assume (whole < (1 << (B - 1)) - OFFSET); // sums do not come near their ends
        assert (next_sigma == expected);
        assert (next == expected_tau);
        if (LEVELS > 2) assert (next_lambda == expected_lambda);
    end
endmodule
