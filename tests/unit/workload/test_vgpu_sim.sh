#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu-sim from outside: the example of the documentation, the same bytes twice, every output, every refusal with its status.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
sim=$PWD/build/tools/vgpu-sim
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT ARGUMENT...: vgpu-sim ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$sim" "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
	[ "$status" -eq "$expected" ] && grep -qF -- "$text" "$dir/said" || { echo "# status $status"; sed 's/^/# /' "$dir/said"; }
}

# The first block of docs/jobfiles.md, with a shorter application.
sed -n '/^    \[global\]/,/^    phase=d2h/s/^    //p' docs/jobfiles.md | sed 's/app=lbm/app=histo/' >"$dir/job.ini"

for n in a b; do
	"$sim" --json --trace "$dir/$n.json" --svg "$dir/$n.svg" --records "$dir/$n.trace" "$dir/job.ini" >"$dir/$n.out"
	ok "the example runs, $n" $?
done
cmp "$dir/a.out" "$dir/b.out" && cmp "$dir/a.json" "$dir/b.json" && cmp "$dir/a.svg" "$dir/b.svg" && cmp "$dir/a.trace" "$dir/b.trace"
ok "the same bytes twice, pictures too" $?
build/tools/vgpu-trace "$dir/a.trace" | grep -q '^context 2'
ok "vgpu-trace reads the records" $?
mv "$dir/a.out" "$dir/1"
"$sim" --json --seed 2 "$dir/job.ini" | grep -v '"seed"' >"$dir/2"
! grep -v '"seed"' "$dir/1" | cmp -s - "$dir/2"
ok "another seed, other times" $?
grep -q camera "$dir/a.svg" && grep -q '"process":"camera"' "$dir/a.json"
ok "pictures name the processes" $?
[ "$("$sim" --csv "$dir/job.ini" | wc -l)" -eq 3 ]
ok "CSV has a line a process" $?
"$sim" - <"$dir/job.ini" | grep -q '^camera  *1 '
ok "standard input" $?

says "table" 0 "ANTT" "$dir/job.ini"
says "speed on request" 0 "of processor time" --speed "$dir/job.ini"
says "list" 0 "mri-gridding" --list
says "a configuration field" 0 "7 SMs" --set sms=7 "$dir/job.ini"
says "a limit" 1 "2 of 2 processes had not completed" --until 100 "$dir/job.ini"
says "no place for records" 1 "/nowhere/records: No such file" --records /nowhere/records "$dir/job.ini"
says "no file" 2 "No such file" "$dir/none.ini"
says "no argument" 2 "one job file is needed"
says "no such option" 2 "--help" --colour "$dir/job.ini"
says "two formats" 2 "use either --json or --csv" --json --csv "$dir/job.ini"
says "no such device" 2 "gpu gtx9000: unknown device" --gpu gtx9000 "$dir/job.ini"
says "no such policy" 2 "policy must be one of" --policy luck "$dir/job.ini"
says "no such field" 2 "colour: unknown field or knob" --set colour=red "$dir/job.ini"
says "a bad value" 2 "--set sms: invalid value for this field" --set sms=0 "$dir/job.ini"
says "no value" 2 "must be KEY=VALUE" --set sms "$dir/job.ini"
says "a bad seed" 2 "--seed x: must be a number" --seed x "$dir/job.ini"
says "a bad limit" 2 "--until 0: must be microseconds" --until 0 "$dir/job.ini"
printf '[a]\nphase=cpu us=1\nphase=cpu us=x\n' >"$dir/bad.ini"
says "a bad line" 2 "bad.ini:3: us=x: must be microseconds" "$dir/bad.ini"
printf '[a]\ncmd=./sgemm\n' >"$dir/bad.ini"
says "a real program" 2 "bad.ini:1: [a] has cmd=, a real program: that is for vgpu-run" "$dir/bad.ini"
says "no room for a picture" 1 "No such file" --svg "$dir/none/a.svg" "$dir/job.ini"
echo "1..$count"
exit $failed
