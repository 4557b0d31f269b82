#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Lanes that wait for other lanes of their warp, as clang makes them at each level: it threads jumps, so that who has a lock waits
# where others never come. With both timing models, preempted too; interpreted and by native code: the same output and trace.
#
# usage: test_progress.sh
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

for level in 0 1 2 3; do
	program=$dir/lane_progress
	tools/vgpucc -O$level tests/cuda/features/lane_progress.cu -o "$program" || exit 1
	for set in timing=interval timing=interval,slice_ps=1000000,policy=dss,preemption=switch,sms=3 timing=pipeline \
		timing=pipeline,block_swap_ps=300000,fault_scheme=operand-log; do
		for mode in off always; do
			VGPU_SET=$set VGPU_NATIVE=$mode VGPU_TRACE=$dir/$mode.trace timeout "$limit" "$program" >"$dir/said" 2>&1 </dev/null
			ok "-O$level, $set, native code $mode" $? "$(tail -n 1 "$dir/said")"
		done
		cmp -s -i 48 "$dir/off.trace" "$dir/always.trace"
		ok "-O$level, $set: the same trace" $? "$(cmp -i 48 "$dir/off.trace" "$dir/always.trace" 2>&1 | head -n 1)"
	done
done
echo "1..$count"
exit $failed
