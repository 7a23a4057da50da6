// SPDX-License-Identifier: MIT
// Where a stream of pixels is: at the first one of a picture, the last one of a row, the last row.
module ro_raster #(
    parameter WIDTH_BITS = 10,
    parameter HEIGHT_BITS = 16
) (
    input  wire                   clk,
    input  wire                   clear, // begin anew
    input  wire [ WIDTH_BITS-1:0] width,
    input  wire [HEIGHT_BITS-1:0] height,
    input  wire                   step,
    output reg                    first,
    output reg                    last_x,
    output reg                    last_y
);
    reg [WIDTH_BITS-1:0] to_right;   // columns to come
    reg [HEIGHT_BITS-1:0] below;     // rows to come

    always @(posedge clk)
        if (clear) begin
            first    <= 1'b1;
            to_right <= width - 1'b1;
            last_x   <= width == 1;
            below    <= height - 1'b1;
            last_y   <= height == 1;
        end else if (step) begin
            first    <= last_x && last_y;
            to_right <= last_x ? width - 1'b1 : to_right - 1'b1;
            last_x   <= last_x ? width == 1 : to_right == 1;
            if (last_x) begin
                below  <= last_y ? height - 1'b1 : below - 1'b1;
                last_y <= last_y ? height == 1 : below == 1;
            end
        end
endmodule
