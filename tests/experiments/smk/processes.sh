#!/bin/bash
# SPDX-License-Identifier: MIT
#
# processes.sh: a few of the pairs as processes on /dev/vgpu0 (vgpu-run): their profiles, which must give the table of vgpu-sim, and real
# programs of small sizes, each of which checks its results.
# usage: tools/vgpu-vm --module-args preset=gtx980 -- tests/experiments/smk/processes.sh PROFILE.JOB     root, in a guest
#        PROFILE.JOB is what sim.sh has left
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
profiles=${1:?usage: processes.sh PROFILE.JOB}
programs=build/experiments/chapter6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export RESIDENT=1 UNPADDED=1 LD_LIBRARY_PATH=$PWD/build

section() { sed -n "/^\[$1\]$/,/^phase=/p" "$profiles"; }
run() { # TOOL POLICY JOB: its table
	local kernels=2
	[ "$2" != spart ] || kernels=1
	"build/tools/$1" --csv --policy "$2" --preempt switch --set kernels_per_sm=$kernels "$3"
}

for mix in lbm+tpacf sgemm+stencil; do
	{ printf '[global]\ngpu=gtx980\nrepeat=3\n'; for name in ${mix//+/ }; do section "$name"; done; } >"$dir/job"
	for policy in smk-p spart; do
		run vgpu-sim $policy "$dir/job" >"$dir/sim"
		run vgpu-run $policy "$dir/job" >"$dir/run"
		cmp "$dir/sim" "$dir/run"
		awk -F, -v what="$mix $policy" 'NR == 2 { printf "profiled %s: STP %.3f, fairness %.3f, as vgpu-sim\n", what, $6, $7 }' "$dir/run"
	done
done
printf '[global]\ngpu=gtx980\nrepeat=2\n[sad]\ncmd=%s/sad 1\n[spmv]\ncmd=%s/spmv 4096\n' $programs $programs >"$dir/job"
for policy in smk-p spart; do
	run vgpu-run $policy "$dir/job" | awk -F, -v policy=$policy 'NR == 2 { printf "processes sad+spmv %s: STP %.3f, fairness %.3f\n", policy, $6, $7 }'
done
