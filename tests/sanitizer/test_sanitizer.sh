#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools/vgpu-sanitizer: every fault of faults.txt is found, by its tool and no other, at its line;
# of right programs nothing is said and their output is the same; what it does with bad input.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/sanitizer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0
unset VGPU_SANITIZER VGPU_TRANSPORT

ok() { # NAME PROBLEM
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		head -n 30 <<<"$2" | sed 's/^/# /'
		failed=1
	fi
}

for name in faults right; do
	tools/vgpucc -O2 -lineinfo -o "$work/$name" $here/$name.cu >"$work/cc.log" 2>&1 ||
		{ cat "$work/cc.log"; echo "not ok 1 - $name.cu is compiled"; echo 1..1; exit 1; }
done
all=memcheck,initcheck,synccheck

fault() { # NAME TOOL TEXT
	local name=$1 tool=$2 text=$3 status=0 lines line where='' problem=''
	timeout 120 tools/vgpu-sanitizer --tool $all --leak-check full --log-file "$work/log" \
		"$work/faults" "$name" >"$work/out" 2>&1 || status=$?
	[ "$status" -eq 99 ] || problem+="exit status $status"$'\n'
	grep -qF "========= $text" "$work/log" || problem+="no report \"$text\""$'\n'
	# only that tool's, and leaks of what a context that has died could not free
	grep -v -e '^========= *$' -e '^=========     ' -e 'SUMMARY' -e ' times: ' -e 'Leaked memory' "$work/log" |
		grep -vF "========= $text" >"$work/others"
	[ ! -s "$work/others" ] || problem+="other reports: $(cat "$work/others")"$'\n'
	if [ "$name" != leak ]; then
		lines=$(grep -n "/\* $name \*/" $here/faults.cu | cut -d: -f1)
		for line in $lines; do grep -q "faults.cu:$line\$" "$work/log" && where=yes; done
		[ -n "$where" ] || problem+="its line is not named: $lines"$'\n'
	fi
	[ -z "$problem" ] || problem+=$(cat "$work/log" "$work/out")
	ok "$tool finds $name" "$problem"
}

while read -r name tool text; do
	case $name in '' | '#'*) continue ;; esac
	fault "$name" "$tool" "$text"
done <$here/faults.txt

# ---- right programs

VGPU_TRANSPORT=embedded "$work/right" >"$work/plain" 2>"$work/plain.err"
ok "the right program runs" "$([ -s "$work/plain" ] || cat "$work/plain.err")"
for tool in memcheck initcheck synccheck racecheck all; do
	status=0
	tools/vgpu-sanitizer --tool $tool --log-file "$work/log" "$work/right" >"$work/out" 2>"$work/err" || status=$?
	problem=$(cmp "$work/plain" "$work/out" 2>&1)
	[ "$status" -eq 0 ] || problem+=" exit status $status"
	grep -q 'ERROR SUMMARY: 0 errors' "$work/log" || problem+=$(cat "$work/log")
	ok "$tool says nothing of a right program" "$problem"
done

# ---- reports

tools/vgpu-sanitizer --log-file "$work/log" "$work/faults" global_far >"$work/out" 2>&1
ok "the same fault of many threads is one report with its count" \
	"$(grep -q '^========= 32 times: Invalid __global__ write' "$work/log" || cat "$work/log")"
ok "kernel, thread and block are named" "$(grep -q 'at .*k_global_far.* in .*faults.cu:' "$work/log" &&
	grep -q 'by thread (0,0,0) in block (0,0,0)' "$work/log" || cat "$work/log")"
tools/vgpu-sanitizer --log-file "$work/log" "$work/faults" leak >"$work/out" 2>&1
ok "leaks are counted, and no error without --leak-check full" "$([ $? -eq 0 ] &&
	grep -q 'LEAK SUMMARY: 400 bytes in 1 allocation' "$work/log" || cat "$work/log")"
tools/vgpu-sanitizer "$work/faults" global_write_end >"$work/out" 2>"$work/err"
ok "without --log-file reports are on the standard error" \
	"$(grep -q 'Invalid __global__ write' "$work/err" && [ ! -s "$work/out" ] || cat "$work/err" "$work/out")"

# ---- options and bad input

run() { # EXPECTED-STATUS TEXT ARGUMENT...: how it ends, and what it says on the standard error
	local expected=$1 text=$2 status=0
	shift 2
	timeout 60 tools/vgpu-sanitizer "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[ "$status" -eq "$expected" ] || echo "exit status $status instead of $expected"
	grep -qF -- "$text" "$work/err" || { echo "no \"$text\" in:"; cat "$work/err"; }
}

ok "--error-exitcode" "$(run 7 'ERROR SUMMARY: 1 error' --error-exitcode 7 "$work/faults" global_write_end)"
ok "the program's exit status" "$(run 2 'usage: faults' "$work/faults" nothing)"
ok "a kernel name that fits" "$(run 99 'Invalid __global__ write' --kernel-name kernel_substring=write_end "$work/faults" global_write_end)"
ok "a kernel name that fits, by a regular expression" \
	"$(run 99 'Invalid __global__ write' --kernel-name 'kne=global_(write|read)_end' "$work/faults" global_write_end)"
ok "a kernel name that matches nothing" \
	"$(run 0 'matches the kernel names' --kernel-name kns=nothing "$work/faults" global_write_end)"
ok "a kernel name that is no filter" "$(run 2 'kernel_substring=' --kernel-name saxpy "$work/faults" leak)"
ok "a tool that there is not" "$(run 2 'there is no such tool' --tool heapcheck "$work/faults" leak)"
ok "an option that there is not" "$(run 2 'unknown option --frob' --frob "$work/faults" leak)"
ok "no program" "$(run 2 'no program')"
ok "a program that is not there" "$(run 127 'No such file' "$work/nothing")"
ok "a log that cannot be written" "$(run 2 'cannot be written' --log-file "$work/none/log" "$work/faults" leak)"
ok "under itself" "$(run 2 'already' tools/vgpu-sanitizer "$work/faults" leak)"
ok "a program that is killed" "$(run 137 'signal 9' bash -c 'kill -9 $$')"
ok "a program that forks" "$(run 0 'ERROR SUMMARY: 0 errors' bash -c "('$work/right' >/dev/null) & wait")"
ok "a full log is said" "$([ -e /dev/full ] || exit 0
	VGPU_SANITIZER=memcheck VGPU_SANITIZER_LOG=/dev/full "$work/faults" global_write_end >"$work/out" 2>"$work/err"
	grep -q 'the log is not complete' "$work/err" || cat "$work/err")"
ok "a limit of what is printed" "$(run 99 'more faults are not printed' --print-limit 0 "$work/faults" global_write_end)"
ok "an overrun into another allocation, by --padding" \
	"$(run 99 'Invalid __global__ write' --padding 4096 "$work/faults" global_neighbour)"
ok "too much of it" "$(run 2 'must be a number up to 1048576' --padding 9999999 "$work/faults" leak)"
ok "--help" "$(tools/vgpu-sanitizer --help | grep -q 'error-exitcode' || echo 'no help')"

echo "1..$count"
exit $failed
