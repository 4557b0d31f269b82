#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu-sweep --slurm (docs/sweep.md, "On a cluster") on a cluster of one machine: munged, slurmctld and slurmd of this test, with files and ports
# of their own; they end with it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
sweep=$PWD/tools/vgpu-sweep
export PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch parallel; do
	command -v $tool >/dev/null || { echo "$tool is not installed (tools/setup unit brings it)"; exit 4; }
done
[ "$(id -u)" -eq 0 ] || { echo "slurmd wants to be root, which this is not"; exit 4; }
dir=$(mktemp -d)
count=0 failed=0 pids=()

# The daemons in the foreground, each a child: what was started is ended.
stop() { # NAME
	[ -n "${pid[$1]:-}" ] || return 0
	kill "${pid[$1]}" 2>/dev/null
	wait "${pid[$1]}" 2>/dev/null
	unset "pid[$1]"
}
declare -A pid
cleanup() {
	touch "$dir/go"
	scancel --quiet --user root >/dev/null 2>&1
	for name in slurmd slurmctld munged; do stop $name; done
	rm -rf "$dir"
}
trap cleanup EXIT

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else
		echo "not ok $count - $1"
		failed=1
		sed 's/^/# /' "$dir/said" 2>/dev/null | head -n 20
	fi
}
until_true() { # COMMAND...: a minute at most
	local n
	for ((n = 0; n < 300; n++)); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
	return 1
}
# A port that nobody listens on, of those that the system does not give away by itself
free_port() {
	local port
	for ((port = 20000 + RANDOM % 10000; ; port++)); do
		(: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
	done
}

host=$(uname -n | cut -d. -f1)
mkdir -p "$dir"/{munge,state,spool}
chmod 700 "$dir/munge"
chmod 755 "$dir"
head -c 128 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
controller=$(free_port)
cat >"$dir/slurm.conf" <<CONF
ClusterName=sweep
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmctldTimeout=5
MessageTimeout=5
MaxArraySize=6
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=100
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
start() { # NAME
	case $1 in
	munged) munged --foreground --force --key-file "$dir/munge/key" --socket "$dir/munge/socket" --pid-file "$dir/munge/pid" \
		--log-file "$dir/munge/log" --seed-file "$dir/munge/seed" >"$dir/munge/said" 2>&1 & ;;
	slurmctld) slurmctld -D -f "$dir/slurm.conf" >"$dir/slurmctld.said" 2>&1 & ;;
	slurmd) slurmd -D -f "$dir/slurm.conf" -N "$host" >"$dir/slurmd.said" 2>&1 & ;;
	esac
	pid[$1]=$!
}
idle() { sinfo --noheader --format %T | grep -qE '^(idle|mixed|allocated)$'; }
start munged
until_true test -S "$dir/munge/socket"
start slurmctld
start slurmd
if ! until_true idle; then
	tail -n 3 "$dir"/{munge/said,slurmctld.log,slurmd.log}
	echo "Slurm does not start here"
	exit 4
fi
cd "$dir" || exit 1

# ---- the same command, with more cells than the cluster takes tasks

printf '#!/bin/bash\necho "$2" >>ran\n[ "$1" != bad ] || { echo "wrong: $SLURM_ARRAY_TASK_ID" >&2; exit 3; }\necho "value $(($2 * 10))"\n' >cell
chmod +x cell
printf '[axes]\nkind=good bad\nn=1..7\n[exclude]\nkind=bad n=!7\n[sweep]\ncommand=./cell {kind} {n}\nover=n\nslurm=--partition=all --time=5\npictures=none\n[metrics]\nv=value \\([0-9]*\\)\n' >a.ini
"$sweep" --slurm --poll 0.5 -o cluster a.ini >table 2>said
[ $? -eq 1 ] && grep -qE 'array [0-9]+: 4 tasks for 8 cells' said && grep -q 'kind=bad,n=7: failed: exit status 3: wrong: 3' said
ok "a job array: eight cells in four tasks, as many as are allowed; the one that fails is named" $?
# 10 to 70: s = 21.6025, t(6) = 2.44691: 40 +- 19.979
grep -q 'n=7\|7  40 ± 20$' table && [ "$(sort -n ran | tr '\n' ' ')" = "1 2 3 4 5 6 7 7 " ]
ok "each cell once, and the table of them" $?
[ -s cluster/slurm/0.out ] || [ -e cluster/slurm/0.out ] && [ ! -e cluster/slurm/array ]
ok "what the tasks have said" $?
sed -i 's/exit 3/exit 0/' cell
printf '#!/bin/bash\n' >>cell
"$sweep" --slurm --poll 0.5 -o cluster a.ini >table 2>said
[ $? -eq 3 ] && grep -q 'another version: program ./cell has changed' said
ok "another version" $?
: >ran
"$sweep" -o cluster --stale rerun -a 'kind=good' a.ini >table 2>said && [ "$(wc -l <ran)" -eq 7 ]
ok "without Slurm the same folder goes on" $?

# ---- vgpu-sweep ends before the array; the cluster dies

printf '#!/bin/bash\n: >begun.$1\nuntil [ -e go ]; do sleep 0.1; done\necho $1 >>through\n' >wait
chmod +x wait
printf '[axes]\nn=1 2\n[sweep]\ncommand=./wait {n}\noutput=text\n' >b.ini
"$sweep" --slurm --poll 0.5 -o waits b.ini >said 2>&1 &
pid[sweep]=$!
until_true test -e begun.1 -a -e begun.2
ok "the cells have begun" $?
kill -KILL "${pid[sweep]}"
wait "${pid[sweep]}" 2>/dev/null
no_lock() { flock -n waits/lock true; }
until_true no_lock
"$sweep" -o waits b.ini >said 2>&1
[ $? -eq 4 ] && grep -q 'still runs cells of .*: --slurm waits for it, scancel [0-9]* ends it' said
ok "the array goes on without vgpu-sweep, which says so" $?
"$sweep" --slurm --poll 0.5 -o waits b.ini >said 2>&1 &
pid[sweep]=$!
until_true grep -q 'of a former call is in the queue: waiting for it' said
: >go
wait "${pid[sweep]}" && [ "$(sort through | tr '\n' ' ')" = "1 2 " ]
ok "the same command waits for it, and nothing runs twice" $?

rm -f go begun.* through
"$sweep" --slurm --poll 0.2 -o dies b.ini >said 2>&1 &
pid[sweep]=$!
until_true test -e begun.1 -a -e begun.2
ok "the cells have begun" $?
kill -KILL "${pid[slurmctld]}"
wait "${pid[slurmctld]}" 2>/dev/null
status=0
wait "${pid[sweep]}" || status=$?
[ "$status" -eq 4 ] && grep -q 'Slurm does not answer: .*; the same command goes on when it does' said
ok "the cluster does not answer" $?
: >go
until_true test -e dies/cells/n=1/state -a -e dies/cells/n=2/state
start slurmctld
until_true idle
"$sweep" --slurm --poll 0.5 -o dies b.ini >said 2>&1 && [ "$(sort through | tr '\n' ' ')" = "1 2 " ]
ok "when it does again the same command goes on, with what its nodes have done" $?
echo "1..$count"
exit $failed
