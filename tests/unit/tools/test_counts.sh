#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Counters of kernels from outside (docs/statistics.md): a real program's file and trace agree, are listed and compared;
# refusals with their status.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
trace=$PWD/build/tools/vgpu-trace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0
export VGPU_TRANSPORT=embedded

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT ARGUMENT...: vgpu-trace ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$trace" "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

value() { awk -v name="$1" '$1 == name { print $2 }' "$dir/said"; }

# 20000 elements in blocks of 256 threads: 79 blocks, of whose 632 warps 625 have work; two loads and a store of 4 sectors.
VGPU_STATS=$dir/a.json VGPU_TRACE=$dir/a build/cuda/saxpy 20000 >/dev/null
ok "a program writes a file" $?
"$trace" stats "$dir/a.json" >"$dir/said"
[ "$(value blocks)/$(value inst_global_load)/$(value sectors_load)/$(value sectors_store)" = 79/1250/5000/2500 ]
ok "what it did is counted" $?
diff "$dir/said" <("$trace" stats "$dir/a" | sed -n '/^Counters of kernels/,$p') >/dev/null
ok "the trace has the same" $?
VGPU_STATS=$dir/b.csv build/cuda/saxpy 40000 >/dev/null
says "two runs are compared" 0 "saxpy" diff "$dir/a.json" "$dir/b.csv"
awk '$1 == "sectors_load" && $2 == 5000 && $3 == 10000 && $4 == "+100.00%" { found = 1 } END { exit !found }' "$dir/said"
ok "by their relative difference" $?
says "a trace is compared with itself" 0 "counters are the same" diff "$dir/a" "$dir/a.json"
! grep -q inst_ "$dir/said"
ok "and nothing differs" $?
says "also what is the same" 0 "inst_move" diff --all "$dir/a" "$dir/a.json"
says "one kernel" 0 "saxpy" diff --kernel saxpy "$dir/a.json" "$dir/b.csv"
says "a kernel that is not there" 1 "no kernel is called dot; there are saxpy" diff -k dot "$dir/a.json" "$dir/b.csv"
build/cuda/saxpy 100 >/dev/null
VGPU_TRACE=$dir/none build/cuda/saxpy 100 >/dev/null
says "a trace without counters" 1 "has no counters of kernels" diff "$dir/a.json" "$dir/none"
says "one file" 2 "two files are needed" diff "$dir/a.json"
says "no such file" 1 "No such file" diff "$dir/a.json" "$dir/nothing"
says "another file" 1 "is no trace and no file of VGPU_STATS" diff "$dir/a.json" "$0"
head -c 500 "$dir/a.json" >"$dir/cut.json"
says "a file that is cut" 1 "cut.json:" diff "$dir/a.json" "$dir/cut.json"
{ head -n 1 "$dir/b.csv"; echo launch,1; } >"$dir/cut.csv"
says "a line that is cut" 1 "cut.csv:2:" diff "$dir/a.json" "$dir/cut.csv"
printf '{"launches":[]}' >"$dir/other.json"
says "another JSON" 1 "is no file of VGPU_STATS" stats "$dir/other.json"

# With caches there are counters that timing=interval has not.
VGPU_SET=timing=pipeline VGPU_PRESET=tanasic-ch6 VGPU_STATS=$dir/c.json build/cuda/saxpy 20000 >/dev/null
"$trace" stats "$dir/c.json" >"$dir/said"
[ "$(value dram_read_bytes)" -ge 160000 ] && [ "$(value sectors_load)" = 5000 ]
ok "timing=pipeline: bytes of DRAM, and the same sectors" $?
grep -q dram_read_bytes "$dir/a.json"
ok "timing=interval: nothing of it" $((! $?))
says "counters of one run only are numbered" 0 "counters are in one run only" diff "$dir/a.json" "$dir/c.json"

# A kernel that asks for timing=pipeline has them on a device of the other model.
VGPU_TIMING=saxpy:pipeline VGPU_PRESET=tanasic-ch6 VGPU_STATS=$dir/d.csv build/cuda/saxpy 20000 >/dev/null
VGPU_TIMING=dot:pipeline VGPU_PRESET=tanasic-ch6 VGPU_STATS=$dir/e.json build/cuda/saxpy 20000 >/dev/null
VGPU_TIMING=dot:pipeline VGPU_PRESET=tanasic-ch6 VGPU_STATS=$dir/f.csv build/cuda/saxpy 20000 >/dev/null
"$trace" stats "$dir/d.csv" >"$dir/said"
[ "$(value dram_read_bytes)" -ge 160000 ] && [ "$(value issue_active_cycles)" -gt 0 ]
ok "VGPU_TIMING: a kernel with timing=pipeline has its counters" $?
"$trace" diff --all "$dir/e.json" "$dir/f.csv" | grep -qE 'cycles|dram'
ok "VGPU_TIMING: others have none of them" $((! $?))

said=$(VGPU_STATS=$dir/a.txt build/cuda/saxpy 100 2>&1)
[[ $said == *"must end with .json or .csv"* ]]
ok "another ending is refused" $?
said=$(VGPU_STATS=/nowhere/a.json build/cuda/saxpy 100 2>&1)
[[ $said == *"cannot write /nowhere/a.json"* ]]
ok "a file that cannot be written, too" $?
echo "1..$count"
exit $failed
