#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The comparison of builds can be trusted: the same build gives the same checksums, another result another one, and what
# differs is named.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
record=tests/baseline/record.sh compare=tests/baseline/compare.sh
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

for n in 1 2; do $record --quick --only saxpy --keep "$dir/kept$n" "$dir/$n" >"$dir/said" || cat "$dir/said"; done
grep -q 'cuda/saxpy fcfs none' "$dir/1"
ok "a program is recorded" $?
$compare "$dir/1" "$dir/2" >"$dir/said"
ok "a build compares equal with itself" $?
[ -s "$dir/kept1/cuda_saxpy_fcfs_none/trace" ] && cmp "$dir/kept1/cuda_saxpy_fcfs_none/trace" "$dir/kept2/cuda_saxpy_fcfs_none/trace"
ok "traces are kept, and the same bytes" $?

VGPU_PRESET=gtx980 $record --quick --only cuda/saxpy "$dir/3" >/dev/null
! $compare "$dir/1" "$dir/3" >"$dir/said" && grep -qx 'differs: cuda/saxpy fcfs none' "$dir/said"
ok "another device differs, and is named" $?

for n in 4 5; do $record --only 'job/priorities.ini k20c ppq-shared' "$dir/$n" >"$dir/said" || cat "$dir/said"; done
[ "$(wc -l <"$dir/4")" -eq 14 ] && $compare "$dir/4" "$dir/5" >"$dir/said"
ok "a job file under every mechanism" $?
[ "$(cut -c1-64 "$dir/4" | sort -u | wc -l)" -gt 3 ]
ok "mechanisms differ from each other" $?
head -n -1 "$dir/4" >"$dir/6"
! $compare "$dir/4" "$dir/6" >"$dir/said" && grep -q '^missing: job/priorities.ini' "$dir/said"
ok "a missing run is named" $?

$record --only nowhere "$dir/7" >"$dir/said" 2>&1
[ $? -eq 2 ] && grep -q 'no run has nowhere in its name' "$dir/said"
ok "a word that names nothing" $?
echo "1..$count"
exit $failed
