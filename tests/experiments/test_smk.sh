#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of SMK: the command that runs programs side by side, a small run of all, and report.awk with runs made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/smk
smk=$PWD/build/experiments/smk/smk
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

# What kernels compute side by side, programs find right: two or three on an SM, with blocks that leave.
verified() { # POLICY PROGRAM...
	"$smk" --verify --policy "$@" >"$dir/said" 2>&1 && [ "$(grep -c ': verified$' "$dir/said")" -eq $(($# - 1)) ]
	ok "$*: all verify" $?
}
verified smk histo:20 sad:1 lbm:4
verified smk-p cutcp:4 stencil:32
verified smk-pw tpacf:2 mri-q:16 spmv:4096
verified spart sgemm:1 mri-gridding:2

"$smk" --csv --cycles 30000 --policy smk --policy smk-p --policy smk-pw --policy spart --trace "$dir/trace" lbm tpacf >"$dir/lines" 2>&1
ok "a pair under four policies" $?
[ "$(grep -c '^run,' "$dir/lines")" -eq 10 ] && [ "$(grep -c '^mix,' "$dir/lines")" -eq 6 ] && [ "$(grep -c '^mix,lbm+tpacf,.*,CM,2,' "$dir/lines")" -eq 4 ]
ok "a line for each program, and one for each mix" $?
# 6.1: STP is the sum of normalized IPCs, ANTT the mean of their reciprocals, fairness the least by the largest
awk -F, '/^run,/ && $3 == "alone" { alone[$4] = $6 / $5 }
	/^run,/ && $3 != "alone" { x = $6 / $5 / alone[$4]; n[$3]++; stp[$3] += x; antt[$3] += 1 / x
		least[$3] = n[$3] == 1 || x < least[$3] ? x : least[$3]; most[$3] = x > most[$3] ? x : most[$3] }
	function differs(a, b) { return a - b > 0.0002 || b - a > 0.0002 }
	/^mix,/ && $3 != "alone" { seen++; if (differs($6, stp[$3]) || differs($7, antt[$3] / 2) || differs($8, least[$3] / most[$3])) bad = 1 }
	END { exit bad || seen != 4 }' "$dir/lines"
ok "the metrics of 6.1" $?
# With timing=pipeline a scheduler issues or stalls: at most four times as many cycles as 16 SMs have
awk -F, '/^run,/ { issued[$2 $3] += $7 } /^mix,/ { all = $10 + $11 + $12 + issued[$2 $3]; if (all > 30100 * 64 || all < 20000 * 64) { bad = 1; print "# " $0, all } }
	END { exit bad }' "$dir/lines"
ok "issue slots are used or stalls" $?
build/tools/vgpu-trace stats "$dir/trace" | grep -q '^Kernels, from the first thread block to the last'
ok "a trace of the last run" $?
"$smk" --csv --cycles 30000 --alone "$dir/lines" --policy smk-pw lbm tpacf >"$dir/again" 2>&1 &&
	cmp <(grep ',lbm+tpacf,smk-pw,' "$dir/lines") "$dir/again"
ok "the same again, with the runs alone of before" $?
# A kernel that ends is launched again (6.1)
"$smk" --csv --cycles 100000 --policy smk-p spmv:1024 histo:1 >"$dir/lines" 2>&1
awk -F, '/^run,/ { seen++; if ($8 < 2) bad = 1 } END { exit bad || seen != 4 }' "$dir/lines"
ok "kernels are launched again" $?
"$smk" --csv --cycles 30000 --set l1_global=0 mri-q >"$dir/less" 2>&1 && "$smk" --csv --cycles 30000 mri-q >"$dir/more" 2>&1
[ "$(sed -n 's/^run,[^0-9]*,30000,\([0-9]*\),.*/\1/p' "$dir/more")" -gt "$(sed -n 's/^run,[^0-9]*,30000,\([0-9]*\),.*/\1/p' "$dir/less")" ]
ok "a setting changes the device" $?

# 6.7: 16 SMs of four kernels each; "about 2.8KB"
says "the counters of 6.7" 0 "partitions: 448 counters, quotas: 256, together 2816 bytes" "$smk" --set kernels_per_sm=4 --overhead
says "no such program" 2 "no program 'fft'" "$smk" fft
says "no such policy" 2 "--policy fair: there is none" "$smk" --policy fair lbm
says "twice" 2 "sad twice" "$smk" sad:1 sad:1
says "too few cycles" 2 "--cycles 10: must be a number from 1000" "$smk" --cycles 10 lbm
says "no program at all" 2 "from one to 8 programs are needed" "$smk"
says "no such field" 1 "nonsense: unknown field or knob" "$smk" --set nonsense=1 sad:1
says "a bad size" 2 "sad: size 'many' is not a number" "$smk" sad:many
says "no such file" 1 "$dir/none: No such file" "$smk" --alone "$dir/none" sad:1
says "help" 0 "usage: smk" "$smk" --help

[ "$("$here/run.sh" --list | sort -u | wc -l)" -eq 45 ]
ok "45 pairs" $?
FULL=1 "$here/run.sh" --list | awk -F+ '{ n[NF]++; if (seen[$0]++) bad = 1 } END { exit bad || n[3] != 56 || n[4] != 70 }'
ok "56 mixes of three and 70 of four, none twice" $?
OUT=$dir/a CYCLES=40000 FULL=1 MIXES_OF_3=1 MIXES_OF_4=1 "$here/run.sh" lbm+tpacf histo+lbm >"$dir/log" 2>&1
ok "a small run" $?
[ "$(grep -c '^mix,lbm+tpacf,' "$dir/a/runs.csv")" -eq 4 ] && [ "$(grep -c '^mix,small histo+lbm,' "$dir/a/runs.csv")" -eq 4 ] &&
	[ "$(grep -c '^mix,[^,]*,smk-pw-2,' "$dir/a/runs.csv")" -eq 2 ] && grep -qE '^\| 13 \| stp_over_spart \| smk-pw \| lbm\+tpacf \| 1.200 \| [0-9.]+ ± 0.000 \|.*\| (yes|direction|no) \|$' "$dir/a/verdict.md" &&
	[ "$(grep -cE '^\| (cutcp|lbm|sgemm|spmv|stencil|tpacf) \| [0-9]+ \| [0-9.]+ % \| [0-9.]+ % \|' "$dir/a/verdict.md")" -eq 6 ]
ok "its lines, its verdict, and table 2" $?
says "no such option" 2 "no option '--fast'" "$here/run.sh" --fast
says "no such program in a mix" 2 "fft+lbm: no program 'fft'" env OUT="$dir/b" "$here/run.sh" fft+lbm

# Two pairs C+M and one M+M by hand: POLICY STP FAIRNESS STALLS
by_hand() { # MIX CLASS POLICY STP ANTT FAIRNESS ISSUE CONTROL DATA
	echo "mix,$1,$3,$2,2,$4,$5,$6,0.9,$7,$8,$9,0.5,0.5"
}
{
	by_hand lbm+tpacf CM spart 1.2 1.7 0.8 100 100 200
	by_hand lbm+tpacf CM smk-pw 1.5 1.4 0.7 80 100 200
	by_hand cutcp+lbm CM spart 1.4 1.5 0.8 100 100 200
	by_hand cutcp+lbm CM smk-pw 1.6 1.3 0.9 60 80 240
	by_hand lbm+stencil M spart 1.0 2.0 1.0 50 50 50
	by_hand lbm+stencil M smk-pw 1.0 2.0 1.0 50 50 50
} >"$dir/runs.csv"
report() { # EXPECTED
	mkdir -p "$dir/report"
	awk -v out="$dir/report" -v table2="$here/table2.csv" -f "$here/report.awk" "$1" "$dir/runs.csv"
}
report "$here/expected.csv" >"$dir/verdict"
# (1.5 + 1.6) / (1.2 + 1.4); stalls 380 and 380 of 400 each; those of issue 140 of 200, of data 440 of 400
grep -q '^| 12a | stp_over_spart | smk-pw | C+M | 1.170 | 1.192 ± 0.053 | 1.13 ± 0.31 | yes |$' "$dir/verdict" &&
	grep -q '^| 14 | stalls_over_spart | smk-pw | C+M | 0.914 | 0.950 ± 0.000 | 0.58 ± 0.00 | direction |$' "$dir/verdict" &&
	grep -q '^| 14 | issue_stalls_over_spart | smk-pw | C+M | 0.805 | 0.700 ± 0.100 |' "$dir/verdict" &&
	grep -q '^| 14 | data_stalls_over_spart | smk-pw | C+M | 1.145 | 1.100 ± 0.100 |' "$dir/verdict" &&
	grep -q '^| 10b | fairness | smk-pw | all | 0.740 | 0.867 ± 0.088 |  | no |$' "$dir/verdict" &&
	grep -q '^| 12a | stp_over_spart | smk-pw | M+M | 1.051 | 1.000 ± 0.000 | 0.00 ± 0.00 | no |$' "$dir/verdict" &&
	grep -q '^| 13 | largest_stp_over_spart | smk-pw | all | 1.613 | 1.250 ± 0.000 |' "$dir/verdict" &&
	grep -q '^| 10a | stp | smk | C+M | 1.380 | - | | not run |$' "$dir/verdict"
ok "verdicts by hand" $?
grep -q '^| 12a: smk-pw has more throughput than spart, C+M | 1.550 > 1.300 | yes |$' "$dir/verdict" &&
	grep -q '^| 12a: smk-pw has more throughput than spart, M+M | 1.000 > 1.000 | no |$' "$dir/verdict" &&
	grep -q '^| 14: fewer of data | 220.000 > 200.000 | yes |$' "$dir/verdict"
ok "orderings by hand" $?
echo "12a,stp,spart,C+M" >"$dir/expected.csv"
says "a line that is none" 1 "expected.csv:1: five columns" report "$dir/expected.csv"
sed 's/^mix,lbm.stencil,smk-pw,M,2,1.0,/mix,/' "$dir/runs.csv" >"$dir/less.csv" && mv "$dir/less.csv" "$dir/runs.csv"
says "a line that is cut" 1 "a line of a mix has 14 columns" report "$here/expected.csv"
echo "1..$count"
exit $failed
