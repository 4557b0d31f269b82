#!/bin/bash
# SPDX-License-Identifier: MIT
#
# nvcc.sh: build the CUDA programs with an installed nvcc and run them, as they are, on our libraries.
#
# usage: nvcc.sh [--build DIR] [--keep DIR] [NAME...]
#
# Every program of tests/cuda is built by `nvcc -cudart shared -arch=sm_75', and a few in other ways:
# PTX for newer architectures, separate compilation, compressed code, code for several
# architectures. They run with LD_LIBRARY_PATH at our build folder and the device inside the process.
# Prints a table and TAP. Without nvcc it is skipped (exit 4). NAME: only these programs. --keep: the
# programs stay in DIR, and those that are there are not built again.
#
# Some programs do not compile with nvcc, or mean something else there: see refused_by_nvcc().
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

build=build keep=
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$2; shift 2 ;;
	--keep) keep=$2; shift 2 ;;
	-h | --help) sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
	-*) echo "nvcc.sh: no option $1 (--help names them)" >&2; exit 2 ;;
	*) break ;;
	esac
done
command -v nvcc >/dev/null || { echo "1..0 # SKIP no nvcc here"; exit 4; }
[ -e "$build/libcudart.so.13" ] || { echo "nvcc.sh: no $build/libcudart.so.13: run make first" >&2; exit 2; }

folder=${keep:-$(mktemp -d)}
mkdir -p "$folder"
[ -n "$keep" ] || trap 'rm -rf "$folder"' EXIT
libraries=$(readlink -f "$build")
limit=${CUDA_TEST_TIMEOUT:-300}

# What is in these programs nvcc 13 does not take, or does otherwise.
refused_by_nvcc() { # NAME
	case $1 in
	copies_between_spaces) echo "__builtin_memmove in device code is clang's" ;;
	device_properties) echo "members of cudaDeviceProp that CUDA 13 dropped" ;;
	large_tiles) echo "tiles of more than a warp that reduce 24 bytes, or are a thread_group, are ours" ;;
	group_calls) echo "coalesced_group::shfl_xor is ours" ;;
	half_types) echo "names of half arithmetic that nvcc has under others" ;;
	managed_variables) echo "a managed variable that is a member of a class is ours" ;;
	ordered_atomics) echo "atomic loads of const variables are ours" ;;
	host_math) echo "norm() and the like in host code are ours" ;;
	matrix_products) echo "cp.async and mma.m16n8k16 in its PTX need sm_80" ;;
	shared_barriers) echo "mbarrier.expect_tx in its PTX needs sm_90" ;;
	memory_advice) echo "cudaMemPrefetchAsync_v2, which CUDA 13 has under another name" ;;
	device_heap) echo "nvcc runs the constructor of an object that has no memory" ;;
	esac
}

count=0 passed=0 failed=0 skipped=0
row() { # RESULT NAME HOW [REASON]
	count=$((count + 1))
	case $1 in
	ok) passed=$((passed + 1)); echo "ok $count - $2 $3" ;;
	skip) skipped=$((skipped + 1)); echo "ok $count - $2 $3 # SKIP $4" ;;
	*) failed=$((failed + 1)); echo "not ok $count - $2 $3: $4" ;;
	esac
	printf '%-26s %-34s %-8s %s\n' "$2" "$3" "$1" "${4:-}" >>"$folder/table"
}

try() { # SOURCE HOW OPTION...
	local source=$1 how=$2 name program status=0 reason
	shift 2
	name=$(basename "$source" .cu)
	program=$folder/$(tr -c 'a-z0-9\n' _ <<<"$how")/$name
	mkdir -p "$(dirname "$program")"
	reason=$(refused_by_nvcc "$name")
	if [ -n "$reason" ]; then
		row skip "$name" "$how" "$reason"
		return
	fi
	[ "$name" != thread_default_streams ] || set -- "$@" --default-stream per-thread
	case $name in driver_contexts | compute_capability) set -- "$@" -lcuda ;; esac
	if [ ! -x "$program" ] && ! nice nvcc -cudart shared "$@" -Itests/cuda -include tests/cuda/nvcc13.h "$source" -o "$program" >"$program.log" 2>&1; then
		row FAILED "$name" "$how" "nvcc: $(grep -m 1 error "$program.log")"
		return
	fi
	LD_LIBRARY_PATH=$libraries VGPU_TRANSPORT=embedded VGPU_STRICT_CAPABILITY=0 timeout -k 5 "$limit" \
		"$program" >"$program.log" 2>&1 </dev/null || status=$?
	if [ "$status" -eq 0 ] && grep -qxF "$name: verified" "$program.log"; then
		row ok "$name" "$how"
	else
		row FAILED "$name" "$how" "exit $status: $(tail -n 1 "$program.log")"
	fi
}

wanted() { # NAME: whether it is among those that were asked for
	[ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" $1 "* ]]
}

names=("$@")
: >"$folder/table"
for source in tests/cuda/*.cu tests/cuda/features/*.cu; do
	wanted "$(basename "$source" .cu)" || continue
	try "$source" -arch=sm_75 -arch=sm_75
done
for name in saxpy reduce scan histogram sgemm features/managed_memory features/warp_intrinsics features/math_f32 \
	features/device_malloc features/streams_events; do
	wanted "$(basename "$name")" || continue
	try "tests/cuda/$name.cu" -arch=compute_75 -arch=compute_75
	try "tests/cuda/$name.cu" -arch=compute_80 -arch=compute_80
	try "tests/cuda/$name.cu" -arch=compute_86 -arch=compute_86
	try "tests/cuda/$name.cu" -arch=compute_90 -arch=compute_90
	try "tests/cuda/$name.cu" "-rdc=true -arch=sm_75" -rdc=true -arch=sm_75
	try "tests/cuda/$name.cu" "-rdc=true -arch=compute_80" -rdc=true -arch=compute_80
	try "tests/cuda/$name.cu" "compressed by LZ4" -arch=sm_75 -Xfatbin=-compress-all --compress-mode=speed
	try "tests/cuda/$name.cu" "compressed by zstd" -arch=sm_75 -Xfatbin=-compress-all --compress-mode=size
	try "tests/cuda/$name.cu" "SASS and PTX of 75, 80, 90" -gencode arch=compute_75,code=[sm_75,compute_75] \
		-gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=[sm_90,compute_90]
	try "tests/cuda/$name.cu" "-G -arch=sm_75" -G -arch=sm_75
done
echo "1..$count"
echo
nvcc --version | sed -n 's/^Cuda compilation tools, /# nvcc /p'
sed 's/^/# /' "$folder/table"
echo "# $passed passed, $failed failed, $skipped skipped"
mkdir -p out && cp "$folder/table" out/nvcc.table
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
