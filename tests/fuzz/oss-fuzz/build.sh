#!/bin/bash -eu
# SPDX-License-Identifier: MIT
# Builds all targets, their dictionaries and their seeds. CC, CFLAGS, LIB_FUZZING_ENGINE, WORK and OUT come
# from OSS-Fuzz. Libraries go beside the targets, because they run on a machine that has none.
cd "${SRC:+$SRC/roundoff}" 2>/dev/null || cd "$(dirname "$0")/../../.."
engine=$LIB_FUZZING_ENGINE
if [ "$engine" != -fsanitize=fuzzer ]; then engine="$engine;-lc++"; fi
cmake -S . -B "$WORK/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" -DRO_BUILD_FUZZ=ON -DRO_FUZZING_ENGINE="$engine" \
    -DRO_WITH_SIMD=OFF -DRO_WITH_CUDA=OFF -DRO_WITH_MPI=OFF \
    "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath,'\$ORIGIN/lib'"
cmake --build "$WORK/build" -j "$(nproc)" --target fuzzers
python3 tests/fuzz/seeds.py "$WORK/seeds"
mkdir -p "$OUT/lib"
for target in "$WORK"/build/fuzz/*_fuzz; do
    name=$(basename "$target")
    kind=${name%_fuzz}
    cp "$target" "$OUT/"
    ldd "$target" | awk '/=> \// && !/\/(libc|libm|libdl|libpthread|librt|ld-linux[^ ]*)\.so/ {print $3}' |
        xargs -r cp -L -t "$OUT/lib"
    cp "tests/fuzz/dictionaries/$kind.dict" "$OUT/$name.dict"
    (cd "$WORK/seeds/$kind" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" .)
done
