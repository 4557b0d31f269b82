#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of Tanasic chapter 5: runs the mixes, draws the figures with gnuplot, prints paper against ours.
# usage: tests/experiments/chapter5/run.sh [OPTION OF chapter5...]     results in OUT (out/experiments/chapter5)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/chapter5
out=${OUT:-out/experiments/chapter5}
bin=${BIN:-build}
mkdir -p "$out"
. tests/experiments/grid.bash

"$bin/experiments/chapter5" "$@" "$out"

# Figure 5.1: three timelines, and how long each kernel took from its launch to its end.
{
	echo "policy,K1_us,K2_us,K3_us"
	NAME=figure51 grid "$here/figure51.sweep.ini" --define "bin=$bin" --columns policy,preempt,turnaround_us |
		awk -F, '
			$1 " " $2 != before { if (before != "") print line; before = line = $1 " " $2 }
			{ line = line sprintf(",%.3f", $3 - 10000) }
			END { print line }'
} >"$out/figure-5.1.csv"
for policy in fcfs-none npq-none ppq-exclusive-drain ppq-exclusive-switch; do
	cp "$out/sweep/figure51/cells/policy=${policy%-*},preempt=${policy##*-}/figure.svg" "$out/figure-5.1-$policy.svg"
done

# FIGURE METRIC: a line for each number of processes, a column for each series: what gnuplot draws as clusters of bars
pivot() {
	awk -F, -v figure="$1" -v metric="$2" '
		$1 == figure && $2 == metric {
			series = $3 (($4 == "none") ? "" : " " $4) (($5 == "all") ? "" : " " substr($5, 8))
			if (!(series in seen)) { seen[series] = ++columns; name[columns] = series }
			if (!($6 in row)) { row[$6] = ++rows; at[rows] = $6 }
			value[$6, seen[series]] = $9 ? $7 : "NaN"
		}
		END {
			printf "processes"
			for (c = 1; c <= columns; c++) printf ",%s", name[c]
			print ""
			for (r = 1; r <= rows; r++) {
				printf "%s", at[r]
				for (c = 1; c <= columns; c++) printf ",%s", value[at[r], c]
				print ""
			}
		}' "$out/figures.csv" >"$out/figure-$1.csv"
}
pivot 5.4 ntt_improvement_of_high_priority
pivot 5.5a stp_degradation
pivot 5.5b stp_degradation
pivot 5.6 ntt_improvement
pivot 5.8a fairness_improvement
pivot 5.8b stp_degradation
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi

column -s, -t "$out/figure-5.1.csv" 2>/dev/null || cat "$out/figure-5.1.csv"
echo
cat "$out/verdict.md"
echo
cat "$out/profile.md"
echo
echo "$out: figure-*.svg, figures.csv, runs.csv, profile.md, verdict.md"
