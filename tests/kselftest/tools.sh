#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools.sh: vgpu-smi, vgpu-top, vgpu-trace and trace-cmd as their users type them, as root, where vgpu.ko is loaded. TAP on
# stdout. vgpu-top runs in a terminal of 80x24 (tmux), and what is on its screen is compared.
# usage: tests/kselftest/tools.sh        in a guest: tools/vgpu-vm -- tests/kselftest/tools.sh
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
PATH=$PWD/build/tools:$PATH
sysfs=/sys/class/vgpu/vgpu0
dir=$(mktemp -d)
tmux() { command tmux -S "$dir/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null; kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		failed=1
		[ ! -e "$dir/said" ] || sed 's/^/# /' "$dir/said"
		echo "not ok $count - $1"
	fi
}

# NAME STATUS TEXT COMMAND...: it ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	timeout 60 "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	[ "$status" -eq "$expected" ] && { [ -z "$text" ] || grep -qF -- "$text" "$dir/said"; }
	ok "$name" $?
}
# Until COMMAND succeeds, a minute at most.
until_so() {
	local end=$((SECONDS + 60))
	until "$@"; do [ $SECONDS -lt $end ] && sleep 0.1 || return 1; done
}
value() { cat "$sysfs/$1"; }
nobody=(setpriv --reuid 65534 --clear-groups --inh-caps=-all)

# A context that does nothing, of a process with a name.
cat >"$dir/holder" <<-'TEXT'
	#!/bin/bash
	exec 7<>/dev/vgpu0
	read -r _ <"$1"
TEXT
chmod +x "$dir/holder"
mkfifo "$dir/gate"
"$dir/holder" "$dir/gate" &
holder=$!
until_so grep -qx 1 "$sysfs/context_count"
context=$(ls "$sysfs/contexts")
preset=$(value preset) sms=$(value sms) vram=$(($(value vram_bytes) >> 20))

# ---- vgpu-smi ----
says "smi: list" 0 "GPU 0: $preset (UUID: GPU-76677075-0000-0000-0000-000000000000) $sms SMs, $(($(value clock_khz) / 1000)) MHz, $vram MiB, /dev/vgpu0" vgpu-smi -L
says "smi: CSV" 0 "0, $preset, $vram MiB, fcfs, [N/A]" \
	vgpu-smi --query-gpu=index,name,memory.total,policy,temperature.gpu --format=csv
grep -qx 'index, name, memory.total \[MiB\], policy, temperature.gpu' "$dir/said"
ok "smi: header of CSV" $?
vgpu-smi --query-gpu=index,memory.total,memory.used --format=csv,noheader,nounits >"$dir/said"
[ "$(<"$dir/said")" = "0, $vram, 0" ]
ok "smi: CSV without header and units" $?
vgpu-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader >"$dir/said"
[ "$(<"$dir/said")" = "$holder, holder, 0 MiB" ]
ok "smi: processes as CSV" $?
vgpu-smi >"$dir/said"
grep -qE "^\| +0  $preset +\| fcfs +\| +0 / $vram MiB +[0-9]+% \|$" "$dir/said" &&
	grep -qE "^\| +0 +$context +$holder holder +0 +0 +0/0 +0 +0\.0 ns +[0-9.]+ [num]?s \|$" "$dir/said" &&
	[ "$(tail -n +2 "$dir/said" | awk 'NF && length != 79' | wc -l)" -eq 0 ]
ok "smi: the table, 79 columns wide" $?
says "smi: fields of nvidia-smi" 0 "GPU-76677075-0000-0000-0000-000000000000, 00000000:00:00.0, $(value compute_capability | sed "s/.$/.&/"), Default, [N/A]" \
	vgpu-smi --query-gpu=gpu_uuid,pci.bus_id,compute_cap,compute_mode,power.limit --format=csv -i 00000000:00:00.0
