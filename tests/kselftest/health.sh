#!/bin/bash
# SPDX-License-Identifier: MIT
#
# health.sh: CUDA programs that are hit by faults which root injects (docs/health.md): the error they get, what others beside
# them compute, the device afterwards; also while blocks leave SMs, by every mechanism. As root, where vgpu.ko is loaded.
# TAP on stdout.
# usage: tests/kselftest/health.sh        in a guest: tools/vgpu-vm --mem 2G -- tests/kselftest/health.sh
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
export VGPU_TRANSPORT=ioctl LD_LIBRARY_PATH=$PWD/build
smi=build/tools/vgpu-smi program=build/cuda/features/launch_for_ever
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - health: $1"; return; fi
	echo "not ok $count - health: $1"
	failed=1
	tail -n 5 "$dir"/* | sed 's/^/# /'
}
# Until COMMAND succeeds, a minute at most.
until_so() {
	local end=$((SECONDS + 60))
	until "$@"; do [ $SECONDS -lt $end ] && sleep 0.1 || return 1; done
}
# Does process PID compute by now?
computes() { $smi --query-compute-apps=pid,used_memory --format=csv,noheader | grep -q "^$1, [1-9]"; }

# A program that launches for ever is hit by WORDS: it gets ERROR, again and again; one beside it computes on.
hit() { # ERROR WORDS...
	local error=$1 pid beside status
	shift
	"$program" 1000000000 >"$dir/hit" 2>&1 &
	pid=$!
	"$program" 200 >"$dir/beside" 2>&1 &
	beside=$!
	until_so computes $pid && $smi inject -p $pid "$@" >"$dir/said" 2>&1 && until_so eval "! kill -0 $pid 2>/dev/null"
	status=$?
	kill $pid 2>/dev/null
	[ $status -eq 0 ] && grep -q "got $error, then $error," "$dir/hit"
	ok "inject $*: $error${mechanism:+, $mechanism}" $?
	wait $beside
	ok "inject $*: a program beside it computes on${mechanism:+, $mechanism}" $?
}

mechanism=''
hit cudaErrorIllegalAddress xid 31
hit cudaErrorLaunchFailure xid 13
hit cudaErrorLaunchTimeout hang
hit cudaErrorECCUncorrectable ecc uncorrected
# two processes take the SMs from each other all the time
for mechanism in drain switch flush; do
	$smi set policy=round-robin preemption=$mechanism time_slice_us=100 >"$dir/set" 2>&1
	hit cudaErrorLaunchTimeout hang
done
$smi set policy=fcfs >/dev/null

"$program" 1000000000 >"$dir/hit" 2>&1 &
until_so computes $! && $smi inject offline >"$dir/said" 2>&1 && until_so eval "! kill -0 $! 2>/dev/null"
grep -q 'got cudaErrorDevicesUnavailable, then cudaErrorDevicesUnavailable' "$dir/hit"
ok "inject offline: cudaErrorDevicesUnavailable" $?
"$program" >"$dir/hit" 2>&1
grep -q 'got cudaErrorDevicesUnavailable' "$dir/hit" && grep -q 'vgpu-smi inject recover' "$dir/hit"
ok "a program that begins then is told what to do" $?
$smi inject recover >"$dir/said" 2>&1 && "$program" >"$dir/hit" 2>&1
ok "inject recover: programs compute again" $?
echo "1..$count"
exit $failed
