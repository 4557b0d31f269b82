#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu-trace import from outside: traces that vgpu-sim then runs as long as they took; refusals with their status.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. tests/experiments/timelines/traces.sh
trace=$PWD/build/tools/vgpu-trace sim=$PWD/build/tools/vgpu-sim
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT ARGUMENT...: vgpu-trace import ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$trace" import "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
	[ "$status" -eq "$expected" ] && grep -qF -- "$text" "$dir/said" || { echo "# status $status"; head -n 9 "$dir/said" | sed 's/^/# /'; }
}

# NAME JOB US: alone, the job takes so many microseconds, within 5 %
takes() {
	"$sim" --json "$2" | sed -n 's/.*"isolated_us": \([0-9.]*\),.*/\1/p' |
		awk -v us="$3" '$1 > us * 1.05 || $1 < us * 0.95 { print "# " $1 " us, not " us; bad = 1 } END { exit bad || NR != 1 }'
	ok "$1" $?
}

trace_of 'NVIDIA A100-SXM4-40GB' 108 training >"$dir/training.json"
gzip -k "$dir/training.json"
took=$((19 * 4000 + 486 + 60 * 30 + 435 + 36 + 900))
says "a trace" 0 "[training]" "$dir/training.json.gz"
grep -qE "^  took $took\.[0-9]* us on NVIDIA A100-SXM4-40GB; expected alone on a100: [0-9.]* us, [+-]0\.[0-9]* %; 620 of 620 kernels" "$dir/said"
ok "how far off it is" $?
"$trace" import --quiet "$dir/training.json" >"$dir/training.job" 2>"$dir/said" && [ ! -s "$dir/said" ] &&
	[ "$(sed -n '1,6p' "$dir/training.job")" = "$(printf '[global]\ngpu=a100\nrepeat=1\n\n[training]\nhost=one')" ]
ok "the job file" $?
"$trace" import -q -o "$dir/packed.job" "$dir/training.json.gz" && cmp -s "$dir/packed.job" "$dir/training.job"
ok "packed, the same" $?
takes "alone it takes as long" "$dir/training.job" "$took"
says "it is checked" 0 "  simulated alone on a100: " --check -o "$dir/a.job" "$dir/training.json" "$dir/training.json"
grep -cE 'simulated alone on a100: [0-9.]* us, [+-]0\.[0-4][0-9] %; 6[0-9]* of 620 kernels within 5 %$' "$dir/said" | grep -qx 2
ok "and is close, kernel for kernel, each of them" $?
"$trace" import -q --steps 3-4 -o "$dir/steps.job" "$dir/training.json"
ok "two steps" $?
takes "they take as long" "$dir/steps.job" $((took - 18 * 4000))
"$trace" import -q --from 8000 --to 16000 -o "$dir/window.job" "$dir/training.json" && cmp -s "$dir/window.job" "$dir/steps.job"
ok "a window, the same" $?
for gpu in v100:80:'Tesla V100-SXM2-16GB' h100:132:'NVIDIA H100 80GB HBM3'; do
	sms=${gpu#*:}
	trace_of "${gpu##*:}" "${sms%%:*}" training >"$dir/${gpu%%:*}.json"
	"$trace" import -q -o "$dir/a.job" --steps 2 "$dir/${gpu%%:*}.json" && grep -qx "gpu=${gpu%%:*}" "$dir/a.job"
	ok "${gpu%%:*} by its name" $?
	takes "on it, it takes as long" "$dir/a.job" $((took - 18 * 4000))
done
"$trace" import -q -n one --name two -o "$dir/both.job" "$dir/training.json" "$dir/training.json" "$dir/training.json" &&
	[ "$(grep -x '\[.*\]' "$dir/both.job" | tr '\n' ' ')" = '[global] [one] [two] [training] ' ]
ok "several processes, by name" $?
says "the same file twice" 0 "[training-2]" --steps 1 "$dir/training.json" "$dir/training.json"

sed 's/A100-SXM4-40GB/RTX 1/' "$dir/training.json" >"$dir/other.json"
says "another GPU" 2 "no preset is a 'NVIDIA RTX 1'; --gpu must be one of k20c, tanasic-ch6, gtx980, v100, a100, h100, etc, rcc" "$dir/other.json"
says "it is asked for" 0 "gpu=h100" --gpu h100 "$dir/other.json"
says "SMs differ" 0 "its GPU has 108 SMs, h100 132" --gpu h100 "$dir/other.json"
says "no such preset" 2 "--gpu b1: must be one of k20c" --gpu b1 "$dir/training.json"
head -c 20000 "$dir/training.json" >"$dir/short.json"
says "a file that was cut" 2 "short.json: byte 20000: the file ends here: it must be whole" "$dir/short.json"
head -c 2000 "$dir/training.json.gz" >"$dir/short.json.gz"
says "a packed file that was cut" 2 "of the unpacked text: " "$dir/short.json.gz"
{ head -c 1000 "$dir/training.json.gz"; head -c 2000 /dev/urandom; } >"$dir/wrong.json.gz"
says "a packed file that is wrong" 2 "the file must be a whole gzip file" "$dir/wrong.json.gz"
says "no trace" 2 "Makefile: byte 0: neither JSON nor gzip" Makefile
says "nothing in it" 2 "no kernel, copy or memset" /dev/fd/3 3<<<'{"traceEvents": []}'
sed 's/"grid"/"size"/' "$dir/training.json" >"$dir/other.json"
says "what was left out, when nothing is in it" 0 "left out 620 (the first: byte " "$dir/other.json"
sed -i 's/"bytes"/"size"/' "$dir/other.json"
says "and why it is nothing" 2 "left out 620 (the first: byte " "$dir/other.json"
says "no file" 2 "none.json: No such file" "$dir/none.json"
says "no argument" 2 "import needs 1..64 files"
says "no such option" 2 "--help" --colour "$dir/training.json"
says "help" 0 "usage: vgpu-trace import" --help
says "no such device" 2 "no command of device 4" --device 4 "$dir/training.json"
says "no device" 2 "--device x: must be a number" --device x "$dir/training.json"
says "no such step" 2 "20 steps, annotations that begin with ProfilerStep#; --steps 21" --steps 21 "$dir/training.json"
says "steps of another name" 2 "0 steps, annotations that begin with Epoch" --step-name Epoch --steps 1 "$dir/training.json"
for steps in 0 3-2 x 0-4 -; do
	says "steps $steps" 2 "--steps $steps: must be N or FIRST-LAST" --steps "$steps" "$dir/training.json"
done
says "a window that is none" 2 "--to US: must be later than --from" --from 5 --to 5 "$dir/training.json"
says "a time that is none" 2 "--from 1e3: must be microseconds" --from 1e3 "$dir/training.json"
says "no file to check" 2 "--check needs --output" --check "$dir/training.json"
says "a name that is none" 2 "--name a b: must be a name" --name 'a b' "$dir/training.json"
says "no place for the job" 1 "No such file" -o /nowhere/job "$dir/training.json"
says "no room for the job" 1 "the job file could not be written" -o /dev/full "$dir/training.json"
[ -c /dev/full ]
ok "it removes nothing but a file" $?
says "refused" 2 "the file ends here" -o "$dir/half.job" "$dir/training.json" "$dir/short.json"
[ ! -e "$dir/half.job" ]
ok "no half job is left" $?
echo "1..$count"
exit $failed
