#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of PEP (Li et al., DAC 2018; the thesis, 4.6) and of Chimera (Park et al., ASPLOS 2015): runs the kernels of table
# 4.1 as profiles and ten compiled programs, draws figures with gnuplot, prints paper against ours (docs/experiments-pep.md).
# usage: tests/experiments/pep/run.sh [--quick]     results in OUT (out/experiments/pep)
#   --quick   without pep-in-place and most settings, three programs, fewer requests
# BIN: the build (build). SET="KEY=VALUE ..." changes the device of all runs.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/pep
out=${OUT:-out/experiments/pep}
pep=${BIN:-build}/experiments/pep/pep
quick=''
while [ $# -gt 0 ]; do
	case $1 in
		--quick) quick=--quick ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_PRESET VGPU_SET
mkdir -p "$out"
all=()
for setting in ${SET:-}; do all+=(--set "$setting"); done

# VARIANT OPTION...: lines of the command behind the name of the variant
measure() {
	local variant=$1
	shift
	"$pep" "$@" ${all[@]+"${all[@]}"} | sed "s/^/$variant,/"
}

# Sizes of programs: their blocks are those of the sizes of ../smk, there are fewer of them.
programs="cutcp:12 mri-q:128 sgemm:5 tpacf:50 histo:100 lbm:20 mri-gridding:6 sad:9 spmv:70000 stencil:128"
[ -z "$quick" ] || programs="cutcp:12 lbm:20 stencil:128"
some=chimera,chimera-dirty,pep
{
	measure main --kernels
	if [ -n "$quick" ]; then measure main --profiled --schemes "$some"; else measure main --profiled; fi
	measure sms=32 --profiled --schemes "$some" --set sms=32
	if [ -z "$quick" ]; then
		measure room --room
		# what the least squares over table 4.1 give: 12.84 GB/s an SM, and 0.31 us
		measure bandwidth=205.44 --profiled --schemes "$some" --set memory_bandwidth=205440000000
		measure pipeline=0.31 --profiled --schemes "$some" --set pipeline_drain_ps=310000
		measure both --profiled --schemes "$some" --set memory_bandwidth=205440000000 --set pipeline_drain_ps=310000
		measure printed --profiled --schemes "$some,pep-in-place" --printed
		# the thesis' 32 SMs have 2.58 times the latency, which is 159 of 205 GB/s (least squares over table 4.1)
		measure "sms=32 bandwidth=174" --profiled --schemes "$some" --set sms=32 --set memory_bandwidth=174000000000
		measure "blocks vary by a tenth" --profiled --schemes "$some" --vary 100
		measure "by three tenths" --profiled --schemes "$some" --vary 300
		measure signal=0 --profiled --schemes "$some" --set pep_signal_ps=0
		measure run=0 --profiled --schemes "$some" --set pep_run_instructions=0
	fi
	measure main --deadlines $quick
	[ -n "$quick" ] || measure bandwidth=448 --deadlines --set memory_bandwidth=448000000000
	for program in $programs; do measure main --compiled "$program"; done
	measure main --split lbm:20
} >"$out/runs.csv"
awk -v out="$out" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md" || { cat "$out/verdict.md" >&2; exit 1; }
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/verdict.md"
echo
echo "$out: figure-*.svg, runs.csv, verdict.md"
