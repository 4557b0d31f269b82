#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CUDA programs on one thread, on several and on as many as there are processors: the same output, and the same trace of the device in every byte but the process id
# that stands in its first record. With timing=pipeline all of them; with interval those whose results do not depend on races.
#
# usage: test_threads.sh [PROGRAM]...	built CUDA programs; without: some that differ in what they do
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded LD_LIBRARY_PATH=$PWD/build
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

run_program() { # PROGRAM THREADS SETTINGS
	VGPU_THREADS=${2#auto} VGPU_PRESET=${3%%,*} VGPU_SET=${3#*,} VGPU_TRACE=$dir/$2.trace setarch -R timeout "$limit" "$1" >"$dir/raw" 2>&1 </dev/null
	local status=$?
	# Where memory of the host lies depends on the stacks of the threads, too.
	sed -e '/ took [0-9.]* s$/d' -e 's/0x7f[0-9a-f]\{10\}/HOST/g' "$dir/raw" >"$dir/$2.out"
	echo "exit status $status" >>"$dir/$2.out"
}

compare() { # PROGRAM SETTINGS [THREADS]; `auto': it is not set
	local name="${1#build/cuda/}${2:+ ${2#,}}" threads settings=tanasic-ch6,timing=pipeline$2
	case $2 in interval*) settings=k20c,timing=$2 ;; esac
	run_program "$1" 1 "$settings"
	for threads in ${3:-2 4}; do
		run_program "$1" $threads "$settings"
		if ! cmp -s "$dir/1.out" "$dir/$threads.out"; then
			ok "$name, $threads threads" 1 "the output differs: $(diff "$dir/1.out" "$dir/$threads.out" | sed -n 2p)"
		else
			cmp -s -i 48 "$dir/1.trace" "$dir/$threads.trace"
			ok "$name, $threads threads" $? "the traces differ: $(cmp -i 48 "$dir/1.trace" "$dir/$threads.trace" 2>&1 | head -n 1)"
		fi
	done
}

if [ $# -gt 0 ]; then
	programs=("$@")
else
	programs=(build/cuda/{bfs,histogram,reduce,sgemm,saxpy} build/cuda/features/{barriers_fences,device_printf})
fi
for program in "${programs[@]}"; do
	[ -x "$program" ] || { echo "1..0 # $program is not built: make cuda-programs"; exit 4; }
	compare "$program" ''
done
if [ $# -eq 0 ]; then
	compare build/cuda/saxpy ,trace_pipeline=1
	compare build/cuda/reduce ,block_swap_ps=300000,fault_scheme=operand-log
	# kernels side by side, whose blocks leave and come as requests to memory
	compare build/cuda/features/secrets_beside ,policy=smk,kernels_per_sm=3,sms=4,active_kernels=16
	# not bfs: its threads race for who visits a node, which is right in any order
	for program in build/cuda/{histogram,reduce,scan,sgemm,nbody,spmv,mandelbrot} build/cuda/features/{atomics_all,device_printf}; do
		[ ! -x "$program" ] || compare "$program" interval,slice_ps=1000000,blocks_per_sm=2
	done
	# blocks that end within a slice, most of them at equal times
	for program in build/cuda/{saxpy,transpose,histogram,reduce,scan,spmv,stencil,mandelbrot}; do
		[ ! -x "$program" ] || compare "$program" interval
	done
	for program in build/cuda/{saxpy,sgemm,stencil}; do
		[ ! -x "$program" ] || compare "$program" interval auto
	done
	compare build/cuda/sgemm '' auto
	compare build/cuda/sgemm interval,policy=dss,preemption=switch,sms=3
	compare build/cuda/histogram ,policy=dss,preemption=switch,sms=3
fi
VGPU_THREADS=0 build/cuda/saxpy >"$dir/said" 2>&1
[ $? -ne 0 ] && grep -q 'VGPU_THREADS=0: it must be a number from 1 to 64' "$dir/said"
ok "a number of threads that makes no sense" $? "$(head -n 1 "$dir/said")"

# threads of a program that is busy for a second: as many as processors, and one where it may use one
cat >"$dir/busy.cu" <<'END'
#include <cstdio>
#include <dirent.h>
#include <cuda_runtime.h>
__global__ void busy(float *x)
{
	float v = threadIdx.x;

	for (int i = 0; i < 2000; i++)
		v = v * 0.999f + 1;
	x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void small(float *x) { x[threadIdx.x] = 1; }
static int threads()
{
	DIR *tasks = opendir("/proc/self/task");
	int count = -2;

	while (readdir(tasks))
		count++;
	closedir(tasks);
	return count;
}
int main(int argc, char **)
{
	float *x;
	int before;

	cudaMalloc(&x, 4 << 20);
	for (int i = 0; i < 20; i++)
		small<<<1, 32>>>(x);
	cudaDeviceSynchronize();
	before = threads();
	for (int i = 0; i < 20; i++) {
		busy<<<4096, 256>>>(x);
		cudaDeviceSynchronize();
	}
	printf("%d then %d\n", before, threads());
}
END
if tools/vgpucc -O2 "$dir/busy.cu" -o "$dir/busy" 2>"$dir/said"; then
	processors=$(nproc)
	[ "$processors" -le 64 ] || processors=64
	said=$(VGPU_THREADS='' "$dir/busy")
	# a quota of the test's own group would allow fewer
	grep -qs '^[0-9]' /sys/fs/cgroup/cpu.max || [ "$said" = "1 then $processors" ]
	ok "as many threads as $processors processors, for large launches" $? "$said"
	said=$(VGPU_THREADS='' taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$dir/busy")
	[ "$said" = "1 then 1" ]
	ok "one on one processor" $? "$said"
	said=$(VGPU_THREADS=1 "$dir/busy")
	[ "$said" = "1 then 1" ]
	ok "one where it is asked for" $? "$said"
else
	ok "a program is compiled" 1 "$(head -n 1 "$dir/said")"
fi
echo "1..$count"
exit $failed
