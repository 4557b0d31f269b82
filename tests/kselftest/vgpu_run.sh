#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu_run.sh: vgpu-run against vgpu-sim, byte for byte, for every policy and mechanism there is; real programs twice the
# same; knobs put back; what is missing is said. As root, where vgpu.ko is loaded with preset k20c and nobody else
# uses the device. TAP on stdout.
# usage: tests/kselftest/vgpu_run.sh [quick]
#   quick: fcfs only
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
sysfs=/sys/class/vgpu/vgpu0
sim=build/tools/vgpu-sim
run=build/tools/vgpu-run
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

check() { # NAME COMMAND...
	local name=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/log" 2>&1; then
		echo "ok $count - vgpu-run: $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - vgpu-run: $name"
		head -n 30 "$dir/log" | sed 's/^/# /'
	fi
}

cat >"$dir/streams.job" <<'JOB'
[global]
repeat=2
[plain]
phase=cpu us=100
phase=h2d bytes=100000
phase=kernel tbs=200 tb_us=30 tb_cv=0.2 threads=128 launches=3
phase=d2h bytes=5000
[streams]
arrival_us=50
priority=2
phase=kernel tbs=100 tb_us=50 tb_cv=0.2 threads=128 stream=1
phase=cpu us=300 stream=2
phase=kernel tbs=30 tb_us=20 threads=64 launches=90 stream=2
phase=d2h bytes=1000000
JOB
cp tests/kselftest/many.job "$dir/"
cat >"$dir/big_copies.job" <<'JOB'
[global]
repeat=1
[a]
phase=h2d bytes=200000000
phase=d2h bytes=150000000 stream=1
phase=h2d bytes=150000000 stream=2
[b]
phase=h2d bytes=20000000
phase=kernel tbs=10 tb_us=10 threads=128
JOB
cat >"$dir/pages.job" <<'JOB'
[global]
repeat=2
[pages]
shares_data=1
phase=kernel tbs=60 tb_us=30 tb_cv=0.2 threads=128 regs_per_tb=8192 touched_bytes=131072 touches_per_tb=2 idempotent=1
phase=cpu us=20
[reads]
priority=2
arrival_us=30
phase=cpu us=50
phase=kernel tbs=20 tb_us=25 threads=256 touched_bytes=65536 touched_on_host=1 launches=2
[alone]
priority=1
phase=kernel tbs=100 tb_us=40 tb_cv=0.2 threads=256 regs_per_tb=8192
JOB
cat >"$dir/one_host.job" <<'JOB'
[global]
repeat=2
[timeline]
host=one
phase=cpu us=12
phase=h2d bytes=1000000 stream=2
phase=wait stream=1 for=2
phase=kernel tbs=200 tb_us=30 tb_cv=0.2 threads=128 launches=90 stream=1
phase=cpu us=5
phase=wait stream=3 for=1
phase=kernel tbs=20 tb_us=90 threads=256 launches=3 stream=3
phase=cpu us=2.5 stream=1
phase=kernel tbs=100 tb_us=10 threads=256 stream=1
phase=sync for=1
phase=d2h bytes=200000000 stream=2
phase=cpu us=30
phase=sync
phase=kernel tbs=10 tb_us=10 threads=32 stream=1
[other]
arrival_us=70
phase=kernel tbs=400 tb_us=40 tb_cv=0.3 threads=256 launches=5
phase=cpu us=20
JOB
cat >"$dir/parboil.job" <<'JOB'
[global]
repeat=1
[a]
app=sgemm
[b]
app=mri-q
JOB
cat >"$dir/real.job" <<'JOB'
[global]
repeat=2
[saxpy]
cmd=build/cuda/saxpy 20000
[sgemm]
cmd=build/cuda/sgemm 48
arrival_us=20
priority=3
[profile]
priority=1
phase=cpu us=20
phase=kernel tbs=100 tb_us=10 tb_cv=0.2 threads=128 launches=3
[two]
cmd=sh -c "build/cuda/reduce 3000 && build/cuda/histogram 5000"
JOB

