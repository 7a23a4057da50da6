// SPDX-License-Identifier: MIT
// What a pixel gets from the row above: the sum of weights times errors, CLOCKS clocks after the place
// whose error is the last it needs. Errors of the row above come in by columns with the pixels of the
// row itself; a pixel waits for the AHEAD errors to its right.
//
//     errors of the row above     . e e e e .      newest on the right, AHEAD of the pixel
//     this row                        p
//
// Errors beyond an end of the row belong to another one and count as zero. LANES rows take turns:
// places of one row are LANES clocks apart.
module ro_diffuse_above #(
    parameter PIXEL_BITS = 8,
    parameter ERROR_BITS = 12,
    parameter SUM_BITS = 17,
    parameter LANES = 1,
    parameter AHEAD = 1,            // columns by which errors reach to the left, 0 to 3
    parameter BEHIND = 1,           // and to the right, 0 to 2
    parameter [23:0] WEIGHTS = 24'h015300 // to the columns +2, +1, 0, -1, -2, -3 below: 4 bits each
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  shift,     // a place moves in
    input  wire                  in_beat,   // with a pixel
    input  wire                  in_last,
    input  wire                  in_top,    // there is no row above
    input  wire [PIXEL_BITS-1:0] in_pixel,
    input  wire [ERROR_BITS-1:0] in_error,  // of the pixel above
    output wire                  out_valid,
    output wire                  out_last,
    output wire                  out_top,
    output wire [PIXEL_BITS-1:0] out_pixel,
    output reg  [  SUM_BITS-1:0] out_sum
);
    localparam PLACES = AHEAD + 1 + BEHIND;
    localparam LENGTH = (PLACES - 1) * LANES + 1;

    // ---- places, the newest first -------------------------------------------------------------
    reg [LENGTH-1:0] beats, lasts, tops;
    reg [LENGTH*ERROR_BITS-1:0] errors;
    reg [(AHEAD*LANES+1)*PIXEL_BITS-1:0] pixels;
    reg moved;

    always @(posedge clk) begin
        moved <= shift && !reset;
        if (shift) begin
            beats[0] <= in_beat;
            lasts[0] <= in_beat && in_last;
            tops[0]  <= in_top;
            errors[ERROR_BITS-1:0] <= in_beat && !in_top ? in_error : {ERROR_BITS{1'b0}};
            pixels[PIXEL_BITS-1:0] <= in_pixel;
        end
        if (reset) beats[0] <= 1'b0;
    end
    wire unused = &{1'b0, beats, lasts, tops, errors};
    genvar i;
    generate
        for (i = 1; i < LENGTH; i = i + 1) begin : place
            always @(posedge clk) begin
                if (shift) begin
                    beats[i] <= beats[i-1];
                    lasts[i] <= lasts[i-1];
                    tops[i]  <= tops[i-1];
                    errors[i*ERROR_BITS+:ERROR_BITS] <= errors[(i-1)*ERROR_BITS+:ERROR_BITS];
                end
                if (reset) beats[i] <= 1'b0;
            end
        end
        for (i = 1; i <= AHEAD * LANES; i = i + 1) begin : pixel_place
            always @(posedge clk)
                if (shift) pixels[i*PIXEL_BITS+:PIXEL_BITS] <= pixels[(i-1)*PIXEL_BITS+:PIXEL_BITS];
        end
    endgenerate

    // ---- products -----------------------------------------------------------------------------
    // Column AHEAD is the pixel's own. To its right a place counts if no row ends at the pixel or
    // between; to its left, if none ends at the place or between.
    localparam TERM_BITS = ERROR_BITS + 3;
    wire [6*SUM_BITS-1:0] terms;

    generate
        for (i = 0; i < 6; i = i + 1) begin : tap
            localparam COLUMN = AHEAD + i - 3; // of the error, the newest is 0; i = 3 is above
            localparam [3:0] WEIGHT = WEIGHTS[4*i+:4];
            if (WEIGHT == 0 || COLUMN < 0 || COLUMN >= PLACES) begin : none
                assign terms[SUM_BITS*i+:SUM_BITS] = {SUM_BITS{1'b0}};
            end else begin : counts
                wire [ERROR_BITS-1:0] error = errors[COLUMN*LANES*ERROR_BITS+:ERROR_BITS];
                reg [ERROR_BITS-1:0] known;
                reg [TERM_BITS-1:0] product;
                wire [TERM_BITS-1:0] once = {{TERM_BITS - ERROR_BITS{known[ERROR_BITS-1]}}, known};
                reg other_row;
                integer k;
                always @* begin
                    other_row = 1'b0;
                    for (k = 0; k < PLACES; k = k + 1)
                        if ((k > COLUMN && k <= AHEAD) || (k > AHEAD && k <= COLUMN))
                            other_row = other_row | lasts[k*LANES];
                end
                always @(posedge clk) begin
                    known <= other_row ? {ERROR_BITS{1'b0}} : error;
                    case (WEIGHT)
                        4'd1: product <= once;
                        4'd2: product <= once << 1;
                        4'd3: product <= (once << 1) + once;
                        4'd4: product <= once << 2;
                        default: product <= (once << 2) + once; // 5
                    endcase
                end
                assign terms[SUM_BITS*i+:SUM_BITS] =
                    {{SUM_BITS - TERM_BITS{product[TERM_BITS-1]}}, product};
            end
        end
    endgenerate

    // ---- their sum ----------------------------------------------------------------------------
    reg [SUM_BITS-1:0] pair0, pair1, pair2, four, two;
    always @(posedge clk) begin
        pair0   <= terms[0*SUM_BITS+:SUM_BITS] + terms[1*SUM_BITS+:SUM_BITS];
        pair1   <= terms[2*SUM_BITS+:SUM_BITS] + terms[3*SUM_BITS+:SUM_BITS];
        pair2   <= terms[4*SUM_BITS+:SUM_BITS] + terms[5*SUM_BITS+:SUM_BITS];
        four    <= pair0 + pair1;
        two     <= pair2;
        out_sum <= four + two;
    end

    ro_delay_reset #(
        .CLOCKS(5)
    ) valid_beside (
        .clk(clk),
        .reset(reset),
        .in(moved && beats[AHEAD*LANES]),
        .out(out_valid)
    );
    ro_delay #(
        .BITS(2 + PIXEL_BITS),
        .CLOCKS(5)
    ) pixel_beside (
        .clk(clk),
        .in ({lasts[AHEAD*LANES], tops[AHEAD*LANES], pixels[AHEAD*LANES*PIXEL_BITS+:PIXEL_BITS]}),
        .out({out_last, out_top, out_pixel})
    );
endmodule
