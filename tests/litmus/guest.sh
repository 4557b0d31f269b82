#!/bin/bash
# SPDX-License-Identifier: MIT
#
# guest.sh: a device behind /dev/vgpu with RCC in its caches (preset rcc, two SMs). Litmus tests, whose blocks leave for another context's
# and for another process', show what sequential consistency allows; a program that is killed in the middle is not noticed by one beside.
#
# usage: guest.sh PROGRAM FOLDER        PROGRAM: build/litmus-all; FOLDER holds the built CUDA programs; root, in the guest
set -uo pipefail
program=${1:?usage: guest.sh PROGRAM FOLDER}
folder=${2:?usage: guest.sh PROGRAM FOLDER}
here=$(dirname "$(readlink -f "$0")")
made=/sys/kernel/config/vgpu/coherent
count=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

ok() { # NAME STATUS [FILE]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - coherent: $1"; else echo "not ok $count - coherent: $1"; failed=1; sed 's/^/# /' "${3:-/dev/null}"; fi
}

mkdir "$made" && echo rcc >"$made/preset" && echo 2 >"$made/sms" && echo 1 >"$made/live" && name=$(cat "$made/dev_name")
ok "a device with RCC" $?
number=${name#vgpu}
export VGPU_DEVICE=$number
knobs=/sys/class/vgpu/$name
echo switch >"$knobs/preemption" && echo dss >"$knobs/policy"
ok "that preempts" $?

for test in MP SB MP+rel+acq; do
	timeout 100 "$program" -n 20 -t $test -s >"$dir/said" 2>&1 </dev/null
	ok "$test" $? "$dir/said"
done
"$here/../../build/tools/vgpu-trace" record -i "$number" -o "$dir/records" -- timeout 100 "$program" -n 20 -p gpu -b 2 -t MP+rel+acq -s >"$dir/said" 2>&1
ok "MP+rel+acq beside another context" $? "$dir/said"
"$here/../../build/tools/vgpu-trace" stats "$dir/records" >"$dir/stats" 2>&1
grep -qE '^[1-9][0-9]* preemptions of an SM' "$dir/stats"
ok "... for which its blocks left" $? "$dir/stats"

# One is killed, the other two do not notice. A block waits for no other one, which might have to wait for an SM.
"$folder/nbody" 4000 >"$dir/victim" 2>&1 </dev/null &
victim=$!
disown $victim
"$folder/scan" >"$dir/scan" 2>&1 </dev/null &
other=$!
timeout 100 "$program" -n 20 -p block -t SB -s >"$dir/said" 2>&1 </dev/null
status=$?
kill -0 $victim 2>/dev/null && kill -9 $victim
ok "one is killed while it runs" $?
ok "SB beside it" $status "$dir/said"
wait $other && grep -qx 'scan: verified' "$dir/scan"
ok "scan beside it" $? "$dir/scan"
timeout 100 "$program" -n 20 -t MP -s >"$dir/said" 2>&1 </dev/null
ok "MP behind it" $? "$dir/said"
rmdir "$made"
ok "and taken away" $?
echo "1..$count"
exit $failed
