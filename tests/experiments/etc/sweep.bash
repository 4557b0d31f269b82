# SPDX-License-Identifier: MIT
#
# sweep.bash: what the sweeps of the evaluation of ETC have in common; they source it.
# shellcheck shell=bash
. tests/experiments/grid.bash

# SCRIPT [APPLICATION...]: no option is taken; the device and $out are as the environment says.
sweep_init() {
	local script=$1
	case ${2:-} in
		-*) echo "$script: no option '$2'; see the head of tests/experiments/etc/$script" >&2; exit 2 ;;
	esac
	out=${OUT:-out/experiments/etc}
	unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_SET
	export VGPU_TRANSPORT=embedded VGPU_PRESET=etc VGPU_THREADS=1 BIN=${BIN:-build}
	export BASE=timing=${TIMING:-pipeline},watchdog_ps=${MOST_MS:-200}000000000${SET:+,$SET}
	mkdir -p "$out"
	VGPU_SET=$BASE "$BIN/experiments/etc/etc" --list >"$out/applications"
}

# The names of all applications
sweep_names() { awk '{ print $1 }' "$out/applications"; }

# SCRIPT NAME...: these are applications, or it ends
sweep_known() {
	local name
	for name in "${@:2}"; do
		awk -v name="$name" '$1 == name { found = 1 } END { exit !found }' "$out/applications" ||
			{ echo "$1: no application '$name'; there are: $(sweep_names | tr '\n' ' ')" >&2; exit 2; }
	done
}

# NAME OPTION...: the grid grids/NAME.ini
sweep_grid() {
	grid "tests/experiments/etc/grids/$1.ini" --define "bin=$BIN" --define "base=$BASE" --define "applications=$out/applications" "${@:2}"
}

# NAME: the number of records of type VGPU_TRACE_NAME
sweep_type() {
	awk -v name="VGPU_TRACE_$1," '/^enum vgpu_trace_type/ { on = 1 } on && /^\tVGPU_TRACE_[A-Z0-9_]*,/ { if ($1 == name) { print n + 0; exit } n++ }' uapi/vgpu_trace.h
}

# FILE TYPES: records of these types ("1|2"), a line of six numbers each: time, type (below 65536) with SM and context, queue and kernel, seq, a, b
sweep_records() {
	tail -c +9 "$1" | od -An -v -w48 -t u8 | awk -v types="$2" 'BEGIN { count = split(types, type, "|") } { for (n = 1; n <= count; n++) if ($2 % 65536 == type[n]) { print; next } }'
}
