#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels of the libraries are preempted like any: by a policy that takes whole SMs, and by one that takes blocks, which are saved and
# restored. Their results are the same bytes (the program compares them), and the device has been taken from them in fact.
#
# usage: test_beside.sh		build/cuda has the built programs
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded
program=build/cuda/libraries/cublas/beside
[ -x $program ] || { echo "1..0 # no program is built: make cuda-programs"; exit 4; }
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - libraries: $1"; else echo "not ok $count - libraries: $1: $3"; failed=1; fi
}

runs() { # SETTINGS PART: how often that part of a preemption is in the statistics
	VGPU_SET=$1 VGPU_TRACE=$dir/trace $program >"$dir/said" 2>&1
	ok "the same bytes with $1" $? "$(tail -n 1 "$dir/said")"
	build/tools/vgpu-trace stats "$dir/trace" >"$dir/stats"
	times=$(awk -v part="$2" 'index($0, part) { print $4; exit }' "$dir/stats")
	[ "${times:-0}" -gt 0 ]
	ok "$1: $2" $? "none in the statistics"
}

runs policy=ppq-exclusive,preemption=switch,sms=2 'request to hand-over'
runs policy=smk-pw,kernels_per_sm=4,preemption=switch,sms=1 'told to leave to saved'
runs policy=smk-pw,kernels_per_sm=4,preemption=switch,sms=1 'restoring'
echo "1..$count"
exit $failed