says "smi: a device by its UUID" 0 "GPU 0: $preset" vgpu-smi -L -i GPU-76677075-0000-0000-0000-000000000000
says "smi: pmon" 0 "    0 $(printf %10d "$holder")     C      0      -      -      -      -      -    holder" vgpu-smi pmon -c 1
vgpu-smi dmon -i 0 -d 0.1 -c 3 >"$dir/said" && [ "$(grep -c '^    0      -' "$dir/said")" -eq 3 ] && [ "$(grep -c '^#' "$dir/said")" -eq 2 ]
ok "smi: dmon" $?
vgpu-smi -q -x -f "$dir/said" && grep -qx ' *<gpu id="00000000:00:00.0">' "$dir/said" && grep -qx " *<total>$vram MiB</total>" "$dir/said" &&
	grep -qx " *<pid>$holder</pid>" "$dir/said" && [ "$(grep -c '^ *<[a-z_]*[ >][^/]*$' "$dir/said")" -eq "$(grep -c '^ *</' "$dir/said")" ]
ok "smi: XML" $?
timeout 60 vgpu-smi -L -lms 50 | head -n 3 >"$dir/said"
[ "$(wc -l <"$dir/said")" -eq 3 ]
ok "smi: -lms" $?
says "smi: XML of no query" 2 "-x goes with -q" vgpu-smi -x
says "smi: no looks" 2 "1 or more, not 0" vgpu-smi pmon -c 0
says "smi: no such option of dmon" 2 "--help" vgpu-smi dmon -z
says "smi: neither a number nor a UUID" 2 "its UUID or its bus, not GPU-1" vgpu-smi -i GPU-1
says "smi: everything" 0 "PID                     : $holder" vgpu-smi -q
timeout 60 vgpu-smi -l 0.1 --query-gpu=index --format=csv | head -n 4 >"$dir/said"
[ "$(tr '\n' ' ' <"$dir/said")" = "index 0 0 0 " ]
ok "smi: again and again" $?

