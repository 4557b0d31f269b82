#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The microbenchmarks of the pipeline: every row of the table is as configured, also of another configuration; and table with rows
# made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/microbench
table=build/experiments/microbench/table
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
	"$@" >"$dir/said" 2>&1 || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

OUT=$dir/a "$here/run.sh" >"$dir/log" 2>&1
ok "every row is as configured" $?
[ "$failed" -eq 0 ] || grep -e 'no\*\*' -e run.sh: "$dir/log" | sed 's/^/# /'
# every name of the table has been measured
[ "$(cut -d, -f1 "$dir/a/microbench.csv" | sort -u | wc -l)" -eq $(($(grep -c '^	{ "' "$here/table.c") + 1)) ]
ok "every row is measured" $?
OUT=$dir/b SET=math_cycles=4,shared_cycles=20,branch_cycles=3,l1_cycles=28,l2_tlb_cycles=50,l1_mshrs=16 \
	"$here/run.sh" units:latency:banks memory:latency:coalescing:tlb bandwidth:translation >"$dir/log" 2>&1
ok "so are those of another configuration" $?
[ "$(sed -n 's/^l1,0,cycles,//p' "$dir/b/microbench.csv")" = 31,31,0,yes ]
ok "which is another one" $?
says "no such program" 2 "no program 'fft'" env OUT="$dir/c" "$here/run.sh" fft

says "a row that is not as configured" 1 "| load, L1 | 43 | 44 | cycles | +2.3 % **no** |" "$table" <<<"measured l1 0 44"
says "as CSV" 1 "l1,0,cycles,43,44,1,no" "$table" --csv <<<"measured l1 0 44"
says "a field that changes what is expected" 0 "| load, L1 | 44 | 44 | cycles | +0.0 % |" "$table" l1_cycles=41 <<<"measured l1 0 44"
says "a row that nobody knows" 1 "no row 'l9'" "$table" <<<"measured l9 0 44"
says "nothing" 1 "nothing has been measured" "$table" <<<"verified"
says "no such field" 2 "l9_cycles=1: no such field" "$table" l9_cycles=1 <<<""
echo "1..$count"
exit $failed
