// SPDX-License-Identifier: MIT
// One explicit step of linear diffusion on a picture that streams through: a row later, a row is
// given. Over every edge between neighbours flows what one pixel loses and the other gets, so the sum
// of the picture stays what it was, and no pixel leaves its range.
//
//     row above    m  a      With n come three edges to it, W (l - n), N (a - n), NW (m - n), and the
//     this row     l  n      edge NE of its left neighbour (a - l). The memory holds a word a column:
//                            the pixel, and the pixel with what has flowed into it so far.
//
// A pixel is written when its right neighbour's edges are known, or at the end of its row; the one
// above it is then complete and goes out. Sums are modulo 2^BITS: what comes out fits.
module ro_flux_step #(
    parameter WIDTH = 512,
    parameter BITS = 12,
    parameter TIME = 6143,     // tau/h^2 in 1/16384
    parameter NEAREST = 0,
    parameter PRODUCT_CLOCKS = 2
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            in_beat,
    input  wire            in_last,   // of a row
    input  wire            in_top,    // in the first row of a frame
    input  wire            in_bottom, // in the last
    input  wire            in_flush,
    input  wire [BITS-1:0] in_pixel,
    output reg             out_beat,
    output reg             out_last,
    output reg             out_top,
    output reg             out_bottom,
    output reg             out_flush,
    output reg  [BITS-1:0] out_pixel
);
    localparam B = BITS;
    localparam X_BITS = WIDTH > 1 ? $clog2(WIDTH) : 1;
    localparam integer DIAGONAL = 4 * TIME / 3;
    localparam integer SIDE = 4 * TIME / 6;
    localparam FLUX_CLOCKS = PRODUCT_CLOCKS + 4;

    generate
        if (TIME < 2 || TIME > (NEAREST != 0 ? 3071 : 6143)) begin : bad_time
            ro_error_TIME_must_be_2_to_6143_or_to_3071_when_rounding_to_nearest stop ();
        end
        if (B < 4 || B > 16) begin : bad_bits
            ro_error_BITS_must_be_4_to_16 stop ();
        end
    endgenerate

    // ---- clocks 0 to 2: the memory ------------------------------------------------------------------
    reg [X_BITS-1:0] column;
    wire beat2, last2, top2, bottom2, flush2;
    wire [B-1:0] n2, a2, sum2;
    wire write;
    wire [X_BITS-1:0] write_column;
    wire [2*B-1:0] write_word;

    always @(posedge clk)
        if (reset) column <= 0;
        else if (in_beat) column <= in_last ? {X_BITS{1'b0}} : column + 1'b1;

    ro_delay_reset #(
        .CLOCKS(2)
    ) beat_beside_memory (
        .clk(clk),
        .reset(reset),
        .in(in_beat),
        .out(beat2)
    );
    ro_delay #(
        .BITS(4 + B),
        .CLOCKS(2)
    ) beside_memory (
        .clk(clk),
        .in ({in_last, in_top, in_bottom, in_flush, in_pixel}),
        .out({last2, top2, bottom2, flush2, n2})
    );
    ro_memory #(
        .WORDS(WIDTH),
        .BITS(2 * B),
        .ADDRESS_BITS(X_BITS)
    ) rows (
        .clk(clk),
        .write(write),
        .write_address(write_column),
        .write_data(write_word),
        .read_address(column),
        .read_data({a2, sum2})
    );

    // ---- what is where ------------------------------------------------------------------------------
    reg held, held_top, held_bottom, first2;  // the memory holds a row that has not been given
    reg [B-1:0] l2, m2;                       // the pixels to the left of n and a
    wire above = held && !top2 && !flush2;    // and it is the row above

    always @(posedge clk) begin
        if (beat2) begin
            first2 <= last2;
            l2     <= n2;
            m2     <= a2;
            if (last2) begin
                held        <= !flush2;
                held_top    <= top2;
                held_bottom <= bottom2;
            end
        end
        if (reset) begin
            held   <= 1'b0;
            first2 <= 1'b1;
        end
    end

    // ---- the edges ----------------------------------------------------------------------------------
    wire [B-1:0] w, n, nw, ne;
    ro_flux #(
        .BITS(B),
        .WEIGHT(SIDE),
        .DOUBLE(1),
        .NEAREST(NEAREST),
        .PRODUCT_CLOCKS(PRODUCT_CLOCKS),
        .CLOCKS(FLUX_CLOCKS)
    ) edge_w (
        .clk(clk),
        .from(l2),
        .to(n2),
        .half(top2 != bottom2),
        .none(first2 || flush2 || (top2 && bottom2)),
        .flux(w)
    );
    ro_flux #(
        .BITS(B),
        .WEIGHT(SIDE),
        .DOUBLE(1),
        .NEAREST(NEAREST),
        .PRODUCT_CLOCKS(PRODUCT_CLOCKS),
        .CLOCKS(FLUX_CLOCKS)
    ) edge_n (
        .clk(clk),
        .from(a2),
        .to(n2),
        .half(first2 != last2),
        .none(!above || (first2 && last2)),
        .flux(n)
    );
    ro_flux #(
        .BITS(B),
        .WEIGHT(DIAGONAL),
        .DOUBLE(0),
        .NEAREST(NEAREST),
        .PRODUCT_CLOCKS(PRODUCT_CLOCKS),
        .CLOCKS(FLUX_CLOCKS)
    ) edge_nw (
        .clk(clk),
        .from(m2),
        .to(n2),
        .half(1'b0),
        .none(!above || first2),
        .flux(nw)
    );
    ro_flux #(
        .BITS(B),
        .WEIGHT(DIAGONAL),
        .DOUBLE(0),
        .NEAREST(NEAREST),
        .PRODUCT_CLOCKS(PRODUCT_CLOCKS),
        .CLOCKS(FLUX_CLOCKS)
    ) edge_ne (
        .clk(clk),
        .from(a2),
        .to(l2),
        .half(1'b0),
        .none(!above || first2),
        .flux(ne)
    );

    // ---- sums ---------------------------------------------------------------------------------------
    // of n what comes with it, of a what leaves to n and l; of l and m what their edges to n move
    wire beat_f, last_f, fresh_f, gives_f, top_f, bottom_f, passes_f;
    wire [B-1:0] n_f, sum_f;
    ro_delay_reset #(
        .CLOCKS(FLUX_CLOCKS)
    ) beat_beside_edges (
        .clk(clk),
        .reset(reset),
        .in(beat2),
        .out(beat_f)
    );
    ro_delay #(
        .BITS(6 + 2 * B),
        .CLOCKS(FLUX_CLOCKS)
    ) beside_edges (
        .clk(clk),
        .in ({last2, !flush2, held, held_top, held_bottom, !held && flush2, n2, sum2}),
        .out({last_f, fresh_f, gives_f, top_f, bottom_f, passes_f, n_f, sum_f})
    );

    reg beat_1, beat_2;
    reg [B-1:0] n_1, n_and_w, n_and_nw, a_less_n, ne_1, nw_1, w_1;
    reg [B-1:0] n_2, of_n, of_a, to_l, from_m;
    reg [5:0] marks_1, marks_2;

    always @(posedge clk) begin
        beat_1   <= beat_f && !reset;
        marks_1  <= {last_f, fresh_f, gives_f, top_f, bottom_f, passes_f};
        n_1      <= n_f;
        n_and_w  <= n_f + w;
        n_and_nw <= n + nw;
        a_less_n <= sum_f - n;
        ne_1     <= ne;
        nw_1     <= nw;
        w_1      <= w;

        beat_2  <= beat_1 && !reset;
        marks_2 <= marks_1;
        n_2     <= n_1;
        of_n    <= n_and_w + n_and_nw;
        of_a    <= a_less_n - ne_1;
        to_l    <= ne_1 - w_1;
        from_m  <= nw_1;
    end

    // ---- the pixel that waits for its right neighbour -------------------------------------------------
    reg full, last, fresh, gives, top, bottom, passes;
    reg [B-1:0] pixel, sum, result;
    wire give = full && (last || beat_2);
    reg [X_BITS-1:0] done_column;
    reg put;
    reg [B-1:0] put_pixel, put_sum;
    reg [X_BITS-1:0] put_column;

    always @(posedge clk) begin
        if (beat_2) begin
            {last, fresh, gives, top, bottom, passes} <= marks_2;
            pixel  <= n_2;
            sum    <= of_n;
            result <= of_a;
        end
        full <= beat_2 || (full && !give);

        put        <= give && fresh && !reset;
        put_column <= done_column;
        put_pixel  <= pixel;
        put_sum    <= last ? sum : sum + to_l;
        if (give) done_column <= last ? {X_BITS{1'b0}} : done_column + 1'b1;

        out_beat   <= give && (gives || passes) && !reset;
        out_last   <= last;
        out_top    <= top;
        out_bottom <= bottom;
        out_flush  <= passes;
        out_pixel  <= last ? result : result - from_m;
        if (reset) begin
            full        <= 1'b0;
            done_column <= 0;
        end
    end
    assign write = put;
    assign write_column = put_column;
    assign write_word = {put_pixel, put_sum};
endmodule
