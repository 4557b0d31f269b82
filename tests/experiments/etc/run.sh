#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of ETC (thesis, 3.7): 15 applications with memory for all, three quarters and half of what they use,
# under each remedy; prints the times over those with enough memory, and verdicts on what the thesis says.
# usage: tests/experiments/etc/run.sh [--quick] [APPLICATION...]     results in OUT (out/experiments/etc); graph, the adversary, where it is named
#   --quick   three applications, half of the memory
# MOST_MS: a kernel that takes longer is cut off, and counts as if it took so long (200). TIMING: interval or pipeline (pipeline). SET=KEY=VALUE,... changes the device of all runs. BIN: the build (build). WORKERS: runs at
# a time (all processors). REMEDIES, SHARES: only these of "baseline pe mt simple cc pecc mtcc etc hint" and "75 50".
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/etc
out=${OUT:-out/experiments/etc}
bin=${BIN:-build}
shares=${SHARES:-75 50}
quick=''
case ${1:-} in
	--quick) quick=1; shift ;;
	-*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
esac
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_SET
export VGPU_TRANSPORT=embedded VGPU_PRESET=etc VGPU_THREADS=1 BIN=$bin BASE=timing=${TIMING:-pipeline},watchdog_ps=${MOST_MS:-200}000000000${SET:+,$SET}

declare -A remedy=(
	[baseline]=''
	[pe]=proactive_eviction=1
	[mt]=throttling=1
	[simple]=oversubscription=simple-throttle
	[cc]=compression=1
	[pecc]='proactive_eviction=1,compression=1'
	[mtcc]='throttling=1,compression=1'
	[etc]=oversubscription=etc
	[hint]=oversubscription=etc
)
order=${REMEDIES:-baseline pe mt simple cc pecc mtcc etc hint}

mkdir -p "$out"
VGPU_SET=$BASE "$bin/experiments/etc/etc" --list >"$out/applications"
selected=$*
[ -z "$quick" ] || { selected=${selected:-2dconv cons mvt}; shares=50; }

# NAME SHARE REMEDY SETTINGS: a line "SHARE,REMEDY,..." of what etc prints. With remedy hint the program says whether its kernels share data, as the thesis
# has it of a compiler
run() {
	local line hint=()
	[ "$3" != hint ] || hint=(--hint)
	if ! line=$(VGPU_SET=$BASE,$4 "$BIN/experiments/etc/etc" "${hint[@]}" "$1" 2>&1); then
		printf 'run.sh: %s with %s %% under %s failed: %s\n' "$1" "$2" "$3" "$line" >&2
		return 255
	fi
	printf '%s,%s,%s\n' "$2" "$3" "${line##*$'\n'}"
}
export -f run

while read -r name _ managed other; do
	[ -z "$selected" ] && [ "$name" != graph ] || [[ " $selected " == *" $name "* ]] || continue
	echo "$name 100 unlimited vram_bytes=4294967296"
	echo "$name 100 cc vram_bytes=4294967296,compression=1"
	for share in $shares; do
		bytes=$(((managed * share / 100 + other + 4095) / 4096 * 4096))
		for r in $order; do
			echo "$name $share $r vram_bytes=$bytes${remedy[$r]:+,${remedy[$r]}}"
		done
	done
done <"$out/applications" | xargs -r -P "${WORKERS:-$(nproc)}" -L 1 bash -c 'run "$@"' run >"$out/unsorted.csv"
LC_ALL=C sort "$out/unsorted.csv" >"$out/runs.csv"
rm "$out/unsorted.csv"

awk -v most="${MOST_MS:-200}" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" | tee "$out/verdict.md"
echo
echo "$out: runs.csv, verdict.md"
