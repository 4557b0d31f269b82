#!/bin/bash
# SPDX-License-Identifier: MIT
#
# many.sh: different CUDA programs as separate processes on the device at the same time: all must
# verify, whoever else is there, one of them being killed in the middle included.
#
# usage: many.sh FOLDER [ROUNDS]
#
# Each round starts all of the programs below at once, and one more that is killed while it runs.
# TRANSPORTS, if set, is a list of transports that the programs take in turn.
# One TAP line a program and round. CUDA_TEST_TIMEOUT is the limit of a round in seconds (600).
set -uo pipefail

programs=(saxpy sgemm histogram reduce stencil spmv nbody bitonic)
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -x "$1/${programs[0]}" ]; then
	echo "usage: many.sh FOLDER [ROUNDS]; FOLDER holds the built programs (${programs[*]})" >&2
	exit 2
fi
folder=$1
rounds=${2:-2}
read -ra transports <<<"${TRANSPORTS:-}"
limit=${CUDA_TEST_TIMEOUT:-600}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
count=0
failed=0

for ((round = 1; round <= rounds; round++)); do
	pids=()
	"$folder/nbody" 4000 >"$logs/victim" 2>&1 </dev/null &
	victim=$!
	disown "$victim"
	for i in "${!programs[@]}"; do
		name=${programs[$i]}
		[ "${#transports[@]}" -eq 0 ] || export VGPU_TRANSPORT=${transports[$((i % ${#transports[@]}))]}
		timeout -k 5 "$limit" "$folder/$name" >"$logs/$name" 2>&1 </dev/null &
		pids+=($!)
	done
	# Long enough that it holds memory and has work queued, short of its end.
	sleep 0.3
	kill -9 "$victim" 2>/dev/null
	for i in "${!programs[@]}"; do
		name=${programs[$i]}
		status=0
		wait "${pids[$i]}" || status=$?
		count=$((count + 1))
		if [ "$status" -eq 0 ] && grep -qx "$name: verified" "$logs/$name"; then
			echo "ok $count - round $round: $name beside ${#programs[@]} others"
		else
			failed=$((failed + 1))
			echo "not ok $count - round $round: $name: exit status $status"
			tail -n 20 "$logs/$name" | sed 's/^/#   /'
		fi
	done
done
echo "1..$count"
[ "$failed" -eq 0 ]