vgpu-smi events >"$dir/events" &
listener=$!
hears() { vgpu-smi set policy=npq && grep -q 'policy is now npq' "$dir/events"; }
until_so hears
says "smi: set policy and mechanism" 0 "" vgpu-smi set policy=dss preemption=switch
grep -qF '[dss]' "$sysfs/policy" && grep -qF '[switch]' "$sysfs/preemption"
ok "smi: sysfs has them" $?
says "smi: set priority of a process" 0 "" vgpu-smi set -p "$holder" priority=5
says "smi: set tokens of a context" 0 "" vgpu-smi set -c "$context" tokens=3
says "smi: set the memory budget of a context" 0 "" vgpu-smi set -c "$context" memory_budget=1073741824
[ "$(value "contexts/$context/priority") $(value "contexts/$context/tokens") $(value "contexts/$context/memory_budget")" = "5 3 1073741824" ]
ok "smi: sysfs has those" $?
vgpu-smi set policy=fcfs preemption=none
until_so grep -q 'policy is now fcfs' "$dir/events"
kill $listener
grep -q '^vgpu0 [0-9.]* ms policy is now dss$' "$dir/events"
ok "smi: events" $?
vgpu-smi set sample_ms=100 && vgpu-smi -q >"$dir/said" && grep -qE 'Samples every +: 100 ms' "$dir/said" && vgpu-smi set sample_ms=1000
ok "smi: time between samples" $?
says "smi: no such time between samples" 1 "10 to 60000" vgpu-smi set sample_ms=5
says "smi: a wrong value" 1 "policy takes one of: fcfs npq" vgpu-smi set policy=red
says "smi: no such knob" 1 "no such knob" vgpu-smi set colour=red
says "smi: not a number" 2 "priority takes a number" vgpu-smi set -c "$context" priority=high
says "smi: no such context" 1 "no such context" vgpu-smi set -c 999999 priority=1
says "smi: no such process" 1 "has no context on device 0" vgpu-smi set -p 1 priority=1
says "smi: no such device" 3 "no device 9; vgpu-smi -L" vgpu-smi -i 9
says "smi: no such field" 2 "--help-query-gpu lists" vgpu-smi --query-gpu=colour --format=csv
says "smi: no format" 2 "--format=csv" vgpu-smi --query-gpu=name
# must_compute() of kselftest runs kernels of four warps a block, with 11 instructions each: of 10 blocks 440.
says "smi: counts of a device that counts nothing" 0 "set kernel_statistics=1" vgpu-smi counts
vgpu-smi set kernel_statistics=1
build/kselftest/launch >/dev/null 2>&1
vgpu-smi set kernel_statistics=0
says "smi: counts" 0 "affine" vgpu-smi counts
[ "$(awk 'length > 96' "$dir/said" | wc -l)" -eq 0 ]
ok "smi: they fit a terminal" $?
says "smi: all counters" 0 "inst_global_store" vgpu-smi counts -a -b context
vgpu-smi counts -c >"$dir/counts.csv"
says "smi: vgpu-trace reads them" 0 "sectors_store" vgpu-trace stats "$dir/counts.csv"
says "smi: counts of another user's" 0 "nothing was counted" "${nobody[@]}" vgpu-smi counts
says "smi: nor of SMs, which are sums of all" 0 "CAP_PERFMON" "${nobody[@]}" vgpu-smi counts -b sm
says "smi: counts of SMs" 0 "Instructions" vgpu-smi counts -b sm
says "smi: counts of no such thing" 2 "launch, stream, context or sm, not warp" vgpu-smi counts -b warp
says "smi: counts with a word too many" 2 "not now" vgpu-smi counts now
says "smi: no such command" 2 "vgpu-smi --help" vgpu-smi paint
says "smi: not permitted" 4 "needs root" "${nobody[@]}" vgpu-smi set policy=fcfs
says "smi: nobody may look" 0 "$preset" "${nobody[@]}" vgpu-smi
grep -qE "^\| +0 +$context +- \[other's\] +5 +- +- +- +- +- \|$" "$dir/said" && ! grep -qw "$holder" "$dir/said" &&
	grep -qF 'contexts of other users: what they do is shown to root (CAP_PERFMON) only' "$dir/said" &&
	[ "$(tail -n +2 "$dir/said" | awk 'NF && length != 79' | wc -l)" -eq 0 ]
ok "smi: nobody sees that there are contexts of others" $?
"${nobody[@]}" vgpu-smi --query-compute-apps=context,pid,priority,used_memory --format=csv,noheader >"$dir/said"
[ "$(<"$dir/said")" = "$context, [Insufficient Permissions], 5, [Insufficient Permissions]" ]
ok "smi: and as CSV" $?
says "smi: and everything" 0 "shown to root (CAP_PERFMON) only" "${nobody[@]}" vgpu-smi -q

# An ordinary user's own context is shown to it, with the fault; that of somebody else is not.
chmod 711 "$dir"
"${nobody[@]}" vgpu-smi events >"$dir/events" 2>"$dir/warned" &
listener=$!
hears() { vgpu-smi set policy=npq && grep -q 'policy is now npq' "$dir/events"; }
until_so hears
vgpu-smi set policy=fcfs
grep -qF 'contexts of other users' "$dir/warned"
ok "smi: events of an ordinary user" $?
build/kselftest/faults 'store to memory that is not mapped' >/dev/null 2>&1
# A context that is closed before vgpu-smi asks for its fault has none to show: until one is not.
own_fault() {
	"${nobody[@]}" build/kselftest/faults 'store to memory that is not mapped' >/dev/null 2>&1
	grep -qE 'context [0-9]+ of process [0-9]+ died: unmapped, address 0x' "$dir/events"
}
until_so own_fault && cp "$dir/events" "$dir/said" &&
	grep -qE 'context [0-9]+ created$' "$dir/said" && grep -qE 'context [0-9]+ died$' "$dir/said"
ok "smi: they have faults of its own contexts only" $?
kill $listener

