#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu-sweep as docs/sweep.md has it: grids, what is run again, cells that fail, disks that are full, statistics, files. Slurm: test_sweep_slurm.sh.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
sweep=$PWD/tools/vgpu-sweep sim=$PWD/build/tools/vgpu-sim
dir=$(mktemp -d)
trap 'umount "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
count=0 failed=0
command -v parallel >/dev/null || { echo "GNU parallel is not installed (tools/setup unit brings it)"; exit 4; }

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else
		echo "not ok $count - $1"
		failed=1
		sed 's/^/# /' "$dir/said" 2>/dev/null | head -n 20
	fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }

# NAME STATUS TEXT ARGUMENT...: vgpu-sweep ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$sweep" "$@" >said 2>&1 </dev/null || status=$?
	[ "$status" -eq "$expected" ] && grep -qF -- "$text" said
	ok "$name" $?
}
# NAME TEXT LINE...: SPEC with these lines is refused with status 2, and TEXT
refused() {
	local name=$1 text=$2
	shift 2
	printf '%s\n' "$@" >bad.ini
	says "$name" 2 "vgpu-sweep: bad.ini:$text" --list bad.ini
	[ ! -e out ] || { echo "# it left a folder"; failed=1; }
}
table() { sed -n "s|^$2||p" "$1/table.csv"; }
until_there() { # FILE: a minute at most
	local n
	for ((n = 0; n < 600; n++)); do [ ! -e "$1" ] || return 0; sleep 0.1; done
	return 1
}

# ---- grids

cat >grid.ini <<'SPEC'
; of everything a bit
[axes]
program=a b heap-c
mode=stall switch
seed=1..3

[exclude]
program=heap-* mode=!stall
program=a|b seed=3

[variables]
set=
extra=plain,{set}

[when mode=switch]
set=switch=1
[when mode=switch program=b]
set=switch=2,{seed}

[sweep]
command=echo {program} {extra} \
	{nothing-here} ${HOME} {cell} \
	{ 1; }
SPEC
"$sweep" --list grid.ini >said 2>&1
ok "a grid is listed" $?
# 2 programs x 2 modes x 2 seeds, and 3 seeds of heap-c
cut -f 1 said >cells
[ "$(wc -l <cells)" -eq 11 ] && [ "$(sed -n 1p cells)" = program=a,mode=stall,seed=1 ] && [ "$(sed -n 4p cells)" = program=a,mode=switch,seed=2 ] &&
	[ "$(tail -n 1 cells)" = program=heap-c,mode=stall,seed=3 ]
ok "the last axis is the fastest, and what is excluded is left out" $?
grep -qxF $'program=b,mode=switch,seed=2\techo b plain,switch=2,2 {nothing-here} ${HOME} {cell} { 1; }' said &&
	grep -qxF $'program=a,mode=switch,seed=1\techo a plain,switch=1 {nothing-here} ${HOME} {cell} { 1; }' said
ok "axes and variables in a command; other braces stay" $?
"$sweep" --list -a 'program=b d/e,f' --define extra=X --define set=all grid.ini >said 2>&1
grep -qxF $'program=d%2Fe%2Cf,mode=stall,seed=3\techo d/e,f X {nothing-here} ${HOME} {cell} { 1; }' said && [ "$(wc -l <said)" -eq $((4 + 6)) ]
ok "other values and texts on the command line" $?
[ ! -e out ]
ok "a list leaves nothing behind" $?

# ---- vgpu-sim

