#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CUDA programs without races compute the same under each coherence protocol: whole programs, with blocks that leave their SM and come back
# or begin again, with pages that come late or when they are touched, with managed memory that moves; and random kernels, byte for byte.
#
# usage: test_coherence.sh [--all]    --all: every program under every protocol in every way; without, each with some
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
limit=${CUDA_TEST_TIMEOUT:-300}
all=
[ "${1:-}" != --all ] || all=1
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

[ -x build/cuda/features/shared_lines ] || { echo "1..0 # programs are not built: make cuda-programs"; exit 4; }

protocols=(rcc,sc_core=1 rcc,coherence_lease=3,rcc_bits=13 rcc-wo mesi,sc_core=1 mesi gpu-vi tcs,sc_core=1 tcs tcw tcw,sc_core=1 sc-ideal,sc_core=1)
ways=(sms=4 sms=3,block_swap_ps=300000 sms=3,block_swap_ps=300000,block_swap_flush=1,l1_bytes=4096,l2_bytes=65536
	allocation=lazy,block_switching=1,sms=2,blocks_per_sm=4,fault_handler=gpu,fault_scheme=operand-log
	sms=2,page_arrival_ps=2000000,block_swap_ps=700000,preemption=switch,policy=dss)
programs=(features/shared_lines features/atomics_all features/barriers_fences features/ordered_atomics features/shared_barriers
	features/system_atomics features/managed_memory scan reduce bfs)

which=0
for protocol in "${protocols[@]}"; do
	for way in "${ways[@]}"; do
		for program in "${programs[@]}"; do
			which=$((which + 1))
			# shared_lines each time; of the others every seventh
			[ "$all" ] || [ "$program" = features/shared_lines ] || [ $((which % 7)) -eq 0 ] || continue
			VGPU_SET=timing=pipeline,coherence=$protocol,$way timeout "$limit" build/cuda/$program >"$dir/said" 2>&1 </dev/null
			status=$?
			[ $status -eq 0 ] && grep -qx "${program##*/}: verified" "$dir/said"
			ok "$protocol, $way: ${program##*/}" $? "status $status: $(tail -n 3 "$dir/said")"
		done
	done
done

# Random kernels give the bytes that they have to, and so the same under all protocols, on either kind of core.
build/random-cuda --seed 7 --first 0 --count 30 --write "$dir/k.cu" && tools/vgpucc -O3 --fmad=false -w "$dir/k.cu" -o "$dir/k" >"$dir/said" 2>&1
ok "30 random kernels are compiled" $? "$(head -n 5 "$dir/said")"
for protocol in "${protocols[@]}" gpu gpu,sc_core=1 rcc rcc-wo,sc_core=1 gpu-vi,sc_core=1 sc-ideal; do
	VGPU_SET=timing=pipeline,coherence=$protocol,sms=2,block_swap_ps=500000,page_arrival_ps=300000,l2_bytes=65536 \
		timeout "$limit" "$dir/k" "$dir/out" >"$dir/said" 2>&1 && build/random-cuda --seed 7 --first 0 --count 30 --check "$dir/out" >>"$dir/said"
	ok "$protocol: random kernels" $? "$(tail -n 3 "$dir/said")"
done

# Nothing of another context is seen, in no cache and no frame that comes again.
for protocol in rcc,sc_core=1 tcw mesi; do
	VGPU_SET=timing=pipeline,coherence=$protocol,sms=2 timeout "$limit" build/cuda/features/secrets_beside >"$dir/said" 2>&1
	ok "$protocol: secrets_beside" $? "$(tail -n 3 "$dir/said")"
done
echo "1..$count"
exit $failed
