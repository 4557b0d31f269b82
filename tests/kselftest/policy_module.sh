#!/bin/bash
# SPDX-License-Identifier: MIT
#
# policy_module.sh: policies and mechanisms of other modules: they are listed, selected, do what the same source does in
# vgpu-sim, and go in the middle of work; policies that do not work are ejected, and nobody loses anything. As root, where
# vgpu.ko is loaded with preset k20c and nobody else uses the device. TAP on stdout.
# usage: tests/kselftest/policy_module.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
export VGPU_TRANSPORT=ioctl LD_LIBRARY_PATH=$PWD/build
sim=build/tools/vgpu-sim run=build/tools/vgpu-run smi=build/tools/vgpu-smi
script=policy_module
. tests/kselftest/check.bash
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT

# Two programs compute, both at the device when this returns. A kernel that checks everything is slow: no more launches than are needed.
two_programs() {
	build/cuda/features/launch_for_ever 1000 >"$dir/one" 2>&1 & one=$!
	build/cuda/features/launch_for_ever 1000 >"$dir/two" 2>&1 & two=$!
	timeout 60 bash -c "until [ \$(cat $sysfs/context_count) -eq 2 ]; do sleep 0.1; done"
}

job=tests/kselftest/many.job
# The device is $run's while it runs; so is its policy.
same_as_sim() { # OPTION...
	"$sim" --json --policy build/policies/edf.so "$@" $job >"$dir/sim" &&
		"$run" --json --policy edf "$@" $job >"$dir/run" && diff "$dir/sim" "$dir/run"
}

edf=$(module vgpu_edf) wrong=$(module vgpu_wrong_policies)
check "vgpu_edf is loaded" insmod "$edf"
check "the knob lists edf" listed edf
check "vgpu_edf keeps vgpu" not rmmod vgpu
check "edf without preemption, as vgpu-sim" same_as_sim --preempt none
check "edf with switch, as vgpu-sim" same_as_sim --preempt switch
check "edf with chimera, as vgpu-sim" same_as_sim --preempt chimera

# It goes while programs compute.
echo switch >$sysfs/preemption
echo edf >$sysfs/policy
check "edf is selected" selected edf
timeout 600 $smi events >"$dir/events" 2>&1 &
events=$!
two_programs
check "vgpu_edf goes while two programs compute" rmmod vgpu_edf
check "the device has fcfs" selected fcfs
check "edf is not listed" not listed edf
check "sysfs says why" dropped '^policy edf: it was unloaded; fcfs$'
check "the first program ends well" wait $one
check "the second program ends well" wait $two
check "vgpu-smi events says why" timeout 30 sh -c "until grep -q 'policy is now fcfs: edf: it was unloaded' $dir/events; do sleep 0.2; done"
kill $events 2>/dev/null
check "the log says why" sh -c 'dmesg | grep -q "goes on without policy edf: it was unloaded; it has fcfs now"'
check "it can be loaded again" insmod "$edf"
check "and go when nobody has it" rmmod vgpu_edf

# Policies that do not work. The first program keeps the device busy, the second one comes to it.
computes() { build/cuda/features/launch_for_ever 500; }
ejects() { # POLICY REASON
	echo "$1" >$sysfs/policy || return
	computes & local first=$!
	computes && wait $first && dropped "^policy $1: $2; fcfs$" && selected fcfs
}
check "vgpu_wrong_policies is loaded" insmod "$wrong"
echo 1000 >$sysfs/policy_watchdog_us
check "one that never schedules" ejects t-never 'context [0-9]* has had work and no SM for 1000 us'
check "one that serves one context only" ejects t-unfair 'context [0-9]* has had work and no SM for 1000 us'
check "one that assigns what it must not" ejects t-wrong 'it assigns an SM that is not idle, or to no kernel with blocks: SM 1000000'
check "a timer without end" ejects t-again 'its timer fires without end and no time passes'

check "vgpu-run says that it was ejected" says 1 'policy t-never: context .*; fcfs has followed it' \
	$run --policy t-never --set policy_watchdog_ps=10000000000 $job

# A mechanism goes in the middle of preemptions that would take it an hour.
echo t-hour >$sysfs/preemption
echo round-robin >$sysfs/policy
echo 1000 >$sysfs/time_slice_us
check "t-hour is selected" selected t-hour preemption
two_programs
check "its module goes while it preempts" rmmod vgpu_wrong_policies
check "the device has switch" selected switch preemption
check "sysfs says so" dropped '^preemption t-hour: it was unloaded; switch$'
check "the first program ends well" wait $one
check "the second program ends well" wait $two
check "no policy of it is listed" not listed t-never
echo fcfs >$sysfs/policy
echo none >$sysfs/preemption
echo 10000000 >$sysfs/policy_watchdog_us
echo "1..$count"
exit $failed
