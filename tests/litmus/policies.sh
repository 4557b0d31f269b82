#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The litmus tests beside kernels of another context, which come and go: under each policy, with each mechanism that saves blocks. Where
# priorities count the other context is the more important one. The trace has to say that SMs were taken, of policies that give out parts
# of SMs that blocks left, of smk and leftover that two kernels shared an SM (the test's blocks have too little for smk to take any), of
# those that take nothing that nothing was taken. What is forbidden must not be seen, and the other context's kernels must have computed what they should.
#
# usage: tests/litmus/policies.sh [--quick | --once] [--runs N] [PROGRAM]    PROGRAM: build/litmus-all
#   --quick   a mechanism and a protocol for each policy
#   --once    each policy, mechanism and protocol one time, every other time with late pages
# A table in OUT (out/litmus)/policies.md: for each policy and mechanism, under each protocol, how many outcomes of the tests were seen.
set -u
cd "$(dirname "$0")/../.." || exit
runs=30 quick= once= out=${OUT:-out/litmus}
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=1; shift ;;
	--once) once=1; shift ;;
	--runs) runs=${2:?--runs N}; shift 2 ;;
	-*) echo "usage: $0 [--quick | --once] [--runs N] [PROGRAM]" >&2; exit 2 ;;
	*) break ;;
	esac
done
program=${1:-build/litmus-all}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
base=sms=2,block_placement=breadth,timing=pipeline
policies=(dss spart static round-robin,time_slice_us=100 smk,kernels_per_sm=4 smk-p,kernels_per_sm=4 smk-pw,kernels_per_sm=4
	ppq-exclusive ppq-shared npq fcfs leftover,kernels_per_sm=4)
mechanisms=(switch pep chimera)
protocols=(rcc,sc_core=1 rcc gpu tcw mesi,sc_core=1 tcs,sc_core=1 rcc-wo gpu-vi,sc_core=1 sc-ideal,sc_core=1)
# fields, arguments: as it is; pages that come when they are touched, late
ways=(":" ",allocation=lazy,page_arrival_ps=1000000:-f")
failed=0 number=0
export VGPU_PRIORITIES=0,1
mkdir -p "$out"

happened() { # POLICY
	case $1 in
	smk-p*) grep -q 'told to leave to saved' "$dir/stats" ;;
	smk* | leftover*) grep -qE '^Kernels side by side on an SM: .*, 2 for [0-9.]+ %' "$dir/stats" ;;
	# they take none: budgets of static are always the same, and the others wait for the end of kernels
	static | npq | fcfs) ! grep -q 'preemptions of an SM' "$dir/stats" ;;
	*) grep -qE '^[1-9][0-9]* preemptions of an SM' "$dir/stats" ;;
	esac
}

# Both contexts begin together only nearly, so that one may have ended before: it has four tries, each with twice the runs.
one() { # POLICY MECHANISM PROTOCOL WAY [TRY]
	local strict= status n=$((runs << (${5:-1} - 1)))
	case $3 in *sc_core=1) strict=-s ;; esac
	# shellcheck disable=SC2086
	VGPU_TRACE=$dir/trace VGPU_SET=$base,policy=$1,preemption=$2,coherence=$3${4%%:*} timeout 300 \
		"$program" -n $n -b 4 ${4#*:} $strict >"$dir/said" 2>"$dir/error"
	status=$?
	build/tools/vgpu-trace stats "$dir/trace" >"$dir/stats" 2>&1
	if [ $status -ne 0 ] || grep -qE 'FORBIDDEN|wrong' "$dir/said"; then
		echo "policy=$1,preemption=$2,coherence=$3${4%%:*}: status $status"
		grep -E 'FORBIDDEN|wrong' "$dir/said"
		grep -v 'no such blocks here' "$dir/error"
		failed=1
	elif ! happened "$1"; then
		[ "${5:-1}" -lt 4 ] && { one "$1" "$2" "$3" "$4" $((${5:-1} + 1)); return; }
		echo "policy=$1,preemption=$2,coherence=$3${4%%:*}: the trace does not say that SMs were shared as this policy does"
		failed=1
	else
		cat "$dir/said" >>"$dir/seen"
	fi
}

# POLICY MECHANISM: a row; columns as in the table's head
row() {
	printf '| %s | %s |' "${1%%,*}" "$2"
	for protocol in "${protocols[@]}"; do
		[ -e "$dir/$1.$2.$protocol" ] || { printf ' |'; continue; }
		awk '{ seen[$1, $3] = $5 } END { for (o in seen) { all++; weak += seen[o] != "sc" } printf weak ? " %d (%d) |" : " %d |", all, weak }' "$dir/$1.$2.$protocol"
	done
	echo
}

{
	printf '| policy | mechanism |'
	for protocol in "${protocols[@]}"; do printf ' %s |' "$(sed 's/,sc_core=1/, sc_core/' <<<"$protocol")"; done
	printf '\n|---|---|%s\n' "$(printf -- '---|%.0s' "${protocols[@]}")"
} >"$out/policies.md"
for policy in "${policies[@]}"; do
	for mechanism in "${mechanisms[@]}"; do
		for protocol in "${protocols[@]}"; do
			for way in "${ways[@]}"; do
				number=$((number + 1))
				# of the 54 of a policy another one each time
				[ "$quick" ] && [ $((number % 61)) -ne 1 ] && continue
				# two numbers are one protocol
				[ "$once" ] && [ $((number % 2)) -ne $(((number + 1) / 2 % 2)) ] && continue
				rm -f "$dir/seen"
				one "$policy" "$mechanism" "$protocol" "$way"
				[ ! -e "$dir/seen" ] || cat "$dir/seen" >>"$dir/$policy.$mechanism.$protocol"
			done
		done
		row "$policy" "$mechanism" >>"$out/policies.md"
	done
done
exit $failed