# Pairs for SMs that they share: memory and arithmetic, atomics and square roots.
pair() { # NAME COMMAND COMMAND
	printf '[global]\nrepeat=2\n[one]\ncmd=%s\n[other]\ncmd=%s\narrival_us=10\n' "$2" "$3" >"$dir/$1.job"
}
pair saxpy_sgemm "build/cuda/saxpy 20000" "build/cuda/sgemm 64"
pair histogram_nbody "build/cuda/histogram 20000" "build/cuda/nbody 256"

# The choices of a knob, without brackets.
choices() { tr -d '[]' <"$sysfs/$1"; }

same_as_sim() { # JOB OPTION...
	local job=$dir/$1.job
	shift
	"$sim" "$@" "$job" >"$dir/sim" && "$run" "$@" "$job" >"$dir/run" && diff "$dir/sim" "$dir/run"
}

same_trace() {
	"$sim" --trace "$dir/sim.json" "$dir/streams.job" >"$dir/sim" &&
		"$run" --trace "$dir/run.json" "$dir/streams.job" >"$dir/run" &&
		diff "$dir/sim" "$dir/run" && cmp "$dir/sim.json" "$dir/run.json" && [ -s "$dir/run.json" ]
}

twice() { # JOB OPTION...
	local job=$dir/$1.job
	shift
	"$run" --json "$@" "$job" >"$dir/one" && "$run" --json "$@" "$job" >"$dir/two" && diff "$dir/one" "$dir/two"
}

for job in streams many big_copies parboil pages one_host; do
	check "$job, the table of vgpu-sim" same_as_sim "$job"
done
check "the JSON of vgpu-sim" same_as_sim many --json
check "the CSV of vgpu-sim, another seed" same_as_sim many --csv --seed 99
check "the trace of vgpu-sim" same_trace
check "real programs, twice the same" twice real
if [ "${1:-}" != quick ]; then
	for policy in $(choices policy); do
		for mechanism in $(choices preemption); do
			check "$policy with $mechanism, as vgpu-sim" same_as_sim many --json --policy "$policy" --preempt "$mechanism"
		done
	done
	for policy in ppq-exclusive dss; do
		check "$policy, streams, as vgpu-sim" same_as_sim streams --json --policy "$policy" --preempt switch
		check "$policy, one host, as vgpu-sim" same_as_sim one_host --json --policy "$policy" --preempt switch
		check "$policy, real programs twice the same" twice real --policy "$policy" --preempt switch
	done
	for policy in leftover smk smk-p smk-pw spart; do
		check "$policy with kernels_per_sm=4, as vgpu-sim" same_as_sim many --json --policy "$policy" --set kernels_per_sm=4
		for job in saxpy_sgemm histogram_nbody; do
			check "$policy with kernels_per_sm=4, $job twice the same" twice "$job" --policy "$policy" --set kernels_per_sm=4
		done
	done
	for policy in ppq-shared dss; do
		for mechanism in drain switch; do
			for on_fault in stall preemptible; do
				check "$policy with $mechanism, page faults, $on_fault, as vgpu-sim" same_as_sim pages --json \
					--policy "$policy" --preempt "$mechanism" --set "sm_on_fault=$on_fault"
			done
		done
	done
	check "block switching, as vgpu-sim" same_as_sim pages --json --set block_switching=1
	check "faults on SMs, as vgpu-sim" same_as_sim pages --set fault_handler=gpu
	for policy in $(choices transfer_policy); do
		check "transfers by $policy, as vgpu-sim" same_as_sim many --set "transfer_policy=$policy"
	done
fi

