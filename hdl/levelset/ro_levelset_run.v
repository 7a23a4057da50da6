// SPDX-License-Identifier: MIT
// N level-set steps on a picture in a memory, STEPS of them in a pass, and with `look` the whole
// evolution of a contour as docs/numerics.md has it: where in LOOK steps no pixel has crossed the contour
// and the speed of one beside it would carry it across, phi and the speed are doubled in turn, both
// saturating. The evolution ends where no speed would, or nothing is left to be doubled, and the last
// step has moved no pixel.
//
//     memory --> engine --> memory         {speed, phi} of a pixel is a word
//
// Passes that need nothing to be decided follow one another without a gap: a pixel of the next pass is
// read when the pass at hand has written it. The memory takes addresses and gives words in their
// order, each with valid and ready; a word that has been taken to be written is there when it is read
// next. A run that cannot be (no steps, a picture without pixels, wider than WIDTH, or of more rows than
// addresses have room for at that width) ends at once with `error`, the memory as it was; the next one
// is right.
module ro_levelset_run #(
    parameter WIDTH = 512,
    parameter STEPS = 4,
    parameter PHI_BITS = 12,
    parameter SPEED_BITS = 11,
    parameter A = 43,
    parameter BLOCKS = 1,
    parameter INTENSITY_BITS = 0, // with `from_table`, intensities are in the place of speeds at first
    parameter TABLE_FILE = "",
    parameter TABLE_BITS = INTENSITY_BITS > 0 ? INTENSITY_BITS : 1,
    parameter LOOK = 20,
    parameter RESCALINGS = PHI_BITS - 1, // most doublings of phi between two crossings
    parameter WIDTH_BITS = $clog2(WIDTH + 1),
    parameter HEIGHT_BITS = 16,
    parameter ADDRESS_BITS = 24,
    parameter COUNT_BITS = 20,
    parameter WORD_BITS = SPEED_BITS + PHI_BITS
) (
    input  wire                    clk,
    input  wire                    reset,
    // what is to be done; held from start to done
    input  wire                    start,
    input  wire [  WIDTH_BITS-1:0] width,
    input  wire [ HEIGHT_BITS-1:0] height,
    input  wire [  COUNT_BITS-1:0] steps,       // 1 or more
    input  wire                    look,
    input  wire                    from_table,
    input  wire                    table_write,
    input  wire [  TABLE_BITS-1:0] table_address,
    input  wire [  SPEED_BITS-1:0] table_speed,
    output reg                     busy,
    output reg                     done,        // for a clock
    output reg  [  COUNT_BITS-1:0] taken,       // steps
    output reg  [            15:0] rescalings,  // doublings of phi or of the speed
    output reg                     ended,       // before the steps were used up, or with them
    output wire                    error,       // see above, or a speed was beyond the bound
    // the memory
    output wire                    read_valid,
    input  wire                    read_ready,
    output wire [ADDRESS_BITS-1:0] read_address,
    input  wire                    data_valid,
    output wire                    data_ready,
    input  wire [   WORD_BITS-1:0] data,
    output wire                    write_valid,
    input  wire                    write_ready,
    output wire [ADDRESS_BITS-1:0] write_address,
    output wire [   WORD_BITS-1:0] write_data
);
    localparam P = PHI_BITS;
    localparam S = SPEED_BITS;
    localparam integer BOUND = (1 << SPEED_BITS) * 128 / (128 + 3 * A);
    localparam [S:0] FASTEST = BOUND[S:0];
    localparam [COUNT_BITS-1:0] STEPS_A_PASS = STEPS[COUNT_BITS-1:0];
    localparam [COUNT_BITS-1:0] LOOK_EVERY = LOOK[COUNT_BITS-1:0];
    localparam [4:0] MOST_STEEPER = RESCALINGS[4:0];

    generate
        if (LOOK < 1 || RESCALINGS > 31) begin : bad_look
            ro_error_LOOK_must_be_positive_and_RESCALINGS_at_most_31 stop ();
        end
        if (ADDRESS_BITS < 2 || ADDRESS_BITS > 30 || WIDTH > 1 << ADDRESS_BITS) begin : bad_addresses
            ro_error_ADDRESS_BITS_must_be_2_to_30_and_have_room_for_a_row stop ();
        end
        if (HEIGHT_BITS < 1 || HEIGHT_BITS > 30 || COUNT_BITS < 1 || COUNT_BITS > 31) begin : bad_counts
            ro_error_HEIGHT_BITS_must_be_1_to_30_and_COUNT_BITS_1_to_31 stop ();
        end
    endgenerate

    // ---- what cannot be -----------------------------------------------------------------------------
    // Known before the start, since a run's numbers stand still a clock earlier.
    localparam integer WIDE = WIDTH + 1, ROWS = (1 << ADDRESS_BITS) / WIDTH;
    localparam integer MOST = (1 << HEIGHT_BITS) - 1, TALL = (ROWS < MOST ? ROWS : MOST) + 1;
    reg impossible, refused;
    wire engine_error;
    assign error = engine_error || refused;
    always @(posedge clk)
        impossible <= steps == 0 || width == 0 || height == 0
            || {1'b0, width} >= WIDE[WIDTH_BITS:0] || {1'b0, height} >= TALL[HEIGHT_BITS:0];

    // ---- the passes ---------------------------------------------------------------------------------
    localparam IDLE = 3'd0, BLOCK = 3'd1, PASS = 3'd2, READ = 3'd3, DRAIN = 3'd4, JUDGE = 3'd5,
        FINISH = 3'd6;
    reg [2:0] state;
    reg [COUNT_BITS-1:0] to_do;     // steps of the run,
    reg [COUNT_BITS-1:0] block;     // of them till the next look,
    reg [COUNT_BITS-1:0] of_block;  // and of these not yet in a pass
    reg table_now, double_phi, double_speed, speed_is_next;
    reg [4:0] steeper;              // doublings of phi since a pixel crossed
    wire pass_read, drained;
    wire go = state == PASS;
    wire full_pass = of_block >= STEPS_A_PASS;
    // The next pass may follow at once if nothing changes but what is in the memory, and if the
    // picture is tall enough: a row that has begun waits for pixels that must not wait for its end.
    localparam integer LOW = 2 * STEPS + 8;
    reg tall;
    always @(posedge clk) tall <= height > LOW[HEIGHT_BITS-1:0];
    wire again = full_pass && tall && !table_now && !double_phi && !double_speed;

    // ---- what the last pass has shown ---------------------------------------------------------------
    wire [STEPS-1:0] changed;
    reg [STEPS-1:0] active, last_step;
    reg phi_doubles, speed_doubles; // doubling would change one
    wire held, crossed;
    wire from_valid, from_ready, from_first;
    wire [P-1:0] from_phi;
    wire [S-1:0] from_speed;
    wire [S-1:0] size = from_speed[S-1] ? ~from_speed + 1'b1 : from_speed;
    wire phi_free = from_phi[P-2:0] != 0 && from_phi != {1'b0, {P - 1{1'b1}}};
    wire speed_free = size != 0 && {1'b0, size} < FASTEST;

    always @(posedge clk)
        if (from_valid && from_ready) begin
            phi_doubles   <= phi_free || (phi_doubles && !from_first);
            speed_doubles <= speed_free || (speed_doubles && !from_first);
        end

    // ---- what follows from it -----------------------------------------------------------------------
    wire moved = |(changed & last_step);
    wire at_look = look && block == LOOK_EVERY;
    wire stands = at_look && !crossed && held;
    wire may_phi = phi_doubles && steeper != MOST_STEEPER;
    wire takes_phi = stands && may_phi && (!speed_is_next || !speed_doubles);
    wire takes_speed = stands && speed_doubles && !takes_phi;
    wire rests = at_look && !crossed && !moved && !takes_phi && !takes_speed;
    integer i;

    always @(posedge clk) begin
        done <= 1'b0;
        case (state)
            IDLE:
            if (start) begin
                busy         <= 1'b1;
                refused      <= impossible;
                ended        <= 1'b0;
                taken        <= 0;
                rescalings   <= 0;
                speed_is_next <= 1'b0;
                steeper      <= 0;
                double_phi   <= 1'b0;
                double_speed <= 1'b0;
                table_now    <= from_table;
                to_do        <= steps;
                state        <= impossible ? FINISH : BLOCK;
            end
            BLOCK: begin
                block    <= look && to_do > LOOK_EVERY ? LOOK_EVERY : to_do;
                of_block <= look && to_do > LOOK_EVERY ? LOOK_EVERY : to_do;
                state    <= PASS;
            end
            PASS: begin
                for (i = 0; i < STEPS; i = i + 1) begin
                    active[i]    <= of_block > i[COUNT_BITS-1:0];
                    last_step[i] <= of_block == i[COUNT_BITS-1:0] + 1'b1 || (full_pass && i == STEPS - 1);
                end
                of_block <= full_pass ? of_block - STEPS_A_PASS : {COUNT_BITS{1'b0}};
                state    <= READ;
            end
            READ:
            if (pass_read) begin
                if (again) of_block <= of_block - STEPS_A_PASS;
                else state <= DRAIN;
            end
            DRAIN:
            if (drained) begin
                table_now    <= 1'b0;
                double_phi   <= 1'b0;
                double_speed <= 1'b0;
                state <= to_do == 0 ? FINISH : of_block != 0 ? PASS : JUDGE;
            end
            JUDGE: begin
                taken   <= taken + block;
                to_do   <= to_do - block;
                if (at_look && crossed) begin
                    speed_is_next <= 1'b0;
                    steeper       <= 0;
                end else if (takes_phi || takes_speed) begin
                    speed_is_next <= takes_phi;
                    steeper       <= steeper + {4'b0, takes_phi};
                end
                if (rests) begin
                    ended <= 1'b1;
                    to_do <= 0;
                    state <= FINISH;
                end else if (takes_phi || takes_speed) begin
                    rescalings   <= rescalings + 1'b1;
                    double_phi   <= takes_phi;
                    double_speed <= takes_speed;
                    state <= to_do == block ? PASS : BLOCK; // at the end a pass that only doubles
                end else state <= to_do == block ? FINISH : BLOCK;
            end
            default: begin
                busy  <= 1'b0;
                done  <= 1'b1;
                state <= IDLE;
            end
        endcase
        if (reset) begin
            state   <= IDLE;
            busy    <= 1'b0;
            refused <= 1'b0;
        end
    end

    // ---- memory and engine --------------------------------------------------------------------------
    wire to_valid, to_ready, to_first, to_last, idle, from_last;
    wire [WORD_BITS-1:0] to_word;
    wire unused = &{1'b0, idle, from_last};

    ro_levelset_feed #(
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS),
        .ADDRESS_BITS(ADDRESS_BITS),
        .WORD_BITS(WORD_BITS)
    ) feed (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .go(go),
        .again(again),
        .pass_read(pass_read),
        .drained(drained),
        .read_valid(read_valid),
        .read_ready(read_ready),
        .read_address(read_address),
        .data_valid(data_valid),
        .data_ready(data_ready),
        .data(data),
        .write_valid(write_valid),
        .write_ready(write_ready),
        .write_address(write_address),
        .write_data(write_data),
        .to_valid(to_valid),
        .to_ready(to_ready),
        .to_first(to_first),
        .to_last(to_last),
        .to_word(to_word),
        .from_valid(from_valid),
        .from_ready(from_ready),
        .from_first(from_first),
        .from_word({from_speed, from_phi})
    );
    ro_levelset_engine #(
        .WIDTH(WIDTH),
        .STEPS(STEPS),
        .PHI_BITS(P),
        .SPEED_BITS(S),
        .A(A),
        .BLOCKS(BLOCKS),
        .INTENSITY_BITS(INTENSITY_BITS),
        .TABLE_FILE(TABLE_FILE),
        .TABLE_BITS(TABLE_BITS),
        .WIDTH_BITS(WIDTH_BITS),
        .HEIGHT_BITS(HEIGHT_BITS)
    ) engine (
        .clk(clk),
        .reset(reset),
        .width(width),
        .height(height),
        .active(active),
        .from_table(table_now),
        .double_phi(double_phi),
        .double_speed(double_speed),
        .forget(state == BLOCK),
        .table_write(table_write),
        .table_address(table_address),
        .table_speed(table_speed),
        .in_valid(to_valid),
        .in_ready(to_ready),
        .in_first(to_first),
        .in_last(to_last),
        .in_phi(to_word[P-1:0]),
        .in_speed(to_word[P+:S]),
        .out_valid(from_valid),
        .out_ready(from_ready),
        .out_first(from_first),
        .out_last(from_last),
        .out_phi(from_phi),
        .out_speed(from_speed),
        .changed(changed),
        .held(held),
        .crossed(crossed),
        .idle(idle),
        .error(engine_error)
    );
endmodule
