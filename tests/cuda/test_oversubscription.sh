#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A kernel whose blocks wait for each other ends, right, with half of the memory that it uses, under each remedy for that and with both
# timing models: SMs that are throttled go on when nothing faults any more. Those that run were throttled, or evicted ahead of time.
#
# usage: test_oversubscription.sh
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_PRESET=etc
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

cat >"$dir/barrier.cu" <<'EOF'
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <vgpu_runtime.h>

#define BLOCKS 30
#define WORDS (2u << 20)
#define ROUNDS 3

/* Each block goes over its part of the memory, and waits for all others, in turn. */
static __global__ void rounds(int *memory, unsigned *count)
{
	unsigned part = WORDS / BLOCKS;

	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned i = threadIdx.x; i < part; i += blockDim.x)
			memory[blockIdx.x * part + i]++;
		__syncthreads();
		if (!threadIdx.x) {
			__threadfence();
			atomicAdd(count, 1);
			while (*(volatile unsigned *)count < gridDim.x * (r + 1))
				;
		}
		__syncthreads();
	}
}

int main(void)
{
	struct vgpu_context_info info;
	unsigned *count, wrong = 0;
	cudaError_t error;
	int *memory;

	cudaMallocManaged(&memory, WORDS * sizeof(*memory));
	cudaMallocManaged(&count, sizeof(*count));
	memset(memory, 0, WORDS * sizeof(*memory));
	*count = 0;
	rounds<<<BLOCKS, 128>>>(memory, count);
	error = cudaDeviceSynchronize();
	vgpuContextInfo(&info);
	for (unsigned i = 0; i < WORDS / BLOCKS * BLOCKS; i++)
		wrong += memory[i] != ROUNDS;
	printf("%s, %u wrong, throttled %s, ahead %s\n", cudaGetErrorString(error), wrong,
	       info.account.throttles ? "yes" : "no", info.account.pages_evicted_ahead ? "yes" : "no");
	return 0;
}
EOF
tools/vgpucc -O2 -Iruntime "$dir/barrier.cu" -o "$dir/barrier" || { echo "1..0 # it does not compile"; exit 1; }

# A kernel that runs for two virtual seconds has not ended: with enough memory it takes a millisecond.
ends() { # SETTINGS THROTTLED AHEAD
	local said
	for timing in interval pipeline; do
		said=$(VGPU_SET=vram_bytes=4194304,watchdog_ps=2000000000000,timing=$timing,$1 "$dir/barrier" 2>&1 | tail -n 1)
		[ "$said" = "no error, 0 wrong, throttled $2, ahead $3" ]
		ok "$1, $timing" $? "$said"
	done
}

ends oversubscription=none no no
ends oversubscription=simple-throttle no no
ends throttling=1 yes no
ends proactive_eviction=1 no yes
ends oversubscription=etc no yes
ends throttling=1,proactive_eviction=1 yes yes
echo "1..$count"
exit $failed
