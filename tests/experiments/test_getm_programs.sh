#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs of GETM: each is right with locks, with two seeds, on a weakly ordered pipeline too, and without locks its check says that it
# is wrong; no races in those that read nothing outside of critical sections; what is refused.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

run() { # PROGRAM WORKLOAD OPTION...
	local program=$1
	shift
	VGPU_TRANSPORT=embedded timeout 300 build/experiments/getm/"$program" "$@" >"$dir/said" 2>"$dir/why"
}

# An eighth of the paper's work
for work in ht:HT-H ht:HT-M ht:HT-L atm:ATM cl:CL cl:CLto bh:BH cc:CC ap:AP; do
	program=${work%:*} name=${work#*:}
	for seed in 1 2; do
		run "$program" "$name" --scale 8 --seed $seed && [ ! -s "$dir/why" ] &&
			grep -qx "$name: form=lock size=[0-9]* threads=[0-9]* seed=$seed sections=[1-9][0-9]* verified" "$dir/said"
		ok "$name with locks, seed $seed" $?
	done
	run "$program" "$name" --scale 8 --form none
	[ $? -eq 1 ] && [ -s "$dir/why" ] && grep -q "^$name: form=none .* WRONG$" "$dir/said"
	ok "$name without: the check fails" $?
	VGPU_PRESET=rcc VGPU_SET=coherence=tcw,sc_core=0 run "$program" "$name" --scale 16 && grep -q ' verified$' "$dir/said"
	ok "$name with locks, on a weakly ordered pipeline" $?
done

raced() { # PROGRAM WORKLOAD FORM
	VGPU_TRANSPORT=embedded timeout 300 tools/vgpu-sanitizer --tool racecheck --error-exitcode 99 \
		build/experiments/getm/"$1" "$2" --form "$3" --scale 64 >/dev/null 2>"$dir/why"
}

for work in ht:HT-H atm:ATM cl:CL ap:AP; do
	program=${work%:*} name=${work#*:}
	raced "$program" "$name" lock && grep -q 'SUMMARY: 0 errors' "$dir/why"
	ok "$name with locks: no races" $?
	raced "$program" "$name" none
	[ $? -eq 99 ]
	ok "$name without: races" $?
done

run ht HT-X
[ $? -eq 2 ] && grep -q 'one of HT-H HT-M HT-L' "$dir/why"
ok "a workload that is none" $?
run ht HT-H --form mutex
[ $? -eq 2 ] && grep -q "'mutex': one of lock, tx, none" "$dir/why"
ok "a form that is none" $?
run ht HT-H --threads 0
[ $? -eq 2 ] && grep -q "threads '0': a number from 1" "$dir/why"
ok "a number that is none" $?
run atm ATM --scale 100000
[ $? -eq 2 ] && grep -q 'nothing is left' "$dir/why"
ok "too small a scale" $?
run atm ATM --rounds 10000
[ $? -eq 2 ] && grep -q 'operations are the most' "$dir/why"
ok "too many operations" $?
run atm ATM --size 1
[ $? -eq 1 ] && grep -q 'between two accounts' "$dir/why"
ok "too few accounts" $?
echo "1..$count"
exit $failed
