#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of chapter 5 as a program: a small run of it, the figures and verdicts it leaves, what it refuses.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
chapter5=$PWD/build/experiments/chapter5
expected=tests/experiments/chapter5/expected.csv
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT ARGUMENT...: chapter5 ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$chapter5" "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

"$chapter5" --limit 1 --repeat 1 --workers 2 --quiet "$dir/a"
ok "one mix of each size" $?
[ "$(awk -F, 'NR > 1 { print $2, $4 }' "$dir/a/runs.csv" | sort -u | wc -l)" -eq 32 ]
ok "four sizes under eight configurations" $?
# every process of every run completed, and none was faster in company than 2 % before alone
awk -F, 'NR > 1 && ($17 < 1 || $16 < 0.9) { bad = 1; print "# " $0 } END { exit bad }' "$dir/a/runs.csv"
ok "every process ran to its end" $?
# under npq and ppq the favoured process is not worse off than under fcfs
awk -F, 'NR > 1 && $13 { ntt[$1, $4] = $16; mix[$1] } END {
	for (m in mix) if (ntt[m, "ppq-exclusive switch"] > 1.05 * ntt[m, "fcfs"]) bad = 1; exit bad }' "$dir/a/runs.csv"
ok "priority with preemption helps who has it" $?
[ "$(grep -c '^| 5\.' "$dir/a/verdict.md")" -gt 60 ] && grep -q '^[0-9]* yes, [0-9]* of the right direction only, [0-9]* no$' "$dir/a/verdict.md"
ok "verdicts" $?

# A paper that says the opposite gets the verdict "no".
sed 's/^5.4,\(.*\),all,8,15.6,/5.4,\1,all,8,0.5,/' "$expected" >"$dir/opposite.csv"
"$chapter5" --limit 1 --repeat 1 --quiet --expected "$dir/opposite.csv" "$dir/b"
grep -q '^| 5.4 | .* | ppq switch | all | 8 | 0.50 | .* | no |$' "$dir/b/verdict.md"
ok "a wrong direction is called so" $?
cmp "$dir/a/runs.csv" "$dir/b/runs.csv" && cmp "$dir/a/figures.csv" "$dir/b/figures.csv"
ok "the same again, however many workers" $?

# Blocks as short as printed: kernels end sooner, and what has CPU time is as long as before.
"$chapter5" --limit 1 --repeat 1 --quiet --printed-blocks "$dir/d"
awk -F, 'FNR == 1 { file++; next } file == 1 { before[$12] = $14 } file == 2 { now[$12] = $14 } END {
	for (app in now) {
		ratio = now[app] / before[app]
		short = app == "spmv" || app == "sgemm" || app == "mri-q"
		if (short ? ratio > 0.9 : ratio < 0.99 || ratio > 1.01) { bad = 1; print "# " app, ratio }
	}
	exit bad }' "$dir/a/runs.csv" "$dir/d/runs.csv"
ok "blocks as printed" $?

# Applications as long as their class lets them be; nothing bounds LONG ones, and mri-q is longer already (parboil_host.c).
"$chapter5" --limit 1 --repeat 1 --quiet --longest "$dir/e"
awk -F, 'BEGIN { class["spmv"] = class["sgemm"] = 4950; class["histo"] = class["tpacf"] = class["cutcp"] = 115000 }
	FNR == 1 { file++; next } file == 1 { before[$12] = $14 } file == 2 { now[$12] = $14 } END {
	for (app in now) {
		ratio = now[app] / (app in class ? class[app] : before[app])
		if (ratio < 0.99 || ratio > 1.01) { bad = 1; print "# " app, ratio }
	}
	exit bad }' "$dir/a/runs.csv" "$dir/e/runs.csv"
ok "applications as long as may be" $?

says "no such file" 1 "No such file" --expected "$dir/none.csv" "$dir/c"
says "no folder" 2 "one folder is needed"
says "a bad number" 2 "--rounds 0: must be a number from 1" --rounds 0 "$dir/c"
says "no such CPU time" 2 "--cpu ten: must be a number from 0" --cpu ten "$dir/c"
says "no such option" 2 "--help" --colour "$dir/c"
says "help" 0 "usage: chapter5" --help
echo "1..$count"
exit $failed
