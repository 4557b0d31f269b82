#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Racecheck finds each race of this folder's programs, at the lines that are marked there, and no
# other; and nothing in those that have none. Speaks TAP.
#
# usage: test_race.sh [CASE]...		without: all
set -uo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
here=$top/tests/sanitizer/race
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
limit=${CUDA_TEST_TIMEOUT:-300}
count=0 failed=0

report() { # RESULT NAME REASON
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2: $3"
		head -n 40 "$work/log" | sed 's/^/#   /'
	fi
}

# Numbers of the lines that a mark stands in: CASE 1, CASE 2, CASE 12, or a label of streams.cu
lines_of() { # FILE MARK...
	local file=$1 mark
	shift
	for mark; do
		grep -n "/\* $mark \*/" "$file" | cut -d: -f1
	done
}

# One report of the log per line: the places that it names, numbers of lines or what a copy is
places() {
	awk '/^========= Race of/ { if (text != "") print text; text = " " }
		/^=========     / && / at / {
			if (match($0, /\.cu:[0-9]+/)) word = substr($0, RSTART + 4, RLENGTH - 4)
			else if (match($0, /cudaMem[a-z]+/)) word = substr($0, RSTART, RLENGTH)
			else next
			text = text word " "
		}
		END { if (text != "") print text }' "$work/log"
}

within() { # WORD LIST...
	local word=$1
	shift
	[[ " $* " == *" $word "* ]]
}

# Is there a report that names one place of each list, in any order, and none that does not?
finds() { # "LIST" "LIST"
	local a b found=1
	while read -r a b _; do
		# shellcheck disable=SC2086
		if within "$a" $1 && within "$b" $2; then
			found=0
		elif within "$a" $2 && within "$b" $1; then
			found=0
		else
			return 2
		fi
	done < <(places)
	return $found
}

check_case() { # PROGRAM CASE
	local file=$here/$1.cu name=$2 status=0 one two want=99 mark words result=0
	: >"$work/log"
	VGPU_TRANSPORT=embedded timeout "$limit" "$top/tools/vgpu-sanitizer" --tool racecheck \
		--log-file "$work/log" "$work/$1" "$name" >"$work/out" 2>&1 </dev/null || status=$?
	cat "$work/out" >>"$work/log"
	if [ "$1" = right ]; then
		if grep -q 'Race of' "$work/log"; then result=1; fi
		if [ "$status" -ne 0 ] || [ "$result" -ne 0 ]; then result=1; fi
		report $result "$name has no race" "exit status $status"
		return
	fi
	mark=$(grep -o "/\* $name [a-zA-Z]\{3,\} [a-zA-Z]* \*/" "$file" | head -n 1)
	if [ -n "$mark" ]; then
		read -r _ _ one two _ <<<"$mark"
		words=$(lines_of "$file" "$one")
		one=${words:-$one}
		words=$(lines_of "$file" "$two")
		two=${words:-$two}
	else
		one=$(lines_of "$file" "$name 1" "$name 12")
		two=$(lines_of "$file" "$name 2" "$name 12")
	fi
	finds "$(tr '\n' ' ' <<<"$one")" "$(tr '\n' ' ' <<<"$two")" || result=$?
	[ "$status" -eq "$want" ] || result=3
	report $result "$name is found" "exit status $status, $(
		case $result in 1) echo 'no report' ;; 2) echo 'a report names other places' ;; esac
	)"
}

wanted=("$@")
for program in shared global streams right; do
	"$top/tools/vgpucc" -O1 -lineinfo "$here/$program.cu" -o "$work/$program" \
		>"$work/log" 2>&1 || {
		report 1 "$program.cu compiles" "vgpucc failed"
		continue
	}
	while read -r name; do
		[ ${#wanted[@]} -eq 0 ] || within "$name" "${wanted[@]}" || continue
		check_case "$program" "$name"
	done < <("$work/$program" --list)
done
echo "1..$count"
[ "$failed" -eq 0 ]
