#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CUDA programs with native code from their first instruction on, with native code for what is hot, and interpreted: the
# same output, and the same trace of the device in every byte but the process id that stands in its first record. And
# kernels at random both ways.
#
# usage: test_native.sh [PROGRAM]...	built CUDA programs; without: all that are built
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

# Several processes at once, threads, and what has addresses of the host in its trace differ from run to run.
varies() { [[ $1 =~ /(threads|several_devices|streams_events)$ ]]; }

run_program() { # PROGRAM MODE
	VGPU_NATIVE=$2 VGPU_TRACE=$dir/$2.trace setarch -R timeout "$limit" "$1" >"$dir/$2.out" 2>&1 </dev/null
	echo "exit status $?" >>"$dir/$2.out"
}

both_ways() { # PROGRAM
	local name=${1#build/cuda/} mode
	run_program "$1" off
	for mode in always auto; do
		run_program "$1" $mode
		if ! cmp -s "$dir/off.out" "$dir/$mode.out"; then
			ok "$name, $mode" 1 "the output differs: $(diff "$dir/off.out" "$dir/$mode.out" | sed -n 2p)"
		elif varies "$1"; then
			ok "$name, $mode (its trace varies)" 0
		else
			cmp -s -i 48 "$dir/off.trace" "$dir/$mode.trace"
			ok "$name, $mode" $? "the traces differ: $(cmp -i 48 "$dir/off.trace" "$dir/$mode.trace" 2>&1 | head -n 1)"
		fi
	done
}

if [ $# -gt 0 ]; then
	programs=("$@")
else
	mapfile -t programs < <(find build/cuda -type f -executable ! -name '*.*' | LC_ALL=C sort)
fi
[ ${#programs[@]} -gt 0 ] || { echo "1..0 # no program is built: make cuda-programs"; exit 4; }
for program in "${programs[@]}"; do
	both_ways "$program"
done
if [ -x build/random-cuda ] && [ $# -eq 0 ]; then
	VGPU_NATIVE=always tests/cuda/random/run.sh --seed 31 --count 60 | sed 's/^/# /'
	ok "sixty random kernels, always" $? "wrong values"
fi
echo "1..$count"
exit $failed
