// SPDX-License-Identifier: MIT
// The sums of the next pixel, from what is left of the one before it: see ro_diffuse_loop. Three numbers
// become two (a carry-save addition), and one addition with a carry chain remains; with LANES = 2 there
// is a register between, and results come a clock later.
//
// Where r is D/2 or D/2 - 1, c + r v would be three numbers by itself, since c and (D/2) v overlap in
// one bit. So tau = sigma + D/2 is kept instead, D v" + c", of which c" has the upper bit t: then
//
//     c + (D/2) v     = (D/2) v" + c" without t                     one number, its bits side by side
//     c + (D/2 - 1) v = that - v" + 1 - t = that + ~v" + 1 + !t     two, !t in a place that is free
//
// The first 1 is in the bases. The signs of sigma and lambda have additions of their own.
module ro_diffuse_next #(
    parameter LANES = 1,
    parameter LEVELS = 2,
    parameter SHIFT = 4,
    parameter RIGHT = 7,
    parameter OFFSET = 8,
    parameter SUM_BITS = 17
) (
    input  wire                clk,
    input  wire [SUM_BITS-1:0] tau,
    input  wire                sigma_is_negative,
    input  wire                lambda_is_negative,
    input  wire [SUM_BITS-1:0] z,
    input  wire [SUM_BITS-1:0] base_above,
    input  wire [SUM_BITS-1:0] base_mid,
    input  wire [SUM_BITS-1:0] base_below,
    input  wire [SUM_BITS-1:0] sign_above,
    input  wire [SUM_BITS-1:0] sign_mid,
    input  wire [SUM_BITS-1:0] sign_below,
    input  wire [SUM_BITS-1:0] low_above,
    input  wire [SUM_BITS-1:0] low_mid,
    input  wire [SUM_BITS-1:0] low_below,
    output wire [SUM_BITS-1:0] next,   // tau,
    output wire [SUM_BITS-1:0] sigma,
    output wire [SUM_BITS-1:0] lambda
);
    localparam B = SUM_BITS;
    localparam D = 1 << SHIFT;
    wire above = !sigma_is_negative;
    wire below = LEVELS > 2 && lambda_is_negative;
    wire [B-1:0] v = {{SHIFT{tau[B-1]}}, tau[B-1:SHIFT]};
    wire [B-1:0] c = {{B - SHIFT{1'b0}}, tau[SHIFT-1:0]};
    wire [B-1:0] low_c = c & {{B - SHIFT + 1{1'b0}}, {SHIFT - 1{1'b1}}};
    wire not_t = !tau[SHIFT-1];

    // c + r v + z as two numbers and a bit
    wire [B-1:0] quarter = v << $clog2(RIGHT);
    wire [B-1:0] sums = OFFSET != 0 ? (v << (SHIFT - 1)) | low_c : quarter ^ c ^ z;
    wire [B-1:0] carries = 2 * RIGHT == D - 2 ? ~v
        : OFFSET != 0 ? {B{1'b0}} : ((quarter & c) | (quarter & z) | (c & z)) << 1;
    wire one = 2 * RIGHT == D - 2 ? not_t : 1'b0;

    wire [B-1:0] base = above ? base_above : below ? base_below : base_mid;
    wire [B-1:0] sign = above ? sign_above : below ? sign_below : sign_mid;
    wire [B-1:0] low = above ? low_above : below ? low_below : low_mid;
    wire unused = &{1'b0, clk, not_t, low_c, quarter, z};

    generate
        if (LANES == 1) begin : at_once
            wire [B-1:0] both = sums & carries, either = sums | carries, odd = sums ^ carries;
            wire [B-1:0] bit_0 = {{B - 1{1'b0}}, one};
            assign next = (odd ^ base) + ((both | (either & base)) << 1 | bit_0);
            assign sigma = (odd ^ sign) + ((both | (either & sign)) << 1 | bit_0);
            assign lambda = (odd ^ low) + ((both | (either & low)) << 1 | bit_0);
        end else begin : in_two_clocks
            reg [B-1:0] chosen, chosen_sign, chosen_low, added;
            wire [B:0] two = {sums, one} + {carries, one}; // the last bits carry
            wire unused_bit = two[0];
            always @(posedge clk) begin
                chosen      <= base;
                chosen_sign <= sign;
                chosen_low  <= low;
                added       <= two[B:1];
            end
            assign next = chosen + added;
            assign sigma = chosen_sign + added;
            assign lambda = chosen_low + added;
        end
    endgenerate
endmodule
