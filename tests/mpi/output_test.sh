#!/bin/sh
# SPDX-License-Identifier: MIT
# Nobody can foresee the name of the partial file: other people's links and files stay as they are, and
# two runs to one file leave one complete result.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
"$ROUNDOFF" testcard in.pgm --size 900x700 --quiet
"$ROUNDOFF" halftone in.pgm one.pbm --quiet
"$ROUNDOFF" halftone in.pgm other.pbm --method stucki --quiet

# A link of the name that was once taken, and a file of the user's.
echo precious >victim
ln -s victim many.pbm.part
ranks 2 halftone in.pgm many.pbm --quiet || wrong "it does not run"
cmp one.pbm many.pbm || wrong "other bytes than of one process"
if [ "$(cat victim)" != precious ] || [ ! -L many.pbm.part ]; then wrong "a link was followed"; fi
if [ -L many.pbm ]; then wrong "the link has become the output"; fi
rm many.pbm many.pbm.part
echo mine >many.pbm.part
ranks 2 halftone in.pgm many.pbm --quiet || wrong "it does not run beside a file"
if [ "$(cat many.pbm.part)" != mine ]; then wrong "a file of the user's is gone"; fi

# Rights are those of the file that is replaced, but it is no program that runs as somebody else.
chmod 6751 many.pbm
ranks 2 halftone in.pgm many.pbm --quiet || wrong "it does not run over a file"
if [ "$(stat -c %a many.pbm)" != 751 ]; then wrong "rights: $(stat -c %a many.pbm)"; fi

# The file behind a link is replaced, as one process does it.
mkdir there
echo old >there/file.pbm
ln -s there/file.pbm link.pbm
ranks 2 halftone in.pgm link.pbm --quiet || wrong "it does not run through a link"
if [ ! -L link.pbm ]; then wrong "the link itself was replaced"; fi
cmp one.pbm there/file.pbm || wrong "other bytes behind a link"

mkfifo pipe.pbm
if ranks 2 halftone in.pgm pipe.pbm 2>said; then wrong "a pipe was not refused"; fi
grep -q "not pipes" said || wrong "a pipe: $(cat said)"
if [ ! -p pipe.pbm ]; then wrong "a pipe was replaced"; fi

# Two runs to one file at once, several times: the file is that of a run that succeeded, and one that was
# overtaken says so.
for turn in 1 2 3 4 5; do
    rm -f both.pbm
    ranks 2 halftone in.pgm both.pbm --rows 8 --quiet 2>said-1 &
    first=$! one=0 other=0
    ranks 2 halftone in.pgm both.pbm --rows 8 --method stucki --quiet 2>said-2 || other=1
    wait $first || one=1
    if [ $one = 1 ] && [ $other = 1 ]; then wrong "turn $turn: $(cat said-1 said-2)"; fi
    if [ $one = 1 ] && ! grep -q "another run" said-1; then wrong "turn $turn: $(cat said-1)"; fi
    if [ $other = 1 ] && ! grep -q "another run" said-2; then wrong "turn $turn: $(cat said-2)"; fi
    if ! { [ $one = 0 ] && cmp -s one.pbm both.pbm; } && ! { [ $other = 0 ] && cmp -s other.pbm both.pbm; }; then
        wrong "turn $turn: the file is no successful run's"
    fi
done

# And of two with one checkpoint the second is told.
if command -v flock >/dev/null 2>&1; then
    : >state
    if flock state timeout 60 "$mpirun" -n 2 "$mpi" halftone in.pgm out.pbm --checkpoint state \
        </dev/null 2>said; then
        wrong "a checkpoint in use was taken"
    fi
    grep -q "in use by another run" said || wrong "a checkpoint in use: $(cat said)"
    rm -f state
fi

if ls -A | grep -q '^\..*\.pbm\.'; then wrong "a partial file was left: $(ls -A)"; fi
exit $failed
