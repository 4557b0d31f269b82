#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of PEP and Chimera: points that can be computed by hand, a small run of all, and report.awk with runs made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/pep
pep=$PWD/build/experiments/pep/pep
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT COMMAND...: the command ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

"$pep" --profiled --schemes switch,chimera,chimera-dirty,pep >"$dir/points"
ok "profiled kernels" $?
# A block of CP has 16.5 KB, an SM eight of them and a sixteenth of 224 GB/s: 135168 / 14e9 = 9.655 us. The pipeline takes 200 cycles of 1216
# MHz, 0.1645. Of a block 0.656 are dirty at the base checkpoint (11084 bytes of it are saved, 6.333 us) and 0.368 behind it (6217, 3.553).
awk -F, '/^point,CP,/ { n[$3]++
		if ($3 == "switch" && ($8 < 9.818 || $8 > 9.821 || $10 != 0)) bad = 1
		if ($3 == "chimera-dirty" && ($8 < 6.496 || $8 > 6.500)) bad = 1
		if ($3 == "pep" && $6 > 5 && ($11 != "two" || $8 < 3.715 || $8 > 3.719 || $9 < 10.21 || $9 > 10.22)) bad = 1
		# the base checkpoint ends at 1.3 + 0.1645 + 6.333; the launch came at 5
		if ($3 == "pep" && $6 == 5 && ($11 != "one" || $8 < 2.796 || $8 > 2.800)) bad = 1 }
	END { exit bad || n["switch"] != 12 || n["chimera"] != 36 || n["pep"] != 24 }' "$dir/points"
ok "CP by hand" $?
# SRAD1: what is left of 1.8 us of a block is less than any deadline, so all schemes drain, for as long as a launch leaves of it
awk -F, '/^point,SRAD1,/ && $3 != "switch" { p = $6 " " $7; if ($3 == "chimera") latency[p] = $8; if ($8 != latency[p]) bad = 1; n += $11 == "drain" }
	END { exit bad || n != 36 + 36 + 24 }' "$dir/points"
ok "SRAD1 drains, the same with all" $?
"$pep" --profiled --schemes pep --set pep_in_place=1 >"$dir/more" && cmp <(grep ',pep,' "$dir/points") "$dir/more"
ok "where nothing is free, nothing stays in place" $?
"$pep" --profiled --schemes switch --printed | awk -F, '/^point,GM,/ { if ($8 < 17.89 || $8 > 17.91) bad = 1; n++ } END { exit bad || n != 12 }'
ok "switches as printed: GM takes 17.9 us" $?
# twice the SMs, half of the bandwidth for each: 2 * 9.655 + 0.1645
"$pep" --profiled --schemes switch --set sms=32 | awk -F, '/^point,CP,/ { if ($8 < 19.47 || $8 > 19.48) bad = 1; n++ } END { exit bad || n != 12 }'
ok "32 SMs" $?
# a kernel that may be flushed at any time is there at once, but blocks are flushed eight times at most
"$pep" --deadlines --quick >"$dir/late"
awk -F, '$3 == "flush" && $4 == 1 { n++; flushed += $14; if ($14 < $13) bad = 1 }
	$3 == "drain" && ($12 || $13 || $14) { bad = 1 } $5 != 128 && $3 != "drain" || $11 < -0.001 || $11 > 0.95 { bad = 1 }
	END { exit bad || n != 16 || !flushed }' "$dir/late"
ok "deadlines" $?
# what code writes: a base checkpoint at the beginning has all registers and shared memory, and later no more than that is dirty
"$pep" --compiled cutcp:8 stencil:64 >"$dir/written"
ok "compiled programs" $?
awk -F, '/^written/ { n++; if ($9 < $5 + $6 || $10 > $9 + 64 && $11 >= $12) bad = 1 } /^estimate/ { n++; if ($5 + $6 + $7 < 1) bad = 1 } END { exit bad || n != 24 }' "$dir/written"
ok "dirty registers and estimates" $?
"$pep" --split lbm:8 | awk -F, '{ n++; if ($5 != 2 * $3) bad = 1; if ($3 == 9 && $7) bad = 1 } END { exit bad || n != 30 }'
ok "nine blocks, of which some are switched" $?
"$pep" --decision | grep -qE '^decision,16 blocks,[0-9]+ ns$'
ok "a decision" $?

OUT=$dir/a "$here/run.sh" --quick >"$dir/log" 2>&1
ok "a small run" $?
# those that a small run leaves out, too
grep -oE -- '--set [a-z_]+=[0-9]+' "$here/pep.ini" | sort -u >"$dir/settings"
while read -r option setting; do
	"$pep" --profiled --schemes drain "$option" "$setting" >"$dir/said" 2>&1
	ok "the device has the field of pep.ini's $setting" $?
