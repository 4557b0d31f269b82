#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CUDA programs whose thread blocks are flushed at random places, wherever the device says that this is right: dropped, and run again from
# their start. Each program must say the same as undisturbed. A program with one block, or with stores from its first instruction
# on, may have none that is flushed; all of them together must have hundreds.
#
# usage: test_flush.sh [PROGRAM]...	built CUDA programs; without: all that are built
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0 flushes=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

# Where memory of the host lies, and how long something took, is not what a program computes.
run_program() { # PROGRAM SETTINGS OUTPUT
	VGPU_SET=$2 VGPU_TRACE=$dir/trace setarch -R timeout "$limit" "$1" >"$dir/raw" 2>&1 </dev/null
	local status=$?
	sed -e '/ took [0-9.]* s$/d' -e 's/0x7f[0-9a-f]\{10\}/HOST/g' "$dir/raw" >"$3"
	echo "exit status $status" >>"$3"
}

# Does it say something else each time, without flushes? Programs that print times and clocks do.
varies() { # PROGRAM SETTINGS
	local again
	for again in 1 2 3; do
		run_program "$1" "$2" "$dir/again"
		cmp -s "$dir/want" "$dir/again" || return 0
	done
	return 1
}

flushed() { # PROGRAM SETTINGS
	local name=${1#build/cuda/} settings=$2,block_swap_flush=1,flushes_most=60 n
	run_program "$1" "${2//block_swap_ps=*/block_swap_ps=0}" "$dir/want"
	run_program "$1" "$settings" "$dir/got"
	n=$(build/tools/vgpu-trace stats "$dir/trace" 2>/dev/null | awk '/thread blocks flushed/ { print $1 }')
	flushes=$((flushes + ${n:-0}))
	if cmp -s "$dir/want" "$dir/got"; then
		ok "$name, $2, ${n:-0} flushes" 0
	elif varies "$1" "${2//block_swap_ps=*/block_swap_ps=0}" || varies "$1" "$2"; then
		ok "$name, $2: its output varies" 0
	else
		ok "$name, $2" 1 "the output differs: $(diff "$dir/want" "$dir/got" | sed -n 2p)"
	fi
}

if [ $# -gt 0 ]; then
	programs=("$@")
else
	mapfile -t programs < <(find build/cuda -type f -executable ! -name '*.*' | LC_ALL=C sort)
fi
[ ${#programs[@]} -gt 0 ] || { echo "1..0 # no program is built: make cuda-programs"; exit 4; }
for program in "${programs[@]}"; do
	flushed "$program" slice_ps=100000,block_swap_ps=700000
done
for program in build/cuda/saxpy build/cuda/sgemm build/cuda/stencil; do
	if [ -x "$program" ]; then flushed "$program" timing=pipeline,sms=2,block_swap_ps=1000000; fi
done
if [ $# -eq 0 ]; then
	[ "$flushes" -ge 500 ]
	ok "all programs together, $flushes flushes" $? "too few to say anything"
fi
echo "1..$count"
exit $failed
