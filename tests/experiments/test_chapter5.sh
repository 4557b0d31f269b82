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
[ "$(awk -F, 'NR > 1 { print $2, $4 }' "$dir/a/runs.csv" | sort -u | wc -l)" -eq 36 ]
ok "four sizes under nine configurations" $?
# every process of every run completed, and none was faster in company than 2 % before alone
awk -F, 'NR > 1 && ($17 < 1 || $16 < 0.9) { bad = 1; print "# " $0 } END { exit bad }' "$dir/a/runs.csv"
ok "every process ran to its end" $?
# under npq and ppq the favoured process is not worse off than under fcfs
awk -F, 'NR > 1 && $13 { ntt[$1, $4] = $16; mix[$1] } END {
	for (m in mix) if (ntt[m, "ppq-exclusive switch"] > 1.05 * ntt[m, "fcfs"]) bad = 1; exit bad }' "$dir/a/runs.csv"
ok "priority with preemption helps who has it" $?
[ "$(grep -c '^| 5\.' "$dir/a/verdict.md")" -gt 60 ] && grep -q '^[0-9]* yes, [0-9]* of the right direction only, [0-9]* no$' "$dir/a/verdict.md"
ok "verdicts" $?

# Both readings of fcfs: another baseline for 5.4 and 5.6 to 5.8, the same for 5.5.
! cmp -s "$dir/a/figures.csv" "$dir/a/figures-batches.csv" && [ "$(grep -c '^5\.5' "$dir/a/figures.csv")" -gt 0 ] &&
	cmp <(grep '^5\.5' "$dir/a/figures.csv") <(grep '^5\.5' "$dir/a/figures-batches.csv")
ok "figures against fcfs in batches" $?

# eight applications of the mix of eight, and three classes
[ "$(grep -cE '^\| [a-z]+(-[a-z]+)? \| (SHORT|MEDIUM|LONG) ' "$dir/a/profile.md")" -eq 8 ] && [ "$(grep -c '^| [SML][A-Z]* | 1*[02]*' "$dir/a/profile.md")" -eq 3 ]
ok "a profile" $?
# one mix of eight, so one application with priority
grep -qE '^\| lbm \| [0-9.]+ \| [0-9.]+ \| [0-9]+ \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \|$' "$dir/a/profile.md"
ok "what sharing changes" $?

# A paper that says the opposite gets the verdict "no".
sed 's/^5.4,\(.*\),all,8,15.6,/5.4,\1,all,8,0.5,/' "$expected" >"$dir/opposite.csv"
"$chapter5" --limit 1 --repeat 1 --quiet --expected "$dir/opposite.csv" "$dir/b"
grep -q '^| 5.4 | .* | ppq switch | all | 8 | 0.50 | .* | no |$' "$dir/b/verdict.md"
ok "a wrong direction is called so" $?
# Effects are judged, not quotients: no loss where the paper has one of 1.34 is a "no", and so is a share that is far away.
awk -F'|' '$2 ~ /5.8b/ && $6 ~ / 8 / { rows++; loss = $8 + 0; if (loss < 1.02 && $10 !~ / no /) bad = 1 }
	$2 ~ /5.7/ && $3 ~ /share/ && $7 ~ /0.20/ { rows++; if ($8 + 0 > 0.31 && $10 !~ / no /) bad = 1 }
	END { exit bad || rows != 8 }' "$dir/a/verdict.md"
ok "what is close to 1 can fail" $?
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

# A setting changes the device: with a slow interconnect applications alone take longer; with batches both baselines are one.
"$chapter5" --limit 1,0,0,1 --no-shared --repeat 1 --quiet --set link_bandwidth=2000000000 --set fcfs_batch=1 "$dir/f"
awk -F, 'FNR == 1 { file++; next } file == 1 { before[$12] = $14 } file == 2 && $12 == "sgemm" { seen = 1; bad = $14 < 1.2 * before[$12] }
	END { exit bad || !seen }' "$dir/a/runs.csv" "$dir/f/runs.csv"
ok "settings of the device" $?
cmp "$dir/f/figures.csv" "$dir/f/figures-batches.csv"
ok "fcfs_batch is what the second baseline is" $?
[ "$(awk -F, 'NR > 1 { print $2, $4 }' "$dir/f/runs.csv" | sort -u | wc -l)" -eq 14 ] && ! grep -q 'shared' "$dir/f/runs.csv" &&
	! grep -q '6 processes\|5.5b' "$dir/f/verdict.md"
ok "two sizes, without ppq-shared" $?
"$chapter5" --limit 0,0,0,1 --no-shared --repeat 1 --quiet --set link_bandwidth=6000000000 --same-length "$dir/h"
awk -F, 'FNR == 1 { file++; next } file == 1 { before[$12] = $14 } file == 2 && $12 == "lbm" { seen = 1; ratio = $14 / before[$12] }
	END { exit !seen || ratio < 0.99 || ratio > 1.01 }' "$dir/a/runs.csv" "$dir/h/runs.csv"
ok "settings, and applications as long as before" $?
OUT=$dir/g VARIANTS="ours batches" tests/experiments/chapter5/sensitivity.sh 1,1,0,1 --repeat 1 >"$dir/table"
[ "$(grep -c '^| 5\.' "$dir/table")" -eq 20 ] && grep -q '^| effects within a third.* [0-9]*, [0-9]*, [0-9]* |$' "$dir/table"
ok "a table of assumptions" $?
OUT=$dir/s tests/experiments/chapter5/search.sh 1,0,0,0 1,0,0,0 1 >"$dir/search"
[ "$(grep -c '^| batches=0, link=' "$dir/search")" -gt 8 ] && grep -q '^Fitted, for reference' "$dir/search"
ok "a search" $?
touch "$dir/before"
OUT=$dir/s tests/experiments/chapter5/search.sh 1,0,0,0 1,0,0,0 1 >"$dir/again"
cmp "$dir/search" "$dir/again" && [ -z "$(find "$dir/s/search" -name runs.csv -newer "$dir/before")" ]
ok "a search goes on from what it has" $?

says "no mix" 2 "--limit: must leave a mix of some size" --limit 0 "$dir/c"
says "four sizes" 2 "--limit: must be one number or four" --limit 1,2 "$dir/c"
says "three classes" 2 "--cpu: must be one number or three" --cpu 100,50 "$dir/c"
says "no such field" 1 "nonsense: unknown field or knob" --limit 1 --set nonsense=1 "$dir/c"
says "no value" 2 "--set sms: must be KEY=VALUE" --set sms "$dir/c"
says "no such file" 1 "No such file" --expected "$dir/none.csv" "$dir/c"
says "no folder" 2 "one folder is needed"
says "a bad number" 2 "--rounds 0: must be a number from 1" --rounds 0 "$dir/c"
says "no such CPU time" 2 "--cpu ten: must be a number from 0" --cpu ten "$dir/c"
says "no such option" 2 "--help" --colour "$dir/c"
says "help" 0 "usage: chapter5" --help
echo "1..$count"
exit $failed
