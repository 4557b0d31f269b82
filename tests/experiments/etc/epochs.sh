#!/bin/bash
# SPDX-License-Identifier: MIT
#
# epochs.sh: how long the epochs of throttling are to be, which the thesis does not say (3.6.3): irregular applications with half of their memory under
# throttling, for each pair of lengths; prints performance over that of the default, 100000 cycles each.
# usage: tests/experiments/etc/epochs.sh [APPLICATION...]     (atax bicg gesummv mvt); results in OUT (out/experiments/etc)
# CYCLES: the lengths ("25000 100000 400000"). MOST_MS, TIMING, SET, BIN, WORKERS: as for run.sh. SHARE: per cent of the memory (50)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/etc/sweep.bash
sweep_init epochs.sh "$@"
cycles=${CYCLES:-25000 100000 400000}
[[ " $cycles " == *" 100000 "* ]] || { echo "epochs.sh: CYCLES has no 100000, which the others are compared with" >&2; exit 2; }

applications=${*:-atax bicg gesummv mvt}
sweep_known epochs.sh $applications
sweep_grid epochs --axis "application=$applications" --axis "share=${SHARE:-50}" --axis "detect=$cycles" --axis "execute=$cycles" \
	--lines '{application},{detect},{execute},' | LC_ALL=C sort >"$out/epochs.csv"

awk -F, -v cycles="$cycles" -v most="${MOST_MS:-200}" '
	{ time[$1, $2, $3] = $4 == "cut" ? most : $4; if (!($1 in seen)) { seen[$1]; names[++apps] = $1 } }
	END {
		count = split(cycles, cycle, " ")
		printf "| application | DETECT |"
		for (e = 1; e <= count; e++) printf " EXEC %d |", cycle[e]
		printf "\n|---|---|"
		for (e = 1; e <= count; e++) printf "---|"
		printf "\n"
		for (n = 1; n <= apps; n++)
			for (d = 1; d <= count; d++) {
				printf "| %s | %d |", names[n], cycle[d]
				for (e = 1; e <= count; e++) printf " %.2f |", time[names[n], 100000, 100000] / time[names[n], cycle[d], cycle[e]]
				printf "\n"
			}
	}' "$out/epochs.csv" | tee "$out/epochs.md"
