#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rates.sh: page faults over time without and with throttling (ETC-11; thesis, 3.7.2, figure 3.15), for each million cycles from the first fault; with a verdict.
# usage: tests/experiments/etc/rates.sh [APPLICATION]     (atax); results in OUT (out/experiments/etc)
# REMEDY: settings of the second run (throttling=1). SHARE: per cent of the memory (75). CYCLES: of an interval (1000000). MOST_MS, TIMING, SET, BIN: as for run.sh
# Verdict: yes, if without it there are faults in every interval, and with it at most a third as many altogether; direction, if there are fewer; else no.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init rates.sh "$@"
name=${1:-atax}
clock=1020000000	# of preset etc
fault=$(sweep_type PAGE_FAULT)
evict=$(sweep_type EVICT)

sweep_known rates.sh "$name"
sweep_grid rates --define "application=$name" --define "share=${SHARE:-75}" --axis "remedy=none ${REMEDY:-throttling=1}" --define "fault=$fault" --define "evict=$evict" \
	--define "ps=$(awk -v c="${CYCLES:-1000000}" -v f=$clock 'BEGIN { printf "%.0f", c * 1e12 / f }')" --lines '{remedy},' >"$out/rates.csv"

awk -F, -v share="${SHARE:-75}" -v name="$name" '
	{ which = $1 == "none" ? 1 : 2; faults[which, $2] = $3; evicted[which, $2] = $4; sum[which] += $3; pages[which] += $4; if ($2 > last[which]) last[which] = $2 }
	which == 1 && !$3 { pause = 1 }
	END {
		end = last[1] > last[2] ? last[1] : last[2]
		printf "| interval | faults | faults, throttled | pages evicted | pages evicted, throttled |\n|---|---|---|---|---|\n"
		for (n = 0; n <= end; n++) {
			printf "| %d |", n + 1
			for (which = 1; which <= 2; which++) { if (n <= last[which]) printf " %d |", faults[which, n]; else printf " |" }
			for (which = 1; which <= 2; which++) { if (n <= last[which]) printf " %d |", evicted[which, n]; else printf " |" }
			printf "\n"
		}
		verdict = !pause && 3 * sum[2] <= sum[1] ? "yes" : sum[2] < sum[1] ? "direction" : "no"
		printf "\nETC-11: %s, %d %% of the memory: %d faults, throttled %d: %s\n", name, share, sum[1], sum[2], verdict
	}' "$out/rates.csv" | tee "$out/rates.md"