printf '[global]\nrepeat=1\n[a]\nphase=kernel tbs=100 tb_us=50 tb_cv=0.2 threads=128\n[b]\nphase=kernel tbs=40 tb_us=20 threads=128\n' >a.job
printf '[axes]\njob=a.job\npolicy=fcfs dss\npreempt=none switch\nsms=4 8\nseed=1 2\n[exclude]\npolicy=fcfs preempt=switch\npolicy=dss preempt=none\n[sweep]\nkey=process\nmetrics=ntt\n' >sim.ini
VGPU_PRESET=nonsense "$sweep" -o sim sim.ini >said 2>&1
ok "policies, mechanisms, a field of the configuration, and seeds" $?
"$sim" --csv --policy dss --preempt switch --set sms=8 --seed 2 a.job | awk -F, 'NR > 1 { print $9 "," $13 }' >direct
"$sweep" -o sim --columns policy,sms,seed,process,ntt sim.ini | sed -n 's/^dss,8,2,//p' >by-sweep
[ "$(wc -l <direct)" -eq 2 ] && cmp direct by-sweep >said
ok "its cells have what vgpu-sim prints" $?
[ "$(grep -c '^"job=a.job' sim/cells.csv)" -eq 16 ] && head -n 1 sim/cells.csv | grep -q '^cell,state,job,policy,preempt,sms,seed,gpu,' &&
	python3 -c 'import json; rows = [json.loads(line) for line in open("sim/cells.jsonl")]
assert len(rows) == 16 and all(r["state"] == "done" and r["ntt"] >= 1 and r["seed"] in (1, 2) and len(r["version"]) == 8 for r in rows)
assert rows[0]["command"].startswith("vgpu-sim --csv --policy fcfs")' 2>said
status=$?
if command -v python3 >/dev/null; then ok "CSV and JSON lines" $status; else skip "CSV and JSON lines" "python3 is not installed"; fi
if command -v gnuplot >/dev/null; then
	[ -s sim/ntt.svg ] && grep -q '</svg>' sim/ntt.svg && [ ! -e sim/ntt.png ]
	ok "a picture" $?
else
	skip "a picture" "gnuplot is not installed"
fi

# ---- statistics: values by hand, of seeds 1 to 3

cat >program <<'SCRIPT'
#!/bin/bash
# KIND SEED: a is 1, 2, 3; b is 2, 3, 9
echo "$1.$2" >>runs
case $1 in a) x=$2 ;; b) x=$((2 ** $2)); [ "$2" -ne 2 ] || x=3; [ "$2" -ne 3 ] || x=9 ;; esac
echo "warm-up: took 77 ns"
echo "result: took $x ns, VGPU_SET=${VGPU_SET:-none}"
SCRIPT
chmod +x program
printf '[axes]\nkind=a b\nseed=1..3\n[sweep]\ncommand=./program {kind} {seed}\nbaseline=kind=a\npictures=none\n[metrics]\nns=took \\([0-9]*\\) ns\n' >kinds.ini
VGPU_SET=leaked "$sweep" -o kinds kinds.ini >said 2>&1
ok "a program and a metric of its text" $?
# a: s = 1, 1/sqrt(3), t(2) = 4.302653: 2 +- 2.48414. b: mean 14/3, s^2 = ((8/3)^2 + (5/3)^2 + (13/3)^2) / 2 = 14.3333,
# 2.18581, +- 9.40481. b/a: 2, 1.5, 3: mean 2.166667, s^2 = 0.583333, 0.440959, +- 1.89729
near() { awk -F, -v want="$2" 'BEGIN { n = split(want, w, " ") } { for (i = 1; i <= n; i++) if ($i - w[i] > 2e-5 || w[i] - $i > 2e-5) bad = 1; seen = 1 } END { exit bad || !seen }' <<<"$1"; }
cp kinds/table.csv said
near "$(table kinds a,ns,)" "3 2 0.577350 -0.484138 4.484138"
ok "mean, standard error and interval" $?
near "$(table kinds b,ns,)" "3 4.666667 2.185813 -4.738129 14.071462"
ok "of another" $?
near "$(table kinds b,ns/baseline,)" "3 2.166667 0.440959 0.269376 4.063957" && [ -z "$(table kinds a,ns/baseline)" ]
ok "ratios in pairs" $?
grep -q '^b     3  4.667 ± 9.4  2.167 ± 1.9$' kinds/table.txt && grep -qF '| b | 3 | 4.667 ± 9.4 | 2.167 ± 1.9 |' kinds/table.md
ok "tables to read" $?
grep -q 'VGPU_SET=none' kinds/cells/kind=a,seed=1/stdout
ok "a variable of the caller that would change results does not reach a cell" $?
# Student's distribution: 0.975 quantiles of printed tables, by n values 0, 0, ..., 1: mean 1/n, standard error 1/n
printf '[axes]\ndegrees=1 4 5 9 30 120\nseed=1..121\n[sweep]\ncommand=true\n' >quantile.ini
mkdir work
awk -v work=work -f "$(dirname "$sweep")/sweep/spec.awk" quantile.ini &&
	awk 'BEGIN { n = split("1 4 5 9 30 120", v, " "); for (i = 1; i <= n; i++) for (s = 1; s <= v[i] + 1; s++) printf "done\t%d\t%d\t%d\n", v[i], s, s == 1 }' >rows &&
	awk -v work=work -v metrics=x -f "$(dirname "$sweep")/sweep/table.awk" work/settings rows 2>said
