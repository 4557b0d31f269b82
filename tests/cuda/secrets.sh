#!/bin/bash
# SPDX-License-Identifier: MIT
#
# secrets.sh: a hostile CUDA program beside one that has secrets, on one SM that both share, under each policy that has blocks
# leave it (docs/sharing.md): it finds nothing in registers, shared and local memory, caches and TLBs, and changes nothing.
#
# usage: secrets.sh FOLDER [TIMING...]      FOLDER holds the built programs; timings [interval pipeline]
# With VGPU_TRANSPORT=embedded both are kernels of one process; else processes on a device that is made for it: root, in the guest.
set -uo pipefail
folder=${1:?usage: secrets.sh FOLDER [TIMING...]}/features
shift
[ $# -gt 0 ] || set -- interval pipeline
policies='smk smk-p smk-pw'
count=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

ok() { # NAME STATUS [FILE...]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - secrets: $1"; return; fi
	echo "not ok $count - secrets: $1"; failed=1
	shift 2
	[ $# -eq 0 ] || tail -n 5 "$@" | sed 's/^/# /'
}

# Each beside the other from its first launch to its last.
side_by_side() { # NAME LAUNCHES
	local kept rounds=0 status=0 before after
	before=$(cat "$knobs/preemptions")
	setarch -R "$folder/secrets_kept" "$2" >"$dir/kept" 2>&1 &
	kept=$!
	while kill -0 $kept 2>/dev/null || [ $rounds -eq 0 ]; do
		setarch -R "$folder/secrets_sought" 4 >"$dir/sought" 2>&1 || { status=1; break; }
		rounds=$((rounds + 1))
	done
	ok "$1: nothing is found in $rounds rounds" $status "$dir/sought"
	wait $kept
	ok "$1: nothing is changed" $? "$dir/kept"
	grep -h 'memory at' "$dir/kept" "$dir/sought" | sort | uniq -d | grep -q .
	ok "$1: both are at the same addresses" $? "$dir/kept" "$dir/sought"
	after=$(cat "$knobs/preemptions")
	[ "$after" -gt "$before" ]
	ok "$1: $((after - before)) blocks left for others" $?
}

# Kernels of one process, in the process.
if [ "${VGPU_TRANSPORT:-}" = embedded ]; then
	export VGPU_PRESET=gtx980
	for timing; do
		for policy in $policies; do
			VGPU_SET=timing=$timing,policy=$policy,kernels_per_sm=3,sms=1,active_kernels=16 "$folder/secrets_beside" >"$dir/both" 2>&1
			ok "$timing, $policy: nothing is found or changed in one process" $? "$dir/both"
		done
	done
	echo "1..$count"
	exit $failed
fi

for timing; do
	made=/sys/kernel/config/vgpu/secrets
	mkdir "$made" && echo gtx980 >"$made/preset" && echo 1 >"$made/sms" && echo 16 >"$made/active_kernels" &&
		echo 67108864 >"$made/vram_bytes" && echo "$timing" >"$made/timing" && echo 1 >"$made/live" && name=$(cat "$made/dev_name")
	ok "a device with timing=$timing" $?
	export VGPU_DEVICE=${name#vgpu}
	knobs=/sys/class/vgpu/$name
	for policy in $policies; do
		echo 3 >"$knobs/kernels_per_sm" && echo "$policy" >"$knobs/policy"
		ok "$policy is selected" $?
		side_by_side "$timing, $policy" $([ "$timing" = pipeline ] && echo 2 || echo 20)
	done
	rmdir "$made"
	ok "and taken away" $?
done
echo "1..$count"
exit $failed
