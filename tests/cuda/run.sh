#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: run every CUDA program of a folder and say in TAP how each went.
#
# usage: run.sh [--quick [--without NAME]] FOLDER [LABEL]
#   --without NAME   not those in the folder NAME of FOLDER
#
# A program passes when it exits 0 and its last line is "NAME: verified". Unless --quick is given,
# programs that take a size also run with sizes that fit no block, and must refuse wrong arguments.
# One that exits 4 is skipped; its last line says why.
# CUDA_TEST_TIMEOUT is the limit of one run in seconds (300). Output of failed runs follows as comments.
set -uo pipefail

quick='' without=''
[ "${1:-}" != --quick ] || { quick=1; shift; }
[ "${1:-}" != --without ] || { without=${2:-}; shift 2; }
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -d "$1" ]; then
	echo "usage: run.sh [--quick] FOLDER [LABEL]; FOLDER holds built programs${1:+, '$1' is no folder}" >&2
	exit 2
fi
folder=$1
label=${2:+$2: }
limit=${CUDA_TEST_TIMEOUT:-300}
count=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

report() { # RESULT NAME REASON
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $label$2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $label$2: $3"
		tail -n 30 "$log" | sed 's/^/#   /'
	fi
}

# Runs it and wants the closing line and exit 0.
verifies() { # NAME PROGRAM ARGUMENT...
	local name=$1 status=0 word
	shift
	timeout -k 5 "$limit" "$@" >"$log" 2>&1 </dev/null || status=$?
	word="$(basename "$1"): verified"
	if [ "$status" -eq 4 ]; then
		count=$((count + 1))
		echo "ok $count - $label$name # SKIP $(tail -n 1 "$log")"
	elif [ "$status" -ne 0 ]; then
		report 1 "$name" "exit status $status$([ "$status" -ne 124 ] || echo " after $limit s")"
	elif [ "$(grep -c ': verified$\|: WRONG at ' "$log")" -ne 1 ] || ! grep -qxF "$word" "$log"; then
		report 1 "$name" "did not say '$word' once"
	else
		report 0 "$name"
	fi
}

# Runs it with a bad argument and wants exit 2 and a message that names the argument.
refuses() { # NAME PROGRAM ARGUMENT...
	local name=$1 status=0
	shift
	timeout -k 5 "$limit" "$@" >"$log" 2>&1 </dev/null || status=$?
	if [ "$status" -ne 2 ]; then
		report 1 "$name" "exit status $status, expected 2"
	elif ! grep -qF "'${*: -1}'" "$log"; then
		report 1 "$name" "the message does not name '${*: -1}'"
	else
		report 0 "$name"
	fi
}

while read -r program; do
	name=${program#"$folder"/}
	verifies "$name" "$program"
	[ -z "$quick" ] || continue
	case $(timeout "$limit" "$program" --help 2>/dev/null) in
	*SIZE*)
		min=$("$program" --help | sed -n 's/.*, \([0-9]*\) to [0-9]*, normally.*/\1/p')
		for size in "$min" 33 129; do
			verifies "$name $size" "$program" "$size"
		done
		for size in 0 -5 12x 99999999999999999999; do
			refuses "$name $size" "$program" "$size"
		done ;;
	usage:*)
		refuses "$name 12" "$program" 12 ;;
	*)
		: >"$log"
		report 1 "$name --help" "no usage" ;;
	esac
done < <(find "$folder" -type f -executable ! -name '*.*' ${without:+! -path "$folder/$without/*"} | LC_ALL=C sort)
echo "1..$count"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
