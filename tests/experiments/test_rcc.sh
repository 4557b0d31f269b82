#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of RCC: report.awk with counters made by hand, a small program under two protocols, and what is refused.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/rcc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# Two programs of each class: rcc takes a half and an eighth of mesi's time, a geometric mean of 4; the standard error of the logarithms is
# ln 2, so 2.77. Of four loads of rcc one hits; 3 of its 4 expired loads are renewed, and these 3 flits would be 15.
{
	for p in A:inter:100:50 B:inter:800:100 C:intra:100:100 D:intra:100:100; do
		IFS=: read -r name class mesi rcc <<<"$p"
		echo "mesi,$class,$name,duration_ps,$mesi"
		echo "rcc,$class,$name,duration_ps,$rcc"
		echo "rcc,$class,$name,logical_time,$((rcc == 50 ? 0 : 1))"
		for c in l1_hits:1 l1_misses:2 l1_merged:1 l1_expired:4 l1_renewed:3 stores:2 atomics:0 load_cycles:400 store_cycles:600 atomic_cycles:0 \
			flits_load:47 flits_renew:3 \
			sc_stalls:2 sc_stall_cycles:100 sc_stall_write_cycles:75 inst_global_load:4 inst_shared_store:6; do echo "rcc,$class,$name,${c%:*},${c#*:}"; done
		for c in l1_hits:4 l1_misses:0 stores:4 load_cycles:400 store_cycles:1200 flits_load:100 \
			sc_stalls:2 sc_stall_cycles:200 sc_stall_write_cycles:100 inst_generic_atomic:8; do echo "mesi,$class,$name,${c%:*},${c#*:}"; done
	done
} >"$dir/runs.csv"
printf '%s\n' 'a,1,speedup,rcc,mesi,inter,4' 'b,1,speedup,rcc,mesi,A,2.6' 'c,1,speedup,rcc,mesi,A,1.4' 'd,1,speedup,rcc,mesi,A,0.5' \
	'e,1,speedup,rcc,mesi,intra,1' 'f,1,miss_rate,rcc,-,A,0.7' 'g,1,traffic,rcc,mesi,inter,0.5' 'h,1,renewal_traffic,rcc,-,inter,0.8' \
	'i,1,premature,rcc,-,inter,most' 'j,1,stalls,rcc,mesi,inter,0.5' 'k,1,store_over_load,mesi,-,inter,3' 'l,1,resolving,rcc,mesi,A,0.5' \
	'm,1,speedup,tcs,mesi,inter,3' 'n,1,expired_share,rcc,-,intra,none' 'o,1,cycles_of_a_unit,rcc,-,inter,0.25' 'p,1,cycles_of_a_unit,rcc,-,B,0.14' \
	'q,1,often_stalled,mesi,-,all,at most 3' 'r,1,often_stalled,rcc,-,all,at most 0' 's,1,share_behind_writes,rcc,-,inter,most' >"$dir/expected.csv"
awk -f $here/report.awk "$dir/expected.csv" "$dir/runs.csv" >"$dir/verdict"
ok "report.awk" $?
row() { # BAR OURS ERROR VERDICT
	awk -F'|' -v bar="$1" -v want="$2 $3 $4" '{ gsub(/ /, "", $2) } $2 == bar { gsub(/ /, "", $7); gsub(/ /, "", $8); gsub(/ /, "", $9); got = $7 " " $8 " " $9 }
		END { if (got != want) { print bar ": " got > "/dev/stderr"; exit 1 } }' "$dir/verdict"
}
row a 4.00 2.77 yes
ok "a geometric mean and its standard error" $?
row b 2.00 0.00 direction && row c 2.00 0.00 direction && row d 2.00 0.00 no
ok "verdicts: too little, too much, the other way" $?
row e 1.00 0.00 yes && row f 0.75 0.00 yes && row g 0.50 0.00 yes && row n 1.00 0.00 no
ok "nothing, a share, traffic" $?
# 50 flits of 62; 3 of 4; a store of mesi takes 300 cycles and a load 100
row h 0.81 0.00 yes && row i 0.75 0.00 yes && row j 0.50 0.00 yes && row k 3.00 0.00 yes
ok "what follows from counters" $?
# 50 cycles a stall over 100; 2 of 8 accesses of mesi stall, in all four programs, and 2 of 10 of rcc
row l 0.50 0.00 yes && row q 4.00 0.00 no && row r 0.00 0.00 yes && row s 0.75 0.00 yes
ok "accesses that stall" $?
# 100 ps at 1.4 GHz are 0.14 cycles, for one unit; of a program whose time stands still nothing is said
row o 0.14 0.00 no && row p 0.14 0.00 yes
ok "how fast logical time goes" $?
! grep -q '^| m ' "$dir/verdict" && grep -q '^12 within a third, 2 in the same direction, 4 not' "$dir/verdict"
ok "what was not run has no verdict" $?
echo 'a,b' >>"$dir/runs.csv"
awk -f $here/report.awk "$dir/expected.csv" "$dir/runs.csv" >"$dir/said"
[ $? -eq 1 ] && grep -q 'runs.csv:[0-9]*: 5 fields' "$dir/said"
ok "a line that is none" $?
$here/run.sh --fast >"$dir/said" 2>&1
[ $? -eq 2 ] && grep -q "no option '--fast'" "$dir/said"
ok "an option that is none" $?

# The programs are right, here under two protocols; with both a kernel takes some time
for scheme in rcc mesi; do
	for program in inter:STN inter:DLB inter:VPR intra:HSP intra:NDL; do
		VGPU_TRANSPORT=embedded VGPU_PRESET=rcc VGPU_SET=coherence=$scheme build/experiments/rcc/"${program%:*}" "${program#*:}" >"$dir/said" 2>&1 &&
			grep -qx "${program#*:}: verified" "$dir/said"
		ok "$scheme: $program" $?
	done
done
build/experiments/rcc/inter nothing >"$dir/said" 2>&1
[ $? -eq 2 ] && grep -q 'one of BFS BH CL DLB STN VPR' "$dir/said"
ok "a program that is none" $?
echo "1..$count"
exit $failed