awk -F, 'BEGIN { t[1] = 12.7062; t[4] = 2.77645; t[5] = 2.57058; t[9] = 2.26216; t[30] = 2.04227; t[120] = 1.97993 }
	NR > 1 { q = ($7 - $4) / $5; if (q - t[$1] > 5e-5 || t[$1] - q > 5e-5) { bad = 1; print $1, q } else right++ } END { exit bad || right != 6 }' work/table.csv >said
ok "quantiles of Student's distribution" $?

# ---- the example of the documentation, and the table that it prints

(cd "$OLDPWD" && "$sweep" -o "$dir/mix" docs/examples/sweep/mix.ini) >mix.table 2>said &&
	sed -n '/^    \$ tools\/vgpu-sweep --out out\/mix/,/^$/p' "$OLDPWD/docs/sweep.md" | sed '1d;/^$/d;s/^    //' | diff - mix.table >said
ok "the example prints what its page says" $?
sed -n '/^    \[axes\]/,/^    \$/p' "$OLDPWD/docs/sweep.md" | sed '$d;s/^    //' | grep . | diff - <(grep '^[^;]' "$OLDPWD/docs/examples/sweep/mix.ini") >said
ok "and is the one that its page has" $?

# ---- what is run again

runs() { sort runs | tr '\n' ' '; }
rm runs
"$sweep" -o kinds kinds.ini >said 2>&1 && [ ! -e runs ]
ok "what is done is not run again" $?
rm -r kinds/cells/kind=b,seed=2
"$sweep" -o kinds -a 'seed=1..4' kinds.ini >said 2>&1 && [ "$(runs)" = "a.4 b.2 b.4 " ]
ok "only what is missing" $?
touch program && "$sweep" -o kinds kinds.ini >said 2>&1
ok "a newer time stamp alone changes nothing" $?
echo "# another version" >>program
: >runs
says "another version: refused, and named" 3 "kind=a,seed=1: stale: another version: program ./program has changed" -o kinds kinds.ini
[ ! -s runs ]
ok "before anything was run" $?
says "... or kept, and said so" 0 "6 lines of stale cells" -o kinds --stale keep kinds.ini
grep -q '^"kind=a,seed=1",stale,' kinds/cells.csv && [ ! -s runs ]
ok "stale in cells.csv, too" $?
"$sweep" -o kinds --status kinds.ini >said 2>&1
grep -qx 'stale       6' said
ok "--status counts them" $?
sed -i 's/ns$/ns/; s/^command=.*/& 2>\/dev\/null/' kinds.ini
rm runs
says "another command" 3 "stale: another command: ./program a 1" -o kinds -a kind=a -a seed=1 kinds.ini
"$sweep" -o kinds --stale rerun kinds.ini >said 2>&1 && [ "$(runs)" = "a.1 a.2 a.3 b.1 b.2 b.3 " ] && ! grep -q stale kinds/cells.csv
ok "... or run again" $?
"$sweep" -o sim sim.ini >said 2>&1 && echo >>a.job
says "a job file has changed" 3 "stale: file a.job has changed" -o sim sim.ini

# ---- cells that fail

cat >crash <<'SCRIPT'
#!/bin/bash
echo "$1" >>crashed
[ ! -e repaired ] || { echo fine; exit 0; }
case $1 in
status) echo "no memory for 5 bytes" >&2; exit 3 ;;
signal) kill -SEGV $$ ;;
late) sleep 300 ;;
esac
echo fine
SCRIPT
chmod +x crash
printf '[axes]\nhow=status signal late good\n[sweep]\ncommand=./crash {how}\ntimeout=2\noutput=text\n' >crash.ini
says "cells fail, the sweep does not" 1 "3 of 4 cells are not done" -o crashes crash.ini
grep -q 'how=status: failed: exit status 3: no memory for 5 bytes$' said && grep -q 'how=signal: failed: signal SEGV' said &&
	grep -q 'how=late: failed: out of time after 2 s' said && [ "$(cat crashes/cells/how=good/stdout)" = fine ]
