#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sharing.sh: different CUDA programs as separate processes side by side on two SMs, under each policy that shares them
# (docs/sharing.md): all must verify, one killed in the middle included, and the trace must say that SMs were shared.
#
# usage: sharing.sh FOLDER        FOLDER holds the built programs; root, in the guest
set -uo pipefail
folder=${1:?usage: sharing.sh FOLDER}
here=$(dirname "$(readlink -f "$0")")
made=/sys/kernel/config/vgpu/sharing
count=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - sharing: $1"; else echo "not ok $count - sharing: $1"; failed=1; fi
}

mkdir "$made" && echo gtx980 >"$made/preset" && echo 2 >"$made/sms" && echo 16 >"$made/active_kernels" &&
	echo 1 >"$made/live" && name=$(cat "$made/dev_name")
ok "a device of two SMs" $?
number=${name#vgpu}
export VGPU_DEVICE=$number
knobs=/sys/class/vgpu/$name

for policy in leftover smk smk-p smk-pw; do
	echo 4 >"$knobs/kernels_per_sm" && echo "$policy" >"$knobs/policy"
	ok "$policy is selected" $?
	"$here/../../build/tools/vgpu-trace" record -i "$number" -o "$dir/records" -- "$here/many.sh" "$folder" 1 >"$dir/said" 2>&1
	status=$?
	ok "$policy: all verify, whoever is beside them" $status
	[ $status -eq 0 ] || sed 's/^/# /' "$dir/said"
	"$here/../../build/tools/vgpu-trace" stats "$dir/records" >"$dir/stats" 2>&1
	grep -qE 'Kernels side by side on an SM: .*[2-4] for [0-9.]+ %' "$dir/stats"
	status=$?
	ok "$policy: SMs had several kernels" $status
	[ $status -eq 0 ] || sed 's/^/# /' "$dir/stats"
	grep -h 'Kernels side by side\|Decisions of the policy' "$dir/stats" | sed 's/^/# /'
done
echo fcfs >"$knobs/policy"
rmdir "$made"
ok "and taken away" $?
echo "1..$count"
exit $failed
