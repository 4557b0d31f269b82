#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Debian's Thrust and CUB (libthrust-dev, libcub-dev), compiled by vgpucc and executed.
#
# usage: test_thrust.sh
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

for header in thrust/version.h cub/version.cuh; do
	[ -r "/usr/include/$header" ] || { echo "1..0 # SKIP no $header here: tools/setup unit"; exit 4; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if ! tools/vgpucc tests/thrust/thrust.cu -o "$dir/thrust" 2>"$dir/log"; then
	sed 's/^/# /' "$dir/log"
	echo "not ok 1 - thrust.cu compiles"
	exit 1
fi
VGPU_TRANSPORT=embedded LD_LIBRARY_PATH=$PWD/build timeout "${CUDA_TEST_TIMEOUT:-300}" "$dir/thrust"
