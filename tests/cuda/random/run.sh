#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: random CUDA kernels, compiled and run here, compared with what they must compute.
#
# usage: run.sh [--seed N] [--first N] [--count N] [--class A,B...] [--depth N] [--drop A,B...] [--ftz] [--level N]...
#               [--answers FILE] [--keep FOLDER]
#
# The kernels are compiled a hundred at a time, with each --level (0 and 3: -O0 and -O3). Without --ftz, every fourth
# hundred is generated for -ftz=true. --answers compares with, or adds to, a file of hashes (of a real GPU). --keep
# leaves programs and results. Needs build/random-cuda. VGPUCC is the compiler (tools/vgpucc).
# Exit status: 0 all right, 1 wrong values, 2 something else.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 2

seed=1 first=0 count=200 ftz='' keep='' levels=() options=() answers=()
while [ $# -gt 0 ]; do
	case $1 in
	--ftz) ftz=--ftz; shift; continue ;;
	--help) sed -n '4,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
	esac
	[ $# -ge 2 ] || { echo "run.sh: $1 needs a value; see --help" >&2; exit 2; }
	case $1 in
	--seed) seed=$2 ;;
	--first) first=$2 ;;
	--count) count=$2 ;;
	--class | --depth | --drop) options+=("$1" "$2") ;;
	--level) levels+=("$2") ;;
	--answers) answers=("$1" "$2") ;;
	--keep) keep=$2 ;;
	*) echo "run.sh: no option $1; see --help" >&2; exit 2 ;;
	esac
	shift 2
done
[ ${#levels[@]} -gt 0 ] || levels=(0 3)
if [ -n "$keep" ]; then
	dir=$keep
	mkdir -p "$dir" || exit 2
else
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi

# The kernels of one program, at each level.
hundred() { # FIRST COUNT [--ftz]
	local base=$dir/k$1${3:-} level status worst=0 these=(--seed "$seed" --first "$1" --count "$2" ${3:+"$3"} "${options[@]}")
	build/random-cuda "${these[@]}" --write "$base.cu" || return 2
	for level in "${levels[@]}"; do
		"${VGPUCC:-tools/vgpucc}" -O"$level" --fmad=false ${3:+-ftz=true} -w "$base.cu" -o "$base-O$level" \
			>"$base-O$level.log" 2>&1 &
	done
	wait
	for level in "${levels[@]}"; do
		if [ ! -x "$base-O$level" ]; then
			echo "seed $seed kernels $1 to $(($1 + $2 - 1)) ${3:-}: vgpucc -O$level refuses them"
			head -n 20 "$base-O$level.log"
			return 2
		fi
		VGPU_TRANSPORT=embedded "$base-O$level" "$base-O$level.out" >"$base.log" 2>&1 || { cat "$base.log"; return 2; }
		status=0
		build/random-cuda "${these[@]}" "${answers[@]}" --check "$base-O$level.out" >"$base.log" || status=$?
		if [ $status -ne 0 ]; then
			echo "-O$level${3:+ -ftz=true}, kernels from $1:"
			cat "$base.log"
			[ $status -le $worst ] || worst=$status
		fi
		[ -n "$keep" ] || rm -f "$base-O$level" "$base-O$level.out"
	done
	return $worst
}

worst=0 done=0
while [ $done -lt "$count" ]; do
	n=$((count - done < 100 ? count - done : 100)) status=0
	flushing=$ftz
	[ $((done / 100 % 4)) -ne 3 ] || flushing=--ftz
	hundred $((first + done)) $n $flushing || status=$?
	[ $status -le $worst ] || worst=$status
	done=$((done + n))
done
echo "seed $seed: kernels $first to $((first + count - 1)), $([ $worst -eq 0 ] && echo all right || echo wrong)"
exit $worst
