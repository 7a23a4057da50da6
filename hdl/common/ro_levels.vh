// SPDX-License-Identifier: MIT
// Tones of the output levels and what lies halfway between two of them, as docs/numerics.md has them.
// To be included in a module that has MAXVAL and LEVELS (2 to 16). Tables have 32 bits an entry.
    localparam integer WHITE = 16 * MAXVAL;
    localparam integer LOWEST_MID = LEVELS > 2 ? 1 : 0;
    localparam integer HIGHEST_MID = LEVELS > 2 ? LEVELS - 2 : 0;

    function integer level;
        input integer k;
        level = (2 * WHITE * k + LEVELS - 1) / (2 * (LEVELS - 1));
    endfunction

    function integer middle; // a tone above it is nearer to level k + 1 than to k
        input integer k;
        middle = (level(k) + level(k + 1)) / 2;
    endfunction

    function integer widest_gap;
        input integer least;
        integer k;
        begin
            widest_gap = least;
            for (k = 0; k + 1 < LEVELS; k = k + 1)
                if (level(k + 1) - level(k) > widest_gap) widest_gap = level(k + 1) - level(k);
        end
    endfunction

    // Of each level k that can be in the middle: factor (middle[k] + 1 - level[k + beside]).
    function [511:0] errors_at_threshold;
        input integer factor, beside;
        integer k;
        begin
            errors_at_threshold = 512'd0;
            for (k = LOWEST_MID; k <= HIGHEST_MID; k = k + 1)
                if (k + beside >= 0)
                    errors_at_threshold[32*k+:32] = factor * (middle(k) + 1 - level(k + beside));
        end
    endfunction