# Without seats: each of the processes is a participant of its own.
wait_for_each_other() { # TRANSPORT
	echo lockstep >"$sysfs/clock"
	VGPU_TRANSPORT=$1 timeout 100 build/cuda/features/ipc_event
	status=$?
	echo free >"$sysfs/clock"
	return $status
}
for transport in ioctl mapped; do
	check "processes in lockstep wait for each other's events, $transport" wait_for_each_other $transport
done

# ---- knobs ----------------------------------------------------------------------------------------------------------

knobs() { (cd "$sysfs" && grep . clock policy preemption transfer_policy seed watchdog_us slice_ns time_factor); }

echo 123456 >"$sysfs/watchdog_us"
echo 42 >"$sysfs/seed"
knobs >"$dir/before"
put_back() {
	"$run" --preempt drain "$dir/streams.job" || return
	knobs | diff "$dir/before" -
}
put_back_after() { # SIGNAL
	sed 's/repeat=2/repeat=20000/' "$dir/many.job" >"$dir/endless.job"
	"$run" --preempt drain "$dir/endless.job" &
	sleep 2
	kill -"$1" $! && ! wait $! && knobs | diff "$dir/before" -
}
nothing_left() {
	sed 's/repeat=2/repeat=20000/' "$dir/many.job" >"$dir/endless.job"
	"$run" "$dir/endless.job" &
	sleep 2
	kill -9 $!
	wait $!
	sleep 1
	[ "$(cat "$sysfs/context_count")" = 0 ] || return 1
	for knob in clock policy preemption; do
		sed "s/.*\[\(.*\)\].*/\1/" <(grep "^$knob:" "$dir/before") >"$sysfs/$knob"
	done
}
check "knobs are put back" put_back
check "knobs are put back after SIGINT" put_back_after INT
check "knobs are put back after SIGTERM" put_back_after TERM
check "kill -9 of vgpu-run ends its processes" nothing_left
echo 0 >"$sysfs/watchdog_us"
echo 1 >"$sysfs/seed"

# ---- what is missing is said --------------------------------------------------------------------------------------------

status=2
says() { # TEXT OPTIONS... -- LINES: the job [x] with LINES is refused with TEXT, in one line, and $status
	local text=$1 lines
	local options=()
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	lines=$2
	printf '[x]\n%s\n' "$lines" | "${wrapper[@]}" "$run" "${options[@]}" - >"$dir/said" 2>&1
	[ $? -eq "$status" ] || { echo "exit status"; cat "$dir/said"; return 1; }
	cat "$dir/said"
	[ "$(grep -c . "$dir/said")" -eq 1 ] && grep -qF -- "$text" "$dir/said"
}
wrapper=()
cpu='phase=cpu us=10'
check "another preset" says "load the module with preset=gtx980" --gpu gtx980 -- "$cpu"
check "another configuration" says "load the module with set=sms=4" --set sms=4 -- "$cpu"
check "a knob that is not there" says "unknown field or knob" --set nothing=4 -- "$cpu"
check "a policy that is not there" says "policy must be one of" --policy nope -- "$cpu"
check "a kernel that does not fit" says "does not fit into an SM" -- 'phase=kernel tbs=1 tb_us=1 threads=32 regs_per_tb=1000000'
check "a program that is not there" says "/nope: No such file" -- cmd=/nope
check "a program that fails" says "exited with status 1: /bin/false" -- cmd=/bin/false
check "a program that does nothing" says "did not use the device" -- cmd=/bin/true
check "a program that is killed" says "was killed by signal 9" -- "cmd=sh -c 'kill -9 \$\$'"
check "a command line that is none" says "no command line" -- 'cmd=echo | cat'
sleep 60 </dev/vgpu0 &
sleep 0.2
check "somebody else uses the device" says "needs exclusive use of it" -- "$cpu"
kill $!
wrapper=(setpriv --reuid 65534 --clear-groups)
status=4
check "not root" says "only root" -- "$cpu"
wrapper=() status=2
check "nothing is left open" grep -qx 0 "$sysfs/context_count"

echo "1..$count"
[ "$failed" -eq 0 ]