ok "each with its reason" $?
grep -q '^how=status' crashes/cells.csv || grep -q '^how=status,failed,status,' crashes/cells.csv && grep -q '"state": "failed".*"error": "signal SEGV' crashes/cells.jsonl
ok "in the results, too" $?
: >repaired
: >crashed
"$sweep" -o crashes crash.ini >said 2>&1 && [ "$(sort crashed | tr '\n' ' ')" = "late signal status " ]
ok "the next call runs those that failed" $?
says "the outputs, a text before each line" 0 "status: fine" -o crashes --lines '{how}: ' crash.ini
[ "$(cat said)" = "$(printf '%s: fine\n' status signal late good)" ]
ok "in the order of the grid" $?
printf '[axes]\nword=12 none 7x\n[sweep]\ncommand=echo value {word}\n[metrics]\nv=value \\([0-9x]*\\)$\n' >odd.ini
says "output without the metric" 1 "word=none: unreadable: nothing that it printed matches the metric v" -o odd odd.ini
grep -q "word=7x: unreadable: metric v: '7x' is not a number" said && [ "$(grep -c unreadable odd/cells.csv)" -eq 2 ] && grep -q '^word=12,done,12,12,' odd/cells.csv
ok "the others have their numbers" $?
printf '[axes]\nn=1 2\n[sweep]\ncommand=printf "a,b\\n1,{n},3\\n"\noutput=csv\nmetrics=a\n' >odd.ini
says "a CSV line of another length" 1 "a line has 3 fields and the header 2" -o odd-csv odd.ini
says "the results again, without a run" 1 "2 of 2 cells are not done" -o odd-csv --report odd.ini

# ---- ends before its time

printf '#!/bin/bash\necho $$ >pid.$1\n: >begun.$1\nuntil [ -e go ]; do sleep 0.1; done\necho through\n' >wait
chmod +x wait
printf '[axes]\nn=1 2 3\n[sweep]\ncommand=./wait {n}\noutput=text\nat_once=2\n' >wait.ini
# in its own session, as a terminal would have it
"$sweep" -o waits wait.ini >said 2>&1 &
pid=$!
until_there begun.1 && until_there begun.2
says "a folder is one sweep's at a time" 4 "another vgpu-sweep works there" -o waits wait.ini
"$sweep" -o waits --status wait.ini >said 2>&1
grep -q 'n=1: running' said && grep -qx 'missing     1' said
ok "--status while it runs" $?
kill -TERM "$pid"
wait "$pid"
[ $? -eq 130 ]
ok "a signal ends it" $?
for ((n = 0; n < 100; n++)); do kill -0 "$(cat pid.1)" 2>/dev/null || kill -0 "$(cat pid.2)" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$(cat pid.1)" 2>/dev/null && ! kill -0 "$(cat pid.2)" 2>/dev/null && [ ! -e begun.3 ]
ok "and its cells" $?
"$sweep" -o waits --status wait.ini >said 2>&1
[ $? -eq 1 ] && grep -q 'n=2: interrupted' said && grep -qx 'interrupted 2' said
ok "these are interrupted" $?
: >go
"$sweep" -o waits wait.ini >said 2>&1 && [ "$(cat waits/cells/*/stdout | sort -u)" = through ]
ok "the same command goes on" $?

# ---- cells that must be alone; programs that change; folders that are full

printf '#!/bin/bash\nmkdir busy || exit 1\nsleep 0.1\nrmdir busy\n' >alone
chmod +x alone
printf '[axes]\nn=1..4\n[sweep]\ncommand=./alone\nat_once=1\noutput=text\n' >alone.ini
"$sweep" -o alones alone.ini >said 2>&1
ok "one at a time" $?
printf '#!/bin/bash\necho "# $1" >>changing\n' >changing
chmod +x changing
printf '[axes]\nn=1 2\n[sweep]\ncommand=./changing {n}\nat_once=1\noutput=text\n' >changing.ini
says "a program that changes under the sweep" 1 "n=2: failed: the program ./changing is not what it was when the sweep began" -o changes changing.ini
[ "$(sed -n 's/^state=//p' changes/cells/n=1/state)" = done ]
ok "what ran before is done" $?
printf '[axes]\nn=1\n[sweep]\ncommand=head -c 60000 /dev/zero; true\noutput=text\n' >cut.ini
(ulimit -f 50; "$sweep" -o cut cut.ini) >said 2>&1
[ $? -eq 4 ] && grep -q 'n=1: cannot be written' said && [ ! -e cut/cells/n=1/state ]
ok "a command that does not notice that its output is cut" $?
mkdir small
if mount -t tmpfs -o size=400k none small 2>/dev/null; then
	printf '[axes]\nn=1..6\n[sweep]\ncommand=head -c 150000 /dev/zero; true\nat_once=1\noutput=text\n' >full.ini
	says "a disk that is full" 4 "cannot be written" -o small/sweep full.ini
	grep -q 'No space left on device' said && grep -q '^vgpu-sweep: 2 of 6 cells are done; the same command goes on' said
	ok "what was on it is done, what is cut is not" $?
	mount -o remount,size=4m small
	"$sweep" -o small/sweep full.ini >said 2>&1 && [ "$(cat small/sweep/cells/*/stdout | wc -c)" -eq 900000 ]
	ok "with room the same command goes on" $?
	umount small
