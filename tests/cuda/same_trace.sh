#!/bin/bash
# SPDX-License-Identifier: MIT
#
# same_trace.sh: one device model, two builds: a CUDA program leaves the same records on a device of the kernel as on one in its
# own process, in every byte but its process id, with either timing model. On the kernel's device the clock is lockstep: there,
# too, virtual time stands while the program computes.
#
# usage: same_trace.sh FOLDER [PROGRAM]...        FOLDER holds the built programs; root, in the guest
set -uo pipefail
folder=${1:?usage: same_trace.sh FOLDER [PROGRAM]...}
shift
[ $# -gt 0 ] || set -- saxpy reduce bfs scan
made=/sys/kernel/config/vgpu/same-trace
dir=$(mktemp -d)
count=0 failed=0
trap 'rm -rf "$dir"; [ ! -d "$made" ] || rmdir "$made"' EXIT

ok() { # NAME STATUS [WHY]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - same trace: $1"; else echo "not ok $count - same trace: $1: ${3:-}"; failed=1; fi
}

# The device that is made last has the highest number.
newest() { find /sys/class/vgpu -name 'vgpu[0-9]*' -printf '%f\n' | sed 's/vgpu//' | sort -n | tail -n 1; }

# KEY=VALUE,...: a device with these, and the clock lockstep
make_device() {
	local field
	mkdir "$made" && echo k20c >"$made/preset" && echo 268435456 >"$made/vram_bytes" || return
	for field in ${1//,/ }; do echo "${field#*=}" >"$made/${field%%=*}" || return; done
	echo 1 >"$made/live" && device=$(newest) && echo lockstep >"/sys/class/vgpu/vgpu$device/clock"
}

compare() { # PROGRAM SET
	local name="$1, $2" debug=/sys/kernel/debug/vgpu/$device embedded kernel
	echo 1 >"$debug/trace_on"
	VGPU_TRANSPORT=ioctl VGPU_DEVICE=$device "$folder/$1" >"$dir/kernel.out" 2>&1 || echo "status $?" >>"$dir/kernel.out"
	echo 0 >"$debug/trace_on"
	cat "$debug/trace" >"$dir/kernel.trace"
	VGPU_TRANSPORT=embedded VGPU_THREADS=1 VGPU_PRESET=k20c VGPU_SET="$2,vram_bytes=268435456" VGPU_TRACE=$dir/embedded.trace \
		"$folder/$1" >"$dir/embedded.out" 2>&1 || echo "status $?" >>"$dir/embedded.out"
	if ! cmp -s "$dir/kernel.out" "$dir/embedded.out"; then
		ok "$name" 1 "the output differs"
		diff "$dir/kernel.out" "$dir/embedded.out" | sed 's/^/# /' | head -n 10
		return
	fi
	kernel=$(stat -c %s "$dir/kernel.trace") embedded=$(stat -c %s "$dir/embedded.trace")
	[ "$kernel" -gt 1000 ] && cmp -s -i 48 "$dir/kernel.trace" "$dir/embedded.trace"
	ok "$name" $? "$kernel bytes of records and $embedded, $(cmp -i 48 "$dir/kernel.trace" "$dir/embedded.trace" 2>&1 | sed "s,$dir/,,g")"
}

# A device for each: numbers of contexts and kernels begin at 1.
for set in timing=interval timing=pipeline timing=pipeline,warp_scheduler=gto,fault_scheme=operand-log,sms=4; do
	for program; do
		if make_device "$set"; then compare "$program" "$set"; else ok "$program, $set" 1 "no such device could be made"; fi
		rmdir "$made"
	done
done
echo "1..$count"
exit $failed
