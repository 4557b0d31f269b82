#!/bin/bash
# SPDX-License-Identifier: MIT
#
# policy.sh: what a decision costs, a call of schedule() with all that it calls: of policies of the tree, and of the same ones as
# BPF. In turn, five runs of a job each, by the kernel's function graph tracer. As root, where vgpu.ko of Linux 6.12 is loaded
# with preset k20c.
# usage: tests/bench/policy.sh
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
export LD_LIBRARY_PATH=$PWD/build
tracing=/sys/kernel/debug/tracing
[ -e $tracing ] || mount -t debugfs none /sys/kernel/debug
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
# What comes before and behind a run is none's.
echo npq >/sys/class/vgpu/vgpu0/policy
echo 0 >$tracing/tracing_on
echo 16384 >$tracing/buffer_size_kb
echo function_graph >$tracing/current_tracer

# calls and their mean in nanoseconds
one_run() { # POLICY FUNCTION OPTION...
	local policy=$1 function=$2
	shift 2
	echo "$function" >$tracing/set_ftrace_filter
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
	build/tools/vgpu-run --policy "$policy" "$@" tests/kselftest/many.job >/dev/null
	echo 0 >$tracing/tracing_on
	awk 'match($0, /[0-9.]+ us/) { sum += substr($0, RSTART, RLENGTH - 3); count++ }
		END { printf "%d %.0f\n", count, count ? sum / count * 1000 : 0 }' $tracing/trace
}
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%d (%d-%d)", v[int((NR + 1) / 2)], v[1], v[NR] }'; }

# What the programs take alone is measured under fcfs of the tree: it has more calls.
echo "policy  preemption  calls       ns, in the tree       ns, as BPF"
while read -r name preemption options; do
	build/tools/vgpu-policy load "build/policies/$name.bpf.o" >/dev/null
	tree='' bpf='' before='' calls=''
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		read -r before ns < <(one_run "$name" "${name}_schedule" --preempt "$preemption" $options)
		tree+="$ns "
		# shellcheck disable=SC2086
		read -r calls ns < <(one_run "$name-bpf" call_schedule --preempt "$preemption" $options)
		bpf+="$ns "
	done
	printf '%-7s %-11s %-11s %-21s %s\n' "$name" "$preemption" "$before/$calls" "$(tr ' ' '\n' <<<"${tree% }" | median)" \
		"$(tr ' ' '\n' <<<"${bpf% }" | median)"
	build/tools/vgpu-policy unload "$name-bpf"
done <<'POLICIES'
fcfs none
dss switch
smk switch --set kernels_per_sm=4
POLICIES
echo nop >$tracing/current_tracer
echo fcfs >/sys/class/vgpu/vgpu0/policy