else
	skip "a disk that is full" "mount is not allowed here"
fi
says "a folder that cannot be" 4 "cannot be written" -o a.job/x kinds.ini

# ---- SPEC and options that are wrong

refused "no axis" " no axis: [axes] has to have one at least" '[sweep]' 'command=true'
refused "no section" "1: a line before the first section" 'command=true'
refused "another section" "1: [axis]: no such section" '[axis]' 'a=1'
refused "another key" "2: colour: no such key in [sweep]; there are: title command" '[sweep]' 'colour=red'
refused "twice" "3: a: again, it is in line 2 already" '[axes]' 'a=1' 'a=2'
refused "a value twice" "2: a: 3 twice" '[axes]' 'a=1..4 3' '[sweep]' 'command=true'
refused "an axis without values" "2: a: an axis needs a value" '[axes]' 'a=' '[sweep]' 'command=true'
refused "a range that falls" "2: a: 4..1: must be FROM..TO" '[axes]' 'a=4..1' '[sweep]' 'command=true'
refused "a name that is none" "2: A: a name has lower-case letters" '[axes]' 'A=1'
refused "a column of the results" "2: state: the results have a column of that name" '[axes]' 'state=1'
refused "nothing that says what runs" " no command in [sweep], and no axis job or program" '[axes]' 'a=1'
refused "no such variable" "4: {b}: no axis or variable; there are: a" '[axes]' 'a=1' '[sweep]' 'command=echo {b}'
refused "a variable in itself" "4: a variable has itself in its text" '[axes]' 'a=1' '[variables]' 'v={w}' 'w={v}' '[sweep]' 'command=echo {v}'
refused "a condition on no axis" "3: 'b': no axis; there are: a" '[axes]' 'a=1' '[when b=1]' '[sweep]' 'command=true'
refused "a text for no variable" "4: v: no such variable" '[axes]' 'a=1' '[when a=1]' 'v=2' '[sweep]' 'command=true'
refused "a grid of nothing" " the grid has no cell" '[axes]' 'a=1' '[exclude]' 'a=*' '[sweep]' 'command=true'
refused "too many combinations" " 8000000 combinations" '[axes]' 'a=1..200' 'b=1..200' 'c=1..200' '[sweep]' 'command=true'
refused "a number that is none" "4: timeout: must be a number from 0" '[axes]' 'a=1' '[sweep]' 'timeout=soon' 'command=true'
refused "a baseline that is none" "5: baseline: 'a=2': no such value" '[axes]' 'a=1' '[sweep]' 'command=true' 'baseline=a=2'
refused "no group" "5: m: must be a regular expression with a group" '[axes]' 'a=1' '[sweep]' '[metrics]' 'm=[0-9]*'
refused "a wrong expression" " [metrics]: \\([0-9\\):" '[axes]' 'a=1' '[sweep]' 'command=true' '[metrics]' 'm=\([0-9\)'
refused "no such program" " command: './none' is not found" '[axes]' 'a=1' '[sweep]' 'command=./none {a}'
refused "no such input" " inputs: no file data.1" '[axes]' 'a=1' '[sweep]' 'command=true' 'inputs=data.{a}'
says "no SPEC" 2 "none.ini: cannot be read" none.ini
says "no such axis on the command line" 2 "--axis 'b=1': must be NAME=VALUES of kinds.ini; there are: kind seed" -a b=1 kinds.ini
says "no such option" 2 "no option '--colour'" --colour kinds.ini
says "no such column" 2 "--columns: what: no axis, variable or column" -o kinds --columns what kinds.ini
says "a bad number of jobs" 2 "--jobs 0: must be a number from 1" --jobs 0 kinds.ini
says "help" 0 "usage: vgpu-sweep" --help
echo "1..$count"
exit $failed