# ---- vgpu-top ----
vgpu-top -b -n 1 -d 0.1 >"$dir/said"
grep -qx "policy fcfs, preemption none, transfers fcfs" "$dir/said" &&
	# a letter each, 64 in a row
	[ "$(grep -xE '(SMs|   ) [.]+' "$dir/said")" = "$(printf '%*s' "$sms" '' | tr ' ' . | fold -w 64 | sed '1s/^/SMs /; 1!s/^/    /')" ] &&
	grep -qE "^ A +$context +$holder holder +5 +3 +0\.0 +[0-9.]+  0/0 +0/0( +0){9}$" "$dir/said" &&
	[ "$(awk 'length > 116' "$dir/said" | wc -l)" -eq 0 ]
ok "top: a look in batch mode" $?
"${nobody[@]}" vgpu-top -b -n 1 -d 0.1 >"$dir/said"
grep -qE "^ \? +$context +- \[others\] +5 +3 ( +-){13}$" "$dir/said" && ! grep -qw holder "$dir/said" &&
	grep -qF 'shown to root (CAP_PERFMON) only' "$dir/said"
ok "top: an ordinary user" $?
says "top: no terminal" 2 "use -b" vgpu-top
says "top: a wrong delay" 2 "0.05 to 3600" vgpu-top -d 0

screen() { tmux capture-pane -p -t top >"$dir/said"; }
shows() { screen; grep -qE -- "$1" "$dir/said"; }
lacks() { screen; ! grep -qE -- "$1" "$dir/said"; }
gone() { screen; grep -qx "status 0" "$dir/said"; }
unset TMUX
export TERM=xterm-256color
export VGPU_TRANSPORT=ioctl
(while :; do build/cuda/sgemm 160 >/dev/null 2>&1; done) &
load=$!
tmux new-session -d -s top -x 80 -y 24 "vgpu-top -d 0.2; echo status \$?; sleep 100"
until_so shows "^vgpu0 $preset, $sms SMs"
ok "top: a screen" $?
# it draws from top to bottom
until_so shows '^q quit  p policy ' && [ "$(tail -n 1 "$dir/said" | cut -c 1-17)" = "q quit  p policy " ]
ok "top: keys in the last of 24 lines" $?
until_so shows '^SMs .*[AB]'
ok "top: SMs are busy" $?
tmux send-keys -t top p
until_so shows '^policy npq, preemption none' && until_so shows '^policy is now npq'
ok "top: the next policy" $?
grep -qF '[npq]' "$sysfs/policy"
ok "top: sysfs has it" $?
tmux send-keys -t top m
until_so shows '^policy npq, preemption drain'
ok "top: the next preemption mechanism" $?
kill $load
wait $load 2>/dev/null
until_so grep -qx 1 "$sysfs/context_count"
until_so lacks sgemm
# a picture half drawn lacks sgemm, too, and the key then selects what ends: once more
selected() { shows "^>A +$context +$holder holder +5 " || { tmux send-keys -t top j && false; }; }
until_so selected
ok "top: a process is selected" $?
tmux send-keys -t top + +
until_so shows "^>A +$context +$holder holder +7 " && [ "$(value "contexts/$context/priority")" = 7 ]
ok "top: its priority is raised" $?
tmux send-keys -t top -
until_so shows "^>A +$context +$holder holder +6 "
ok "top: and lowered" $?
tmux resize-window -t top -x 60 -y 10
until_so shows "^policy npq"
ok "top: a smaller terminal" $?
tmux send-keys -t top q
until_so gone
ok "top: quit" $?
tmux kill-server
vgpu-smi set policy=fcfs preemption=none

