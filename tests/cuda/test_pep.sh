#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A CUDA program announces its launches where the device preempts by pep, and on the default preset they come in time: blocks of a long
# kernel that leave for a short one of another stream have a base checkpoint by then, and less is left to be saved. Without the lead
# (pep_lead_ps=0) all that they have written is.
#
# usage: test_pep.sh		build/cuda has the built programs
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded
program=build/cuda/features/beside_long_kernel
[ -x $program ] || { echo "1..0 # no program is built: make cuda-programs"; exit 4; }
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - pep: $1"; else echo "not ok $count - pep: $1: $3"; failed=1; fi
}

# Picoseconds that a block took to leave, mean, of those that were told to; nothing: none was.
leaves() { # SETTINGS
	VGPU_SET=policy=smk,kernels_per_sm=4,preemption=pep,pep_in_place=0$1 VGPU_TRACE=$dir/trace $program >"$dir/said" 2>&1
	ok "verified${1:+ with ${1#,}}" $? "$(tail -n 1 "$dir/said")"
	build/tools/vgpu-trace stats "$dir/trace" | awk '/told to leave to saved/ { print int($5 * ($6 == "us" ? 1000000 : 1000)) }' >"$dir/mean"
}

leaves ''
with=$(cat "$dir/mean")
leaves ,pep_lead_ps=0
without=$(cat "$dir/mean")
[ "${with:-0}" -gt 0 ] && [ "${without:-0}" -gt 0 ]
ok "blocks leave for launches" $? "with the lead of the preset '$with' ps, without '$without'"
[ $((10 * ${with:-0})) -lt $((8 * ${without:-0})) ]
ok "a fifth less is saved, at least, than without a lead" $? "$with ps, and $without without"
echo "1..$count"
exit $failed
