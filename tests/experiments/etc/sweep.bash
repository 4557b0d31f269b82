# SPDX-License-Identifier: MIT
#
# sweep.bash: what the sweeps of the evaluation of ETC have in common; they source it.
# shellcheck shell=bash

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
}

# NAME...: lines "NAME MANAGED OTHER" of these applications; bytes as of etc --list
sweep_applications() {
	VGPU_SET=$BASE "$BIN/experiments/etc/etc" --list | while read -r name _ managed other; do
		[[ " $* " != *" $name "* ]] || echo "$name $managed $other"
	done
}

# MANAGED OTHER SHARE: bytes of VRAM, for SHARE per cent of the managed memory
sweep_bytes() {
	echo $((($1 * $3 / 100 + $2 + 4095) / 4096 * 4096))
}

# NAME LABELS BYTES [SETTINGS [ARGUMENT]]: a line "NAME,LABELS,MS"
sweep_one() {
	local line
	line=$(VGPU_SET=$BASE,vram_bytes=$3${4:+,$4} "$BIN/experiments/etc/etc" ${5:+"$5"} "$1" | tail -n 1) || return 255
	line=${line#*,*,}
	printf '%s,%s,%s\n' "$1" "$2" "${line%%,*}"
}
export -f sweep_one

# The arguments of sweep_one, a line each; WORKERS at a time. What they print, sorted.
sweep_all() {
	xargs -r -P "${WORKERS:-$(nproc)}" -L 1 bash -c 'sweep_one "$@"' sweep_one | LC_ALL=C sort
}

# NAME: the number of records of type VGPU_TRACE_NAME
sweep_type() {
	awk -v name="VGPU_TRACE_$1," '/^enum vgpu_trace_type/ { on = 1 } on && /^\tVGPU_TRACE_[A-Z0-9_]*,/ { if ($1 == name) { print n + 0; exit } n++ }' uapi/vgpu_trace.h
}

# FILE TYPES: records of these types ("1|2"), a line of six numbers each: time, type (below 65536) with SM and context, queue and kernel, seq, a, b
sweep_records() {
	tail -c +9 "$1" | od -An -v -w48 -t u8 | awk -v types="$2" 'BEGIN { count = split(types, type, "|") } { for (n = 1; n <= count; n++) if ($2 % 65536 == type[n]) { print; next } }'
}
