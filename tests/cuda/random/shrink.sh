#!/bin/bash
# SPDX-License-Identifier: MIT
#
# shrink.sh: make a random kernel that gives wrong values as small as leaving out statements makes it.
#
# usage: shrink.sh SEED KERNEL [--ftz] [--class A,B...] [--depth N] [--level N]
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 2
[ $# -ge 2 ] || { sed -n '6s/^# //p' "$0" >&2; exit 2; }
kernel=(--seed "$1" --first "$2" --count 1)
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
level=() options=()
while [ $# -gt 0 ]; do
	case $1 in
	--level) level=(--level "$2"); shift 2 ;;
	--ftz) options+=(--ftz); shift ;;
	*) options+=("$1" "$2"); shift 2 ;;
	esac
done

wrong() { # DROPPED
	! tests/cuda/random/run.sh "${kernel[@]}" "${options[@]}" "${level[@]}" ${1:+--drop "$1"} >"$dir/said"
}
if ! wrong ''; then
	echo "this kernel is right" >&2
	exit 2
fi
build/random-cuda "${kernel[@]}" "${options[@]}" --write "$dir/k.cu" || exit 2
statements=$(sed -n 's/.*kernel [0-9]* of seed [0-9]*: \([0-9]*\) statements.*/\1/p' "$dir/k.cu")
dropped=''
for size in 8 2 1; do
	for ((at = 0; at < statements; at += size)); do
		try=$dropped${dropped:+,}$(seq -s, "$at" $((at + size < statements ? at + size - 1 : statements - 1)))
		! wrong "$try" || dropped=$try
	done
	dropped=$(tr , '\n' <<<"$dropped" | sort -nu | paste -sd,)
done
wrong "$dropped"
cat "$dir/said"
echo "random-cuda ${kernel[*]} ${options[*]} --drop $dropped --write FILE.cu"
