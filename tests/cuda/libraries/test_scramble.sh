#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The program of docs/examples that writes a file for VGPU_CURAND_SCRAMBLE: with the library that such a file is for, it
# writes that file again.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "not ok 1 - $1"; [ ! -s "$dir/said" ] || sed 's/^/# /' "$dir/said"; echo 1..1; exit 1; }

gcc -Wall -Wextra -Werror -isystem build/include/cuda docs/examples/curand-scramble.c -Lbuild -lcurand -Wl,-rpath,"$PWD/build" \
	-o "$dir/writer" >"$dir/said" 2>&1 || fail "the example is compiled"
"$dir/writer" "$dir/own" >"$dir/said" 2>&1 || fail "it writes a file"
VGPU_CURAND_SCRAMBLE=$dir/own "$dir/writer" "$dir/again" >"$dir/said" 2>&1 || fail "the library reads the file"
[ ! -s "$dir/said" ] || fail "nothing is said about it"
cmp "$dir/own" "$dir/again" >"$dir/said" 2>&1 || fail "its tables are the library's"
# another table: the first vector of the second dimension, and a checksum that is not this file's
printf '\1\2\3\4' | dd of="$dir/own" bs=1 seek=$((24 + 128)) conv=notrunc 2>/dev/null
VGPU_CURAND_SCRAMBLE=$dir/own "$dir/writer" "$dir/again" >"$dir/said" 2>&1 && fail "a damaged file is refused"
grep -q "VGPU_CURAND_SCRAMBLE=$dir/own: is damaged" "$dir/said" || fail "the refusal names the file"
echo "ok 1 - curand-scramble.c writes what the library reads"
echo 1..1
