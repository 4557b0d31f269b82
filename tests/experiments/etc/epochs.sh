#!/bin/bash
# SPDX-License-Identifier: MIT
#
# epochs.sh: how long the epochs of throttling are to be, which the thesis does not say (3.6.3): irregular applications with half of their memory under
# throttling, for each pair of lengths; prints performance over that of the default, 100000 cycles each.
# usage: tests/experiments/etc/epochs.sh [APPLICATION...]     (atax bicg gesummv mvt); results in OUT (out/experiments/etc)
# CYCLES: the lengths ("25000 100000 400000"). MOST_MS, TIMING, BIN, WORKERS: as for run.sh. SHARE: per cent of the memory (50)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
out=${OUT:-out/experiments/etc}
case ${1:-} in
	-*) echo "epochs.sh: no option '$1'; see the head of tests/experiments/etc/epochs.sh" >&2; exit 2 ;;
esac
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_SET
export VGPU_TRANSPORT=embedded VGPU_PRESET=etc VGPU_THREADS=1 BIN=${BIN:-build}
export BASE=timing=${TIMING:-pipeline},watchdog_ps=${MOST_MS:-200}000000000,throttling=1
mkdir -p "$out"

# NAME BYTES DETECT EXECUTE: a line "NAME,DETECT,EXECUTE,MS"
run() {
	local line
	line=$(VGPU_SET=$BASE,vram_bytes=$2,throttle_detect_cycles=$3,throttle_execute_cycles=$4 "$BIN/experiments/etc/etc" "$1" | tail -n 1) || return 255
	line=${line#*,*,}
	printf '%s,%s,%s,%s\n' "$1" "$3" "$4" "${line%%,*}"
}
export -f run

selected=${*:-atax bicg gesummv mvt}
cycles=${CYCLES:-25000 100000 400000}
[[ " $cycles " == *" 100000 "* ]] || { echo "epochs.sh: CYCLES has no 100000, which the others are compared with" >&2; exit 2; }
VGPU_SET=$BASE "$BIN/experiments/etc/etc" --list | while read -r name _ managed other; do
	[[ " $selected " == *" $name "* ]] || continue
	for detect in $cycles; do
		for execute in $cycles; do
			echo "$name $(((managed * ${SHARE:-50} / 100 + other + 4095) / 4096 * 4096)) $detect $execute"
		done
	done
done | xargs -r -P "${WORKERS:-$(nproc)}" -L 1 bash -c 'run "$@"' run | LC_ALL=C sort >"$out/epochs.csv"

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
