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
. tests/experiments/grid.bash
mkdir -p "$out"
LD_LIBRARY_PATH=$(readlink -f "$bin")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
names=$(echo $programs $heap)
common=(--define "bin=$bin" --define "set=${SET:+,$SET}" ${TOGETHER:+--define "together=TOGETHER=$TOGETHER"})
if [ "$timing" = pipeline ]; then
	scheme=(--define "pipeline=,timing=pipeline,fault_scheme={scheme}")
	stalling=(--define "pipeline=,timing=pipeline,fault_scheme=stall")
fi

{
	echo "program,link,reading,mode,ns"
	grid "$here/chapter6.ini" "${common[@]}" ${scheme[@]+"${scheme[@]}"} --axis "program=$names" --axis "reading=none $readings" \
		--columns program,link,reading,mode,ns | LC_ALL=C sort
} >"$out/runs.csv"

# How often each program faults, and figure 6.2: bfs.
{
	echo "program,faults,most_in_flight"
	grid "$here/programs.ini" "${common[@]}" ${stalling[@]+"${stalling[@]}"} --axis "program=$names" --columns program,faults,most_in_flight
} >"$out/programs.csv"
if [ -e "$out/sweep/programs/cells/program=bfs/figure.svg" ]; then cp "$out/sweep/programs/cells/program=bfs/figure.svg" "$out/figure-6.2.svg"; fi

awk -v out="$out" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md"
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'; readings='$readings'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/verdict.md"
echo
echo "$out: figure-*.svg, runs.csv, programs.csv, figures.csv, verdict.md"