# ---- page faults ----
vgpu-smi set allocation=lazy fault_granule=4096
(while :; do build/cuda/bfs 20000 >/dev/null 2>&1; done) &
load=$!
smi_counts() {
	vgpu-smi --query-compute-apps=page_faults.rate,resident_memory --format=csv,noheader >"$dir/said"
	grep -qE '^[0-9]*[1-9][0-9]*\.[0-9]+ 1/s, [1-9][0-9]* KiB$' "$dir/said"
}
until_so smi_counts
ok "smi: page faults a second" $?
in_table() { vgpu-smi >"$dir/said"; grep -qE ' bfs +0 +1 +[0-9.]+[KM]/[0-9.]+[KM] +[1-9][0-9]* ' "$dir/said"; }
until_so in_table
ok "smi: in the table" $?
top_counts() {
	vgpu-top -b -n 2 -d 0.2 >"$dir/said"
	grep -qE ' bfs +0 share .* [0-9.]+[KM]/[0-9.]+[KM] +[0-9]+ +[1-9][0-9]*( +0){7}$' "$dir/said"
}
until_so top_counts
ok "top: page faults a second" $?
kill $load
wait $load 2>/dev/null
until_so grep -qx 1 "$sysfs/context_count"

# ---- managed memory ----
vgpu-smi >"$dir/said"
! grep -q 'Managed memory' "$dir/said"
ok "smi: no table of managed memory that nobody uses" $?
(while :; do build/cuda/features/managed_memory >/dev/null 2>&1; done) &
load=$!
size='([0-9.]+[KMG])'
in_table() {
	vgpu-smi >"$dir/said"
	grep -qE "^\\| +0 +[0-9]+ +[0-9]+ managed_m +$size +(0|$size) +[0-9]+ +[0-9]+ +$size +(0|$size) +(0|$size) \\|$" "$dir/said"
}
until_so in_table && [ "$(tail -n +2 "$dir/said" | awk 'NF && length != 79' | wc -l)" -eq 0 ] &&
	grep -qE '^\| GPU +Ctx +PID Process +Resident +Host Flt/s HFlt/s +In +Out Refault \|$' "$dir/said"
ok "smi: managed memory in a table of 79 columns" $?
smi_counts() {
	vgpu-smi --query-compute-apps=process_name,managed_resident_bytes,managed_host_bytes --format=csv,noheader >"$dir/said"
	grep -qE '^managed_memory, [1-9][0-9]*, [1-9][0-9]*$' "$dir/said"
}
until_so smi_counts
ok "smi: managed memory on both sides in CSV" $?
top_counts() {
	vgpu-top -b -n 1 -d 0.1 >"$dir/said"
	grep -qE " managed_ +0 share .* $size +(0|$size)$" "$dir/said" && grep -qE ' REF/s +RES +HOST$' "$dir/said"
}
until_so top_counts
ok "top: managed memory on both sides" $?
kill $load
wait $load 2>/dev/null
until_so grep -qx 1 "$sysfs/context_count"
[ "$(value managed_resident_bytes) $(value managed_host_bytes)" = "0 0" ]
ok "sysfs: none is left" $?

vgpu-trace record -o "$dir/faults" -- build/cuda/bfs 20000 >/dev/null && vgpu-trace stats "$dir/faults" >"$dir/said" &&
	grep -qE '^[1-9][0-9]* page faults, at most [1-9][0-9]* in flight; 0 delayed' "$dir/said" &&
	grep -qE ' bfs \([0-9]+\), expand$' "$dir/said" && grep -qE ' bfs \([0-9]+\), 0x[0-9a-f]+, [0-9.]+ KiB$' "$dir/said"
ok "trace: page faults" $?
vgpu-smi set allocation=eager fault_granule=65536

# ---- SMs that processes share ----
vgpu-smi set policy=leftover kernels_per_sm=4
loads=()
for program in "nbody 2048" "sgemm 160"; do
	# shellcheck disable=SC2086
	(while :; do build/cuda/$program >/dev/null 2>&1; done) &
	loads+=($!)
