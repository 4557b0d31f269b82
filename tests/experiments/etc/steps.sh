#!/bin/bash
# SPDX-License-Identifier: MIT
#
# steps.sh: how many SMs throttling stops, and lets go on, at a time (ETC-14; thesis, 3.7.4): irregular applications with ETC; performance over that of one SM
# each way, its mean, and a verdict.
# usage: tests/experiments/etc/steps.sh [APPLICATION...]     (atax bicg gesummv mvt); results in OUT (out/experiments/etc)
# STEPS: numbers of SMs, 1 first ("1 2 4 8"). REMEDY: settings of all runs (oversubscription=etc). SHARES: per cent of the memory ("75 50").
# MOST_MS, TIMING, SET, BIN, WORKERS: as for run.sh
# Verdict: yes, if the mean is nowhere above that of one SM each way by more than 0.005, and its least and its most are further apart along the steps
# down than along the steps up; direction, if one of both holds; else no.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init steps.sh "$@"
steps=${STEPS:-1 2 4 8}
remedy=${REMEDY:-oversubscription=etc}

applications=${*:-atax bicg gesummv mvt}
sweep_known steps.sh $applications
sweep_grid steps --axis "application=$applications" --axis "share=${SHARES:-75 50}" --axis "down=$steps" --axis "up=$steps" --define "remedy=$remedy" \
	--lines '{application},{share},{down},{up},' | LC_ALL=C sort >"$out/steps.csv"

awk -F, -v steps="$steps" -v shares="${SHARES:-75 50}" -v most="${MOST_MS:-200}" '
	{ time[$1, $2, $3, $4] = $5 == "cut" ? most : $5; if (!($1 in seen)) { seen[$1]; names[++apps] = $1 } }
	# the performance of a run over that of one SM each way
	function over(name, share, down, up) { return time[name, share, 1, 1] / time[name, share, down, up] }
	END {
		count = split(steps, step, " ")
		sizes = split(shares, share, " ")
		printf "| application | memory |"
		for (n = 2; n <= count; n++) printf " %d down |", step[n]
		for (n = 2; n <= count; n++) printf " %d up |", step[n]
		printf "\n|---|---|"
		for (n = 2; n <= count; n++) printf "---|---|"
		printf "\n"
		for (a = 1; a <= apps; a++)
			for (s = 1; s <= sizes; s++) {
				printf "| %s | %d %% |", names[a], share[s]
				for (n = 2; n <= count; n++) {
					down[n] += over(names[a], share[s], step[n], 1) / (apps * sizes)
					printf " %.2f |", over(names[a], share[s], step[n], 1)
				}
				for (n = 2; n <= count; n++) {
					up[n] += over(names[a], share[s], 1, step[n]) / (apps * sizes)
					printf " %.2f |", over(names[a], share[s], 1, step[n])
				}
				printf "\n"
			}
		printf "| mean | |"
		least_down = least_up = most_down = most_up = 1
		for (n = 2; n <= count; n++) {
			printf " %.2f |", down[n]
			if (down[n] > most_down) most_down = down[n]
			if (down[n] < least_down) least_down = down[n]
		}
		for (n = 2; n <= count; n++) {
			printf " %.2f |", up[n]
			if (up[n] > most_up) most_up = up[n]
			if (up[n] < least_up) least_up = up[n]
		}
		best = most_down > most_up ? most_down : most_up
		holds = (best <= 1.005) + (most_down - least_down > most_up - least_up)
		printf "\n\nETC-14: the best is %.2f of one SM each way, it changes by %.2f down and %.2f up: %s\n", best, most_down - least_down, most_up - least_up, holds == 2 ? "yes" : holds ? "direction" : "no"
	}' "$out/steps.csv" | tee "$out/steps.md"
