#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CUDA programs with native code from their first instruction on, the same for AVX2 and SSE2, with native code for what is hot, and
# interpreted: the same output, and the same trace of the device in every byte but the process id that stands in its first record.
# And kernels at random both ways; and programs on a processor that has no more than SSE2, by QEMU where that is there.
#
# usage: test_native.sh [PROGRAM]...	built CUDA programs; without: all that are built
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# one thread: of programs with races bytes could differ on several
export VGPU_TRANSPORT=embedded VGPU_THREADS=1
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

run_program() { # PROGRAM MODE
	local native=$2 vectors=''
	case $2 in avx2 | sse2) native=always vectors=$2 ;; esac
	VGPU_NATIVE=$native VGPU_VECTORS=$vectors VGPU_TRACE=$dir/$2.trace setarch -R timeout "$limit" "$1" >"$dir/raw" 2>&1 </dev/null
	local status=$?
	# Where memory of the host lies depends on what else the process has loaded, the compiler too. A process
	# has another number each time; which rank of NCCL says that it waits is a matter of the host's scheduler.
	sed -e '/ took [0-9.]* s$/d' -e 's/0x7f[0-9a-f]\{10\}/HOST/g' -e 's/process [0-9]\+/process PID/' -e 's/ rank [0-9]\+ waits/ a rank waits/' "$dir/raw" >"$dir/$2.out"
	echo "exit status $status" >>"$dir/$2.out"
}

# Does the interpreter alone leave another trace each time? What host threads (functions of streams have one) and the host's memory do may be seen in it; threads
# may be quick enough three times and not the fourth. Children write the same file as their parent.
varies() { # PROGRAM
	local first=$dir/first.trace again
	! grep -q 'std::thread\|pthread_create\|fork()\|LaunchHostFunc\|StreamAddCallback' "tests/cuda/${1#build/cuda/}.cu" 2>/dev/null || return 0
	cp "$dir/off.trace" "$first"
	for again in 1 2 3; do
		run_program "$1" off
		cmp -s -i 48 "$first" "$dir/off.trace" || return 0
	done
	return 1
}

both_ways() { # PROGRAM
	local name=${1#build/cuda/} mode
	run_program "$1" off
	for mode in always avx2 sse2 auto; do
		run_program "$1" $mode
		if ! cmp -s "$dir/off.out" "$dir/$mode.out"; then
			ok "$name, $mode" 1 "the output differs: $(diff "$dir/off.out" "$dir/$mode.out" | sed -n 2p)"
		elif cmp -s -i 48 "$dir/off.trace" "$dir/$mode.trace"; then
			ok "$name, $mode" 0
		elif varies "$1"; then
			ok "$name, $mode: the same output; its trace varies" 0
		else
			ok "$name, $mode" 1 "the traces differ: $(cmp -i 48 "$dir/off.trace" "$dir/$mode.trace" 2>&1 | head -n 1)"
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
# What such a processor does not have is an illegal instruction, in the code and in what it calls.
for program in build/cuda/sgemm build/cuda/scan; do
	[ $# -eq 0 ] || break
	name="${program#build/cuda/}, a processor with SSE2 alone"
	if ! command -v qemu-x86_64 >/dev/null; then
		ok "$name # SKIP no qemu-x86_64: tools/setup unit" 0
		continue
	fi
	run_program "$program" off
	VGPU_NATIVE=always VGPU_TRACE=$dir/old.trace timeout "$limit" qemu-x86_64 -cpu Opteron_G1 "$program" >"$dir/old.raw" 2>&1 </dev/null
	ok "$name" $? "$(tail -n 1 "$dir/old.raw")"
	cmp -s -i 48 "$dir/off.trace" "$dir/old.trace"
	ok "$name: the same trace" $? "$(cmp -i 48 "$dir/off.trace" "$dir/old.trace" 2>&1 | head -n 1)"
done
if [ -x build/random-cuda ] && [ $# -eq 0 ]; then
	for vectors in '' avx2 sse2; do
		VGPU_NATIVE=always VGPU_VECTORS=$vectors tests/cuda/random/run.sh --seed 31 --count 60 | sed 's/^/# /'
		ok "sixty random kernels, always${vectors:+, $vectors}" $? "wrong values"
	done
fi
echo "1..$count"
exit $failed