done <"$dir/settings"
grep -qE '^\| 4.10 \| latency_over_chimera \| pep \| long \| 0.415 \| 0\.[0-9]+ ± 0\.[0-9]+ \|.*\| (yes|direction|no) \|$' "$dir/a/verdict.md" &&
	grep -qE '^[0-9]+ yes, [0-9]+ of the right direction only, [0-9]+ no, [0-9]+ not run$' "$dir/a/verdict.md" &&
	[ "$(grep -cE '^\| (CP|LBM|MRI|ST|SC|GM|BS|KS|PF|SRAD[123]|HS|LUD|BP2?) \| [0-9.]+ \|' "$dir/a/verdict.md")" -eq 32 ]
ok "its verdict and its tables" $?
OUT=$dir/b "$here/run.sh" --quick >"$dir/log" 2>&1
cmp "$dir/a/runs.csv" "$dir/b/runs.csv" && cmp "$dir/a/verdict.md" "$dir/b/verdict.md"
ok "the same again" $?

# Two long kernels by hand: KERNEL SCHEME LATENCY STALL WAY BASE SAVED, a block of 16 KB an SM
by_hand() { echo "main,point,$1,$2,all,20,15,25,$3,$4,1,$5,$6,$7,0,1,16384,1000,3000,1"; }
{
	echo main,kernel,CP,516.2
	echo main,kernel,MRI,865.2
	by_hand CP chimera 10 10 switch 0 16384
	by_hand MRI chimera 20 20 switch 0 16384
	by_hand CP pep 4 9 two 10240 16384
	by_hand MRI pep 8 18 two 10240 14336
} >"$dir/runs.csv"
report() { # EXPECTED
	mkdir -p "$dir/report"
	awk -v out="$dir/report" -f "$here/report.awk" "$1" "$dir/runs.csv"
}
report "$here/expected.csv" >"$dir/verdict"
grep -q '^| 4.10 | latency_over_chimera | pep | long | 0.415 | 0.400 ± 0.000 | 1.03 ± 0.00 | yes |$' "$dir/verdict" &&
	grep -q '^| 4.9 | latency_us | chimera | all | 8.900 | 15.000 ± 5.000 |  | no |$' "$dir/verdict" &&
	grep -q '^| 4.11 | context_over_chimera | pep | long | 1.000 | 0.938 ± 0.062 |  | no |$' "$dir/verdict" &&
	grep -q '^| 4.8 | share_of_two | pep | over 100 us | 1.000 | 1.000 ± 0.000 |  | yes |$' "$dir/verdict" &&
	grep -q '^| 4.15 | stall_over_chimera | pep | long | 0.937 | 0.900 ± 0.000 | 1.59 ± 0.00 | direction |$' "$dir/verdict" &&
	grep -q '^| 4.5 | dirty_over_initial | compiled | 50 % | 0.618 | - | | not run |$' "$dir/verdict"
ok "verdicts by hand" $?
grep -q '^| 4.5.2: k blocks that are switched take longer than was estimated for each | 3.000 > 1.000 | yes |$' "$dir/verdict" &&
	grep -q '^| 4.15: some kernel stands longer with pep than with chimera | 0.900 > 1.000 | no |$' "$dir/verdict"
ok "orderings by hand" $?
echo "4.9,latency_us,pep,all" >"$dir/expected.csv"
says "a line that is none" 1 "expected.csv:1: five columns" report "$dir/expected.csv"
echo main,point,CP >>"$dir/runs.csv"
says "a line that is cut" 1 "a line of a point has 20 columns" report "$here/expected.csv"

says "no study" 2 "which study?" "$pep"
says "no such program" 1 "no program 'fft'" "$pep" --compiled fft
says "no program at all" 1 "from one to 8 programs" "$pep" --compiled
says "a program for profiles" 2 "lbm: only --compiled and --split take programs" "$pep" --profiled lbm
says "two programs to split" 2 "--split takes one program" "$pep" --split lbm sad
says "no such field" 1 "--set nonsense=1: there is no such field" "$pep" --profiled --set nonsense=1
says "not a value" 1 "--set sms=0: not a value of it" "$pep" --profiled --set sms=0
says "no variation" 2 "--vary much: must be a number from 0 to 1000" "$pep" --profiled --vary much
says "no setting" 2 "--set sms: must be KEY=VALUE" "$pep" --profiled --set sms
says "no such option" 2 "usage: pep" "$pep" --fast
says "help" 0 "usage: pep" "$pep" --help
says "no such option of the script" 2 "no option '--fast'" "$here/run.sh" --fast
echo "1..$count"
exit $failed
