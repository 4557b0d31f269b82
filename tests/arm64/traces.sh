#!/bin/bash
# SPDX-License-Identifier: MIT
#
# traces.sh: what was compiled for arm64 leaves the same records as what was compiled for this machine, in every byte: vgpu-sim
# of job files under all policies and mechanisms, and CUDA programs in the process. There all but the process id is compared, which
# the first 48 bytes have.
#
# usage: traces.sh [--build FOLDER] [PROGRAM]...   EMULATOR executes those for arm64; --build: for this machine [build]
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
build=build
[ "${1:-}" != --build ] || { build=$2; shift 2; }
foreign=build/arm64
: "${EMULATOR:=qemu-aarch64 -L $PWD/build/sysroot/arm64}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS [WHY]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: ${3:-}"; failed=1; fi
}

# The same records, and more than those of a device that is opened
same() { # NAME BYTES-TO-SKIP
	local status=0 bytes
	bytes=$(stat -c %s "$dir/here.trace" 2>/dev/null || echo 0)
	[ "$bytes" -gt 1000 ] && cmp -i "$2" "$dir/here.trace" "$dir/there.trace" >"$dir/why" 2>&1 || status=1
	ok "$1" $status "$bytes bytes of records; $(sed "s,$dir/,,g" "$dir/why")"
}

sim() { # JOBS POLICY MECHANISM
	local options=(--gpu k20c --policy "$2" --preempt "$3" --until 30000 --json) status=0
	rm -f "$dir"/*.trace "$dir"/*.out
	"$build/tools/vgpu-sim" "${options[@]}" --records "$dir/here.trace" "$1" >"$dir/here.out" 2>&1 || status=$?
	$EMULATOR "$foreign/tools/vgpu-sim" "${options[@]}" --records "$dir/there.trace" "$1" >"$dir/there.out" 2>&1
	if [ $? -ne $status ] || ! cmp -s "$dir/here.out" "$dir/there.out"; then
		ok "vgpu-sim ${1##*/} $2 $3" 1 "the output differs: $(diff "$dir/here.out" "$dir/there.out" | head -n 3 | tr '\n' ' ')"
	else
		same "vgpu-sim ${1##*/} $2 $3" 0
	fi
}

cuda() { # PROGRAM SET
	rm -f "$dir"/*.trace
	VGPU_TRANSPORT=embedded VGPU_THREADS=1 VGPU_PRESET=k20c VGPU_SET=$2 VGPU_TRACE=$dir/here.trace \
		timeout 600 "$build/cuda/$1" >"$dir/here.out" 2>&1 </dev/null || { ok "$1 $2" 1 "on this machine: $(tail -n 1 "$dir/here.out")"; return; }
	VGPU_TRANSPORT=embedded VGPU_THREADS=1 VGPU_PRESET=k20c VGPU_SET=$2 VGPU_TRACE=$dir/there.trace \
		timeout 1800 $EMULATOR "$foreign/cuda/$1" >"$dir/there.out" 2>&1 </dev/null || { ok "$1 $2" 1 "$(tail -n 1 "$dir/there.out")"; return; }
	same "$1 $2" 48
}

for jobs in tests/baseline/jobs/*.ini; do
	for policy in fcfs npq ppq-exclusive ppq-shared dss smk round-robin; do
		for mechanism in switch drain flush chimera; do
			sim "$jobs" "$policy" "$mechanism"
		done
	done
done
[ $# -gt 0 ] || set -- saxpy reduce bfs scan sgemm nbody spmv stencil histogram features/math_f32 features/math_f64 features/atomics_all \
	features/warp_intrinsics features/divergence features/half_types features/integer_ops
for program; do
	for set in timing=interval timing=pipeline; do cuda "$program" "$set"; done
done
echo "1..$count"
exit $failed
