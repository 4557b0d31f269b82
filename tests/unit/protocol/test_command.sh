#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One exploration by hand (command.h): the published defect of RCC as docs/coherence.md shows it, a litmus test from a file, and what is wrong is named.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

# NAME STATUS LINE ARGUMENTS...: it ends so, and says this line
says() {
	local name=$1 expected=$2 line=$3 status=0
	shift 3
	timeout 300 build/explore "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	count=$((count + 1))
	if [ "$status" -eq "$expected" ] && grep -qFx -e "$line" "$dir/said"; then
		echo "ok $count - $name"
	else
		failed=1
		sed 's/^/# /' "$dir/said"
		echo "not ok $count - $name (status $status)"
	fi
}

cat >"$dir/mp.litmus" <<'END'
PTX MP
{ x=0; y=0; }
 P0             | P1              ;
 st.relaxed x,1 | ld.relaxed r0,y ;
 st.relaxed y,1 | ld.relaxed r1,x ;
exists (1:r0=1 /\ 1:r1=0)
END
echo 'PTX MP' >"$dir/bad.litmus"
# 7 stores of each of 4 threads: many runs, few states
{
	printf 'PTX long\nP0|P1|P2|P3;\n'
	for n in 1 2 3 4 5 6 7; do echo "st x,$n|st x,$n|st x,$n|st x,$n;"; done
	printf 'ScopeTree(cta P0 P1 P2 P3)\nexists (x=7)\n'
} >"$dir/long.litmus"

says "RCC as published is not sequentially consistent" 0 "r0=1 r1=0   not sequentially consistent" \
	rcc MP as_published=1 evictions=1 warm=4 l1_evicts=0
says "corrected it is" 0 "3 outcomes, 3 of sequential consistency; 364 states, 0 deadlocks, 0 rollovers" rcc MP evictions=1 warm=4 l1_evicts=0
says "a litmus test from a file, under gpu" 0 "Observation MP Sometimes 1 3" gpu "$dir/mp.litmus" warm=4
says "with fences" 0 "Observation MP Never 0 3" gpu "$dir/mp.litmus" warm=4 fences=1
says "under rcc" 0 "Observation MP Never 0 3" rcc "$dir/mp.litmus" warm=4
says "a file without a program" 2 "$dir/bad.litmus, line 2: no instructions" rcc "$dir/bad.litmus"
says "a program that is too long for fences" 2 "fences: a thread has more than 4 instructions" rcc "$dir/long.litmus" fences=1
says "an option that there is not" 2 \
	"luck=1: no such option; OPTION=NUMBER, where OPTION is lease limit partitions evictions l1_evicts ticks purges warm unordered as_published fault fences" \
	rcc MP luck=1
says "two partitions at most" 2 "partitions: 1 or 2" rcc MP partitions=3
echo "1..$count"
exit $failed