done
# the second kernel of an SM has a line without the number of the SM
sms_shared() { vgpu-smi -s >"$dir/said" && grep -qE '^\| {20} *[0-9]+ (nbody|sgemm) +[0-9]+ +[1-9][0-9]* +[1-9]' "$dir/said"; }
until_so sms_shared && grep -qE '^\|   0 +[0-9]+ (setup|running|saving|restoring) ' "$dir/said" &&
	grep -qE '^\| GPU   SM State +Ctx Process +Launch Blocks +Regs Shared Warps +Share \|$' "$dir/said" &&
	[ "$(awk 'NF && length != 79' "$dir/said" | wc -l)" -eq 0 ]
ok "smi: who has how much of each SM, 79 columns wide" $?
in_table() { vgpu-smi >"$dir/said" && grep -qE '^\| +0 +[0-9]+ +[0-9]+ (nbody|sgemm) +[1-9][0-9]* +[1-9][0-9]* +[1-9]' "$dir/said"; }
until_so in_table && grep -qE '^\| Shared SMs' "$dir/said" && [ "$(tail -n +2 "$dir/said" | awk 'NF && length != 79' | wc -l)" -eq 0 ]
ok "smi: shared SMs in the table" $?
smi_counts() {
	vgpu-smi --query-compute-apps=process_name,sm_blocks,sm_warps,issue_share --format=csv,noheader >"$dir/said"
	grep -qE '^(nbody|sgemm), [1-9][0-9]*, [1-9][0-9]*, [0-9]+\.[0-9]+ %$' "$dir/said"
}
until_so smi_counts
ok "smi: blocks, warps and issue share in CSV" $?
top_shares() { vgpu-top -s -b -n 1 -d 0.1 >"$dir/said" && grep -qE '^(SMs |    ) .* [0-9]+ A+B+' "$dir/said"; }
until_so top_shares && grep -qE ' ISSUE%  SMS SHARED BLOCKS +REGS +SMEM WARPS$' "$dir/said"
ok "top: bars of SMs" $?
kill "${loads[@]}"
wait "${loads[@]}" 2>/dev/null
until_so grep -qx 1 "$sysfs/context_count"
vgpu-smi set policy=fcfs kernels_per_sm=1

# ---- tracing ----
says "trace: record" 0 "saxpy: verified" vgpu-trace record -o "$dir/x" -- build/cuda/saxpy 20000
says "trace: table" 0 "saxpy " vgpu-trace "$dir/x"
says "trace: stats" 0 "100.0%" vgpu-trace stats "$dir/x"
grep -qE '^ 100\.0% .* 1 .* saxpy$' "$dir/said" && grep -qE ' 1 .* copy to host, 78\.1 KiB' "$dir/said"
ok "trace: kernel and copies in stats" $?
says "trace: status of the program" 7 "" vgpu-trace record -o "$dir/y" -- bash -c 'exit 7'
[ "$(cat /sys/kernel/debug/vgpu/0/trace_on)" = 0 ]
ok "trace: switched off again" $?
says "trace: not permitted" 4 "needs root" "${nobody[@]}" vgpu-trace record -o "$dir/z" -- true
# record would do all of it at once, but may lose the last page of a processor on a busy machine
says "trace-cmd: start" 0 "" trace-cmd start -b 2000 -e vgpu
says "trace-cmd: a program meanwhile" 0 "saxpy: verified" build/cuda/saxpy 20000
says "trace-cmd: stop" 0 "" trace-cmd stop
says "trace-cmd: extract" 0 "" trace-cmd extract -o "$dir/t.dat"
trace-cmd reset >"$dir/said" 2>&1
trace-cmd report "$dir/t.dat" >"$dir/said" 2>&1
[ "$(grep -c ' kernel_start: ' "$dir/said")" -eq 1 ] && [ "$(grep -c ' block_end: ' "$dir/said")" -eq 79 ] &&
	grep -qE ' copy_start: .*bytes=80000 op=copy_d2h' "$dir/said"
ok "trace-cmd: report" $?

echo >"$dir/gate"
wait $holder
echo "1..$count"
exit $failed
