#!/bin/bash
# SPDX-License-Identifier: MIT
#
# helpers_ways.sh: threads of CUDA programs that wait for their kernels execute some of them (docs/threads.md), in whatever way
# they reach the device. As root, where vgpu.ko is loaded and nobody else uses the device. TAP on stdout.
# usage: tests/kselftest/helpers_ways.sh        in a guest: tools/vgpu-vm -- tests/kselftest/helpers_ways.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
[ -e /sys/kernel/debug/vgpu ] || mount -t debugfs none /sys/kernel/debug || exit 1
if [ "$(nproc)" -lt 2 ]; then
	echo "1..0 # SKIP one processor: nothing is handed out"
	exit 0
fi
said=$(mktemp)
trap 'rm -f "$said"' EXIT
failed=0 count=0
executed() { awk '/^helpers_executed / { print $2 }' /sys/kernel/debug/vgpu/workers; }

# By chance none may have come in time: again, a minute at most.
helps() { # TRANSPORT
	local before end=$((SECONDS + 60))
	before=$(executed)
	while [ "$(executed)" -lt $((before + 10)) ]; do
		[ $SECONDS -lt $end ] || { echo "no SM by a helper in a minute" >"$said"; return 1; }
		VGPU_TRANSPORT=$1 timeout 120 build/cuda/sgemm 128 >"$said" 2>&1 || return 1
	done
	echo "# $1: $(($(executed) - before)) SMs by helpers"
}

for transport in ioctl uring mapped; do
	count=$((count + 1))
	if helps $transport; then
		echo "ok $count - helpers: VGPU_TRANSPORT=$transport"
	else
		sed 's/^/# /' "$said"
		failed=1
		echo "not ok $count - helpers: VGPU_TRANSPORT=$transport"
	fi
done
echo "1..$count"
exit $failed
