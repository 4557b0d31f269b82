#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the use cases of Tanasic chapter 6: runs the programs of this folder under every configuration, draws figures 6.2 and 6.13
# to 6.15 with gnuplot, prints paper against ours.
# usage: tests/experiments/chapter6/run.sh [--quick] [--all-readings] [--pipeline] [PROGRAM...]    results in OUT (out/experiments/chapter6)
#   --quick         a few programs; PROGRAM: only these
#   --pipeline      with timing=pipeline: the baseline has fault_scheme=stall, all others operand-log
#   --all-readings  not only the one reading of what a fault occupies that docs/experiments.md takes for the source's
# TOGETHER=1: accesses that are independent fault together (chapter6.h). SET=KEY=VALUE,... changes the device of all runs. BIN: the build (build).
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/chapter6
out=${OUT:-out/experiments/chapter6}
bin=${BIN:-build}
programs="bfs cutcp histo lbm mri-gridding mri-q sad sgemm spmv stencil tpacf"
heap=$(for pattern in strings graph points phase mixed private; do printf "heap-%s-halloc heap-%s " $pattern $pattern; done)
readings=paths timing=interval
while [[ "${1:-}" = --* ]]; do
	case $1 in
		--quick) programs="histo sad spmv" heap="heap-points-halloc heap-points" ;;
		--all-readings) readings="paths latency round-trip" ;;
		--pipeline) timing=pipeline ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
for name in "$@"; do
	case " $programs $heap " in
		*" $name "*) ;;
		*) echo "run.sh: no program '$name'; there are: $programs $heap" >&2; exit 2 ;;
	esac
done
if [ $# -gt 0 ]; then programs=$* heap=; fi
mkdir -p "$out"
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE
export TIMING=$timing BIN=$bin SET=${SET:-} VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
LD_LIBRARY_PATH=$(readlink -f "$bin")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# PROGRAM LINK READING MODE: the device's settings
settings() {
	local us data rate
	case $2 in
		# 6.5.3: a fault without and with data; at the rate, 64 KB take the difference
		nvlink) us=10 data=12 rate=32768000000 ;;
		pcie) us=12 data=25 rate=5041230769 ;;
		none) us=0 data=0 rate=1000000000000000 ;;
	esac
	printf 'fault_round_trip_ps=%d,fault_data_round_trip_ps=%d,link_bandwidth=%d' $((us * 1000000)) $((data * 1000000)) $rate
	case $3 in
		# 6.5.4: 2 us of the host. The rest: the ways there and back, on which one fault follows another, or only latency
		paths) printf ',fault_cpu_ps=2000000,fault_occupies_link=1' ;;
		latency) printf ',fault_cpu_ps=2000000' ;;
		round-trip) printf ',fault_cpu_ps=%d' $((us * 1000000)) ;;
		none) printf ',fault_cpu_ps=0' ;;
	esac
	# 6.5.3: "normalized to the on-demand paging implementation with stall on fault approach"
	[ "$TIMING" = interval ] || printf ',timing=%s,fault_scheme=%s' "$TIMING" "$([ "$4" = stall ] && echo stall || echo operand-log)"
	case $4 in
		stall) printf ',sm_on_fault=stall' ;;
		switch) printf ',block_switching=1,extra_blocks=4' ;;
		ideal) printf ',block_switching=1,extra_blocks=4,ideal_switch=1' ;;
		gpu) printf ',fault_handler=gpu' ;;
	esac
	case $1 in
		heap-*) printf ',allocation=lazy' ;;
	esac
	printf '%s' "${SET:+,$SET}"
}

# PROGRAM LINK READING MODE: a line of runs.csv, or a message and 255, which ends xargs
measure() {
	local command output ns
	command=$BIN/experiments/chapter6/${1/heap-/heap }	# heap-points-halloc: heap with the argument points-halloc
	if ! output=$(VGPU_SET=$(settings "$@") $command 2>&1); then
		printf 'run.sh: %s failed: %s\n' "$*" "$output" >&2
		return 255
	fi
	ns=$(sed -n 's/^.*: kernel \([0-9]*\) ns$/\1/p' <<<"$output")
	printf '%s,%s,%s,%s,%s\n' "$@" "$ns"
}
export -f settings measure

for program in $programs $heap; do
	echo "$program none none stall"
	for link in nvlink pcie; do
		for host in $readings; do
			case $program in
				heap-*) modes="stall gpu" ;;
				*) modes="stall switch ideal gpu" ;;
			esac
			for mode in $modes; do echo "$program $link $host $mode"; done
		done
	done
done >"$out/configurations"
xargs -P "$(nproc)" -L 1 bash -c 'measure "$@"' measure <"$out/configurations" >"$out/runs.unsorted"
{
	echo "program,link,reading,mode,ns"
	LC_ALL=C sort "$out/runs.unsorted"
} >"$out/runs.csv"
rm "$out/runs.unsorted" "$out/configurations"

# How often each program faults, and figure 6.2: bfs.
{
	echo "program,faults,most_in_flight"
	for program in $programs $heap; do
		command=$bin/experiments/chapter6/${program/heap-/heap }
		VGPU_TRACE=$out/trace VGPU_SET=$(settings "$program" pcie paths stall) $command >/dev/null
		"$bin/tools/vgpu-trace" stats "$out/trace" |
			sed -n "s/^\([0-9]*\) page faults, at most \([0-9]*\) in flight;.*/$program,\1,\2/p"
		[ "$program" != bfs ] || "$bin/tools/vgpu-trace" --quiet --svg "$out/figure-6.2.svg" \
			--title "6.2  Page faults in flight and warps of bfs (PCI Express)" "$out/trace"
	done
	rm "$out/trace"
} >"$out/programs.csv"

awk -v out="$out" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md"
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'; readings='$readings'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/verdict.md"
echo
echo "$out: figure-*.svg, runs.csv, programs.csv, figures.csv, verdict.md"
