#!/bin/bash
# SPDX-License-Identifier: MIT
#
# policy_bpf.sh: policies as BPF: they are loaded and listed, do what the same source does in the tree and in vgpu-sim, and go in
# the middle of work; those that do not work are refused or ejected, and nobody loses anything. As root, where vgpu.ko of Linux 6.12
# is loaded with preset k20c and nobody else uses the device. TAP on stdout.
# usage: tests/kselftest/policy_bpf.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
export VGPU_TRANSPORT=ioctl LD_LIBRARY_PATH=$PWD/build
sim=build/tools/vgpu-sim run=build/tools/vgpu-run
policy=build/tools/vgpu-policy policies=build/policies
script=policy_bpf
. tests/kselftest/check.bash
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
chmod 755 "$dir"

is() { # WORDS COMMAND...: what it prints
	local expected=$1
	shift
	[ "$("$@" | sort | tr '\n' ' ')" = "$expected" ]
}

job=tests/kselftest/many.job
result() { # OUT POLICY OPTION...
	local out=$1 policy=$2
	shift 2
	"$run" --json --trace "$dir/$out.trace" --policy "$policy" "$@" $job | sed 's/-bpf"/"/' >"$dir/$out"
}
# JSON and trace, byte for byte
same_as_tree() { # POLICY OPTION...
	local name=$1
	shift
	result tree "$name" "$@" && result bpf "$name-bpf" "$@" && [ -s "$dir/bpf" ] && diff "$dir/tree" "$dir/bpf" &&
		sed 's/-bpf"/"/' "$dir/bpf.trace" | cmp - "$dir/tree.trace"
}
same_as_sim() { # OPTION...
	"$sim" --json --trace "$dir/sim.trace" --policy $policies/edf.so "$@" $job >"$dir/sim" &&
		"$run" --json --trace "$dir/run.trace" --policy edf "$@" $job >"$dir/run" && diff "$dir/sim" "$dir/run" &&
		cmp "$dir/sim.trace" "$dir/run.trace"
}

mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
check "none is loaded" is '' $policy list
for name in fcfs dss smk; do
	check "$name is loaded" is "$name-bpf " $policy load $policies/$name.bpf.o
	check "the knob lists $name-bpf" listed $name-bpf
done
check "edf is loaded" is 'edf ' $policy load $policies/edf.bpf.o
check "they are listed" is 'dss-bpf edf fcfs-bpf smk-bpf ' $policy list
check "they keep vgpu" not rmmod vgpu
check "fcfs, as that of the tree" same_as_tree fcfs --preempt none
check "fcfs with fcfs_batch, as that of the tree" same_as_tree fcfs --preempt none --set fcfs_batch=1
for how in none switch chimera; do check "dss with $how, as that of the tree" same_as_tree dss --preempt $how; done
for how in switch chimera; do
	check "smk with $how, as that of the tree" same_as_tree smk --preempt $how --set kernels_per_sm=4
done
for how in none switch; do check "edf with $how, as vgpu-sim" same_as_sim --preempt $how; done

# Two programs compute while it goes.
echo switch >$sysfs/preemption
echo edf >$sysfs/policy
check "edf is selected" selected edf
build/cuda/features/launch_for_ever 1000 >"$dir/one" 2>&1 & one=$!
build/cuda/features/launch_for_ever 1000 >"$dir/two" 2>&1 & two=$!
check "two programs compute" timeout 60 bash -c "until [ \$(cat $sysfs/context_count) -eq 2 ]; do sleep 0.1; done"
check "edf goes while they do" $policy unload edf
check "the device has fcfs" timeout 30 bash -c "until grep -qF '[fcfs]' $sysfs/policy; do sleep 0.1; done"
check "sysfs says why" dropped '^policy edf: it was unloaded; fcfs$'
check "edf is not listed" not listed edf
check "the first program ends well" wait $one
check "the second program ends well" wait $two

# What is refused when it is loaded
load() { $policy load "$1"; }
check "one that is loaded already" says 1 'there is one of that name' load $policies/dss.bpf.o
check "one that writes to a context" says 1 'only read is supported' load $policies/tests/writes.bpf.o
check "one that passes a pointer into a context" says 1 'is refused by the kernel' load $policies/tests/inside.bpf.o
check "a loop of which no end is seen" says 1 'infinite loop detected\|too large\|too complex' load $policies/tests/endless.bpf.o
check "an operation that there is not" says 1 'no operation "next_change"' load $policies/tests/ahead.bpf.o
check "a file that is not there" says 1 'No such file' load "$dir/no.bpf.o"
check "a file that is none" says 1 'is no object file of BPF' load $job
check "a shared object" says 1 'is no object file of BPF\|has no policy' load $policies/edf.so
check "somebody without the right" says 1 'needs CAP_SYS_ADMIN' \
	setpriv --reuid 65534 --clear-groups --inh-caps=-all $policy load $policies/edf.bpf.o
check "a name that is not loaded" says 1 'no such policy' $policy unload nobody
check "wrong usage" says 2 '^usage:' $policy load
check "what is loaded is there still" is 'dss-bpf fcfs-bpf smk-bpf ' $policy list

# What is ejected. The first program keeps the device busy, the second one comes to it.
computes() { build/cuda/features/launch_for_ever 300; }
ejects() { # POLICY REASON
	$policy load "$policies/tests/${1#b-}.bpf.o" && echo "$1" >$sysfs/policy || return
	computes & local first=$!
	computes && wait $first && dropped "^policy $1: $2; fcfs$" && selected fcfs && $policy unload "$1"
}
echo 1000 >$sysfs/policy_watchdog_us
check "one that never schedules" ejects b-never 'context [0-9]* has had work and no SM for 1000 us'
check "one that assigns what it must not" ejects b-wrong 'it assigns an SM that is not idle, or to no kernel with blocks: SM 1000000'
check "one whose loops do not end" ejects b-loop 'its loops do not end'
check "the log says why" sh -c 'dmesg | grep -q "b-loop.*its loops do not end"'
for name in fcfs dss smk; do check "$name goes" $policy unload $name-bpf; done
check "none is loaded any more" is '' $policy list
echo none >$sysfs/preemption
echo 10000000 >$sysfs/policy_watchdog_us
umount /sys/fs/bpf
echo "1..$count"
exit $failed
