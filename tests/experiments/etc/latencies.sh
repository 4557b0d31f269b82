#!/bin/bash
# SPDX-License-Identifier: MIT
#
# latencies.sh: performance against what a page fault takes (ETC-15; thesis, 3.7.4): all applications with ETC, which know whether their kernels share data;
# performance over that with the first latency, its mean, and a verdict.
# usage: tests/experiments/etc/latencies.sh [APPLICATION...]     (all but graph); results in OUT (out/experiments/etc)
# LATENCIES: microseconds, ascending ("20 30 40 50"). SHARES: per cent of the memory ("75 50"). MOST_MS, TIMING, SET, BIN, WORKERS: as for run.sh
# Verdict: yes, if the mean falls with each latency, and by 0.312 at the last, or by a third of that more or less; direction, if it falls from the first to the last; else no.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init latencies.sh "$@"
latencies=${LATENCIES:-20 30 40 50}

applications=${*:-2dconv 3dconv sad corr covar fdtd lps lud srad cons scan atax bicg gesummv mvt}
sweep_known latencies.sh $applications
sweep_grid latencies --axis "application=$applications" --axis "share=${SHARES:-75 50}" --axis "us=$latencies" \
	--lines '{application},{share},{us},' | LC_ALL=C sort >"$out/latencies.csv"

awk -F, -v latencies="$latencies" -v shares="${SHARES:-75 50}" -v most="${MOST_MS:-200}" '
	{ time[$1, $2, $3] = $4 == "cut" ? most : $4; if (!($1 in seen)) { seen[$1]; names[++apps] = $1 } }
	END {
		count = split(latencies, us, " ")
		sizes = split(shares, share, " ")
		printf "| application | memory |"
		for (n = 1; n <= count; n++) printf " %d us |", us[n]
		printf "\n|---|---|"
		for (n = 1; n <= count; n++) printf "---|"
		printf "\n"
		for (a = 1; a <= apps; a++)
			for (s = 1; s <= sizes; s++) {
				printf "| %s | %d %% |", names[a], share[s]
				for (n = 1; n <= count; n++) {
					x = time[names[a], share[s], us[1]] / time[names[a], share[s], us[n]]
					mean[n] += x / (apps * sizes)
					printf " %.2f |", x
				}
				printf "\n"
			}
		printf "| mean | |"
		falls = 1
		for (n = 1; n <= count; n++) {
			printf " %.3f |", mean[n]
			if (n > 1 && mean[n] >= mean[n - 1]) falls = 0
		}
		change = mean[count] - 1
		verdict = falls && change > -0.312 * 4 / 3 && change < -0.312 * 2 / 3 ? "yes" : change < 0 ? "direction" : "no"
		printf "\n\nETC-15: %d us instead of %d: %+.3f for -0.312, %s: %s\n", us[count], us[1], change, falls ? "monotone" : "not monotone", verdict
	}' "$out/latencies.csv" | tee "$out/latencies.md"
