#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Inference beside training (docs/import.md): both last alone as long as they took; a policy that shares SMs helps requests.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

tests/experiments/timelines/run.sh >"$dir/table" 2>"$dir/said"
ok "two timelines under each policy" $?
[ "$(grep -c 'expected alone on a100: [0-9.]* us, [+-]0\.0[0-9] %' "$dir/said")" -eq 2 ]
ok "alone they last as long as they took" $?
awk '{ training[$1] = $2; inference[$1] = $3 }
	END { exit !(inference["fcfs"] > 1.2 && inference["dss"] < 1.1 && training["dss"] >= 1 && training["fcfs"] >= 1) }' "$dir/table"
ok "requests wait for training under fcfs, not under dss" $?
tests/experiments/timelines/picture.sh out/timelines/both.job fcfs:none dss:switch >"$dir/picture.svg" &&
	cmp "$dir/picture.svg" docs/timelines.svg
ok "the picture of the documentation" $?
[ $failed -eq 0 ] || sed 's/^/# /' "$dir/said" "$dir/table"
echo "1..$count"
exit $failed
