#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of RCC (thesis 002, chapter 3): twelve programs with the sharing of table 3.4 on the machine of table 3.3, under
# RCC and its rivals; prints paper against ours (docs/experiments-rcc.md).
# usage: tests/experiments/rcc/run.sh [--quick]     results in OUT (out/experiments/rcc)
#   --quick   two programs of each class, four protocols
# BIN: the build (build). SET="field=value,..." changes the device of all runs.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/rcc
out=${OUT:-out/experiments/rcc}
bin=${BIN:-build}/experiments/rcc
inter="BFS BH CL DLB STN VPR" intra="HSP KMN LPS NDL SR LUD"
# the weakly ordered ones run on cores that have them so
schemes="mesi tcs tcw,sc_core=0 rcc rcc-wo,sc_core=0 sc-ideal rcc,coherence_lease=64 tcs,tc_predictor=1 tcw,sc_core=0,tc_predictor=1"
while [ $# -gt 0 ]; do
	case $1 in
		--quick) inter="BH STN" intra="HSP NDL" schemes="mesi tcs tcw,sc_core=0 rcc" ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_PRESET VGPU_SET
export VGPU_TRANSPORT=embedded VGPU_PRESET=rcc
mkdir -p "$out"

# SCHEME CLASS PROGRAM: a line for each counter of all its launches together
measure() {
	local name=${1%%,*}
	case $1 in rcc,coherence_lease=*) name=rcc-fixed ;; *tc_predictor=1) name=$name-predicted ;; esac
	rm -f "$out/one.csv"
	VGPU_SET=coherence=$1${SET:+,$SET} VGPU_STATS=$out/one.csv "$bin/$2" "$3" >"$out/said" || { cat "$out/said" >&2; return 1; }
	awk -F, -v head="$name,$2,$3" 'FNR == 1 { for (n = 1; n <= NF; n++) column[n] = $n; next }
		$1 == "sm" { for (n = 1; n <= NF; n++) if (column[n] == "logical_steps" && $n + 0 > farthest) farthest = $n + 0 }
		$1 == "device" { for (n = 1; n <= NF; n++)
			if (column[n] ~ /^(duration_ps|l1_|stores|atomics|.*_cycles|flits_|inst|sc_stalls)/) print head "," column[n] "," $n }
		END { print head ",logical_time," farthest + 0 }' "$out/one.csv"
}

{
	for scheme in $schemes; do
		for program in $inter; do measure "$scheme" inter "$program"; done
		for program in $intra; do measure "$scheme" intra "$program"; done
	done
} >"$out/runs.csv"
awk -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md" || { cat "$out/verdict.md" >&2; exit 1; }
cat "$out/verdict.md"
echo
echo "$out: runs.csv, verdict.md"
