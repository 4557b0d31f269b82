#!/bin/bash
# SPDX-License-Identifier: MIT
#
# classes.sh: what the classifier finds (ETC-13; thesis, 3.7.3): all applications with ETC, the lines and pages that an instruction touches in the first window
# and in all, how many windows are regular, and the thresholds that class each application as the thesis does; with a verdict.
# usage: tests/experiments/etc/classes.sh [APPLICATION...]     (all but graph); results in OUT (out/experiments/etc)
# THRESHOLDS: lines ("5 6 7 8 9 10"). SHARE: per cent of the memory (75). MOST_MS, TIMING, SET, BIN: as for run.sh
# Verdict: yes, if each threshold classes all of them rightly, by the first window and by all, an irregular one touches at least twice as many lines as any
# regular one, and at most one regular one touches more than 1.05 pages; direction, if each threshold classes them rightly by the first window; else no.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init classes.sh "$@"
type=$(sweep_type CLASSIFIED)

applications=${*:-2dconv 3dconv sad corr covar fdtd lps lud srad cons scan atax bicg gesummv mvt}
sweep_known classes.sh $applications
sweep_grid classes --axis "application=$applications" --define "share=${SHARE:-75}" --define "type=$type" --lines '' >"$out/classes.csv"

awk -F, -v thresholds="${THRESHOLDS:-5 6 7 8 9 10}" '
	{
		if (!($1 in is)) { is[$1] = $2 == "irregular"; names[++apps] = $1; first[$1] = $5 / $4 }
		accesses[$1] += $4; lines[$1] += $5; pages[$1] += $6
		windows[$1]++; regular[$1] += $5 < 10 * $4
	}
	END {
		count = split(thresholds, threshold, " ")
		right = sampled = 1
		least = 32; most = pages_more = 0
		printf "| application | class | lines, first window | lines | pages | windows | regular | classed rightly with |\n|---|---|---|---|---|---|---|---|\n"
		for (a = 1; a <= apps; a++) {
			name = names[a]
			mean = lines[name] / accesses[name]
			good = ""
			for (t = 1; t <= count; t++) {
				if ((first[name] >= threshold[t]) != is[name]) right = sampled = 0
				else if ((mean >= threshold[t]) != is[name]) right = 0
				else good = good (good == "" ? "" : " ") threshold[t]
			}
			if (is[name] && mean < least) least = mean
			if (!is[name] && mean > most) most = mean
			if (!is[name] && pages[name] > 1.05 * accesses[name]) pages_more++
			printf "| %s | %s | %.2f | %.2f | %.2f | %d | %d | %s |\n", name, is[name] ? "irregular" : "regular", first[name], mean, pages[name] / accesses[name], windows[name], regular[name], good == "" ? "none" : good
		}
		verdict = right && least >= 2 * most && pages_more <= 1 ? "yes" : sampled ? "direction" : "no"
		printf "\nETC-13: at most %.2f lines of a regular application, at least %.2f of an irregular one, %d regular with more than a page: %s\n", most, least, pages_more, verdict
	}' "$out/classes.csv" | tee "$out/classes.md"
