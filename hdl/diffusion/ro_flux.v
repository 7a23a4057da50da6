// SPDX-License-Identifier: MIT
// What flows over an edge from one pixel to another: w (from - to) / 2^16, rounded toward zero, or to
// nearest with ties away from zero. Sides inside the picture have twice the weight of those at its
// border (`half`). CLOCKS clocks later; 0 where there is no edge.
module ro_flux #(
    parameter BITS = 12,
    parameter WEIGHT = 4095,
    parameter DOUBLE = 1,       // 1: the weight counts twice, but at the border
    parameter NEAREST = 0,
    parameter PRODUCT_CLOCKS = 1,
    parameter CLOCKS = 5
) (
    input  wire            clk,
    input  wire [BITS-1:0] from,
    input  wire [BITS-1:0] to,
    input  wire            half,
    input  wire            none,
    output reg  [BITS-1:0] flux
);
    localparam PRODUCT_BITS = BITS + $clog2(WEIGHT + 1);
    localparam SUM_BITS = BITS + 16;
    localparam [SUM_BITS-1:0] ROUND = {{BITS{1'b0}}, NEAREST != 0, 15'd0};

    generate
        if (CLOCKS != PRODUCT_CLOCKS + 4) begin : bad_clocks
            ro_error_CLOCKS_of_a_flux_are_PRODUCT_CLOCKS_and_4 stop ();
        end
    endgenerate

    reg [BITS:0] difference;
    reg [BITS-1:0] size;
    wire [PRODUCT_BITS-1:0] product;
    wire negative, half_then, none_then, negative_end, none_end;
    wire [SUM_BITS-1:0] once = {{SUM_BITS - PRODUCT_BITS{1'b0}}, product};
    reg [SUM_BITS-1:0] rounded;
    wire [BITS-1:0] whole = rounded[16+:BITS]; // a flux is less than its difference
    wire unused = &{1'b0, rounded};

    always @(posedge clk) begin
        difference <= {from[BITS-1], from} - {to[BITS-1], to};
        size       <= difference[BITS] ? ~difference[BITS-1:0] + 1'b1 : difference[BITS-1:0];
        rounded    <= (DOUBLE != 0 && !half_then ? once << 1 : once) + ROUND;
        flux       <= none_end ? {BITS{1'b0}} : negative_end ? ~whole + 1'b1 : whole;
    end
    ro_times_constant #(
        .BITS(BITS),
        .C(WEIGHT),
        .CLOCKS(PRODUCT_CLOCKS)
    ) scale (
        .clk(clk),
        .x(size),
        .product(product)
    );
    ro_delay #(
        .BITS(1),
        .CLOCKS(PRODUCT_CLOCKS + 1)
    ) signs (
        .clk(clk),
        .in (difference[BITS]),
        .out(negative)
    );
    ro_delay #(
        .BITS(2),
        .CLOCKS(PRODUCT_CLOCKS + 2)
    ) edges (
        .clk(clk),
        .in ({half, none}),
        .out({half_then, none_then})
    );
    ro_delay #(
        .BITS(2),
        .CLOCKS(1)
    ) ends (
        .clk(clk),
        .in ({negative, none_then}),
        .out({negative_end, none_end})
    );
endmodule
