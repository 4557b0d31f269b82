#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ratios.sh: performance against the ratio of compression (ETC-16; thesis, 3.7.4): applications with half of their memory under compression alone, whose
# pages take what the ratio says (compression_ratio); prints performance over that with enough memory, its mean, and a verdict.
# usage: tests/experiments/etc/ratios.sh [APPLICATION...]     (2dconv lps cons scan mvt); results in OUT (out/experiments/etc)
# RATIOS: in per cent, ascending ("100 120 140 160 180 200 240"). MOST_MS, TIMING, SET, BIN, WORKERS: as for run.sh. SHARE: per cent of the memory (50)
# Verdict: yes, if the mean rises with each ratio, a line fits it below the ratio at which all fits (r of 0.95 or more), and the step to that ratio
# is steeper than the line; direction, if it rises from the first to the last and nowhere falls by more than 0.02; else no.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init ratios.sh "$@"
ratios=${RATIOS:-100 120 140 160 180 200 240}

# 0: not compressed
applications=${*:-2dconv lps cons scan mvt}
sweep_known ratios.sh $applications
sweep_grid ratios --axis "application=$applications" --define "some=${SHARE:-50}" --axis "ratio=0 $ratios" \
	--lines '{application},{ratio},' | LC_ALL=C sort >"$out/ratios.csv"

awk -F, -v ratios="$ratios" -v most="${MOST_MS:-200}" -v fits="$((10000 / ${SHARE:-50}))" '
	{ time[$1, $2] = $3 == "cut" ? most : $3; if (!($1 in seen)) { seen[$1]; names[++apps] = $1 } }
	END {
		count = split(ratios, ratio, " ")
		printf "| application |"
		for (r = 1; r <= count; r++) printf " %.1f |", ratio[r] / 100
		printf "\n|---|"
		for (r = 1; r <= count; r++) printf "---|"
		printf "\n"
		for (n = 1; n <= apps; n++) {
			printf "| %s |", names[n]
			for (r = 1; r <= count; r++) {
				x = time[names[n], 0] / time[names[n], ratio[r]]
				mean[r] += x / apps
				printf " %.2f |", x
			}
			printf "\n"
		}
		printf "| mean |"
		for (r = 1; r <= count; r++) printf " %.2f |", mean[r]
		printf "\n\n"
		rises = 1
		for (r = 2; r <= count; r++) {
			if (mean[r] < mean[r - 1]) rises = 0
			if (mean[r] < mean[r - 1] - 0.02) falls = 1
		}
		for (r = 1; r <= count && ratio[r] < fits; r++) {
			k++; x = ratio[r] / 100; y = mean[r]
			sx += x; sy += y; sxx += x * x; sxy += x * y; syy += y * y
		}
		slope = k > 1 ? (k * sxy - sx * sy) / (k * sxx - sx * sx) : 0
		spread = (k * sxx - sx * sx) * (k * syy - sy * sy)
		fit = spread > 0 ? (k * sxy - sx * sy) / sqrt(spread) : 0
		step = k < count ? (mean[k + 1] - mean[k]) / (ratio[k + 1] - ratio[k]) * 100 : 0
		verdict = rises && fit >= 0.95 && step > slope ? "yes" : !falls && mean[count] > mean[1] ? "direction" : "no"
		printf "ETC-16: below %.1f a line of %+.2f for each 1.0 (r %.2f), then %+.2f: %s\n", fits / 100, slope, fit, step, verdict
	}' "$out/ratios.csv" | tee "$out/ratios.md"
