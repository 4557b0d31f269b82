#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The litmus tests of this folder as a CUDA program, under each protocol, on cores with one access a warp in flight (sc) and without,
# as they are, with blocks that leave their SM and come back, with pages that come late, with small caches, and with lines that leave L2
# between a load and what others write there. What PTX's axioms forbid must not be seen, nor what sequential consistency forbids where a protocol has it.
#
# usage: tests/litmus/run.sh [--quick] [--runs N] [PROGRAM]    PROGRAM: build/litmus-all; the table in OUT (out/litmus)/table.md
set -u
cd "$(dirname "$0")/../.." || exit
runs=200 quick= out=${OUT:-out/litmus}
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=1 runs=24; shift ;;
	--runs) runs=${2:?--runs N}; shift 2 ;;
	-*) echo "usage: $0 [--quick] [--runs N] [PROGRAM]" >&2; exit 2 ;;
	*) break ;;
	esac
done
program=${1:-build/litmus-all}
base=sms=4,block_placement=breadth,timing=pipeline
export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
# a lease that does not end during a test, and one that does
protocols=(gpu tcw,coherence_lease=20000 tcw gpu-vi mesi tcs rcc rcc,coherence_lease=3 rcc-wo sc-ideal)
# name, fields, arguments of the program
ways=("plain::" "swaps:,block_swap_ps=3000000:" "pages:,allocation=lazy,page_arrival_ps=2000000:-f"
	"small:,l1_bytes=2048,l2_bytes=32768,block_swap_ps=9000000,page_arrival_ps=1000000:-f"
	"evicts:,l2_partitions=1,l2_ways=4,l2_bytes=8192:-e 4")
if [ "$quick" ]; then
	protocols=(gpu tcw,coherence_lease=20000 mesi rcc rcc,coherence_lease=3)
	ways=("plain::" "small:,l1_bytes=2048,l2_bytes=32768,block_swap_ps=3000000,page_arrival_ps=1000000:-f")
fi
mkdir -p "$out" && rm -f "$out"/*.seen
failed=0
for protocol in "${protocols[@]}"; do
	for core in 0 1; do
		# cores without it are no matter of the quick form, but for those protocols that are weak by themselves
		weak=0
		case $protocol in gpu | tcw* | rcc-wo) weak=1 ;; esac
		[ "$quick" ] && [ $core -eq $weak ] && continue
		for way in "${ways[@]}"; do
			IFS=: read -r name fields arguments <<<"$way"
			strict=
			[ $core -eq 1 ] && [ $weak -eq 0 ] && strict=-s
			file=$out/${protocol%%,*}.$core.seen
			# shellcheck disable=SC2086
			VGPU_SET=$base,coherence=$protocol,sc_core=$core$fields "$program" -n "$runs" $arguments $strict >"$out/one" 2>"$out/said"
			status=$?
			cat "$out/one" >>"$file"
			if [ $status -ne 0 ] || [ -s "$out/said" ]; then
				echo "coherence=$protocol,sc_core=$core, $name: status $status"
				grep FORBIDDEN "$out/one"
				cat "$out/said"
				failed=1
			fi
		done
	done
done
tests/litmus/table.sh "$out" >"$out/table.md" || failed=1
exit $failed
