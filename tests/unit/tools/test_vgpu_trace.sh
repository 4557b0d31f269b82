#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vgpu-trace from outside: the records of a real program as table, picture and Chrome trace; refusals with their status.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
trace=$PWD/build/tools/vgpu-trace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT ARGUMENT...: vgpu-trace ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$trace" "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

# 20000 elements in blocks of 256 threads are 79 thread blocks of one kernel.
VGPU_TRANSPORT=embedded VGPU_TRACE=$dir/records build/cuda/saxpy 20000 >"$dir/said" 2>&1
ok "a program leaves records" $?
pid=$("$trace" "$dir/records" | awk '/^context 1/ { print $3 }')
echo "$pid saxpy verified" >"$dir/names"
"$trace" --names "$dir/names" --json "$dir/a.json" --svg "$dir/a.svg" --title 'a <& b' "$dir/records" >"$dir/table"
ok "table, picture and Chrome trace at once" $?
awk -v pid="$pid" '$1 == "saxpy" && $2 == pid && $3 == 1 && $4 == 79 && $NF == "verified" { found = 1 } END { exit !found }' \
	"$dir/table"
ok "the table has the kernel and its 79 thread blocks" $?
[ "$(grep -o '"launch":1,"block":[0-9]*' "$dir/a.json" | sort -u | wc -l)" -eq 79 ]
ok "the Chrome trace has every thread block once" $?
head -c 1 "$dir/a.json" | grep -q '{' && tail -n 1 "$dir/a.json" | grep -q '\]}$'
ok "the Chrome trace is closed" $?
grep -q 'a &lt;&amp; b' "$dir/a.svg" && grep -q '>saxpy' "$dir/a.svg" && tail -n 1 "$dir/a.svg" | grep -q '</svg>'
ok "the picture names the process and escapes its title" $?
"$trace" --quiet --json "$dir/b.json" - <"$dir/records" >"$dir/said"
[ ! -s "$dir/said" ] && [ -s "$dir/b.json" ]
ok "standard input, no table" $?

# Copies in both directions at once: a row for each engine, and both have bars.
VGPU_TRANSPORT=embedded VGPU_SET=copy_engines=2 VGPU_TRACE=$dir/both build/cuda/features/copy_engines >"$dir/said" 2>&1
"$trace" --quiet --json "$dir/both.json" --svg "$dir/both.svg" "$dir/both"
for engine in 0 1; do
	grep -o 'y="[0-9.]*" text-anchor="end" fill="#444">copy engine '$engine'<' "$dir/both.svg" |
		awk -F'"' -v svg="$dir/both.svg" '{ want = sprintf(" y=\"%.1f\"", $2 - 13)
			while ((getline line <svg) > 0) if (index(line, want) && line ~ / copies,/) bars++ } END { exit !bars }'
	ok "the picture has a row of copy engine $engine with its copies" $?
	grep -q "\"name\":\"copy engine $engine\"" "$dir/both.json"
	ok "the Chrome trace has a track of it" $?
done
"$trace" stats "$dir/both" | grep -q '^Copies, on the copy engines'
ok "statistics say that there are several" $?

# A preemption of SM 2, by hand: launch 1 of context 1 has it, 10 us draining, 5 us saving, later 2 us restoring.
perl -e '
	sub record { print pack("QSSLLLQQQ", $_[0] * 1000000, $_[1], $_[2], 1, 0, 1, 1, $_[3], $_[4]) }
	print "VGPUTRC1";
	record(0, 3, 65535, 1, 0); record(0, 5, 65535, 1, 0); record(0, 10, 2, 0, 0);	# dispatch, kernel, block
	record(10, 13, 2, 7, 0); record(20, 19, 2, 0, 0); record(20, 15, 2, 1, 4096);	# request, block stops, save
	record(25, 16, 2, 1, 4096); record(25, 14, 2, 10 * 1000000, 0);			# saved, handed over
	record(40, 17, 2, 0, 4096); record(42, 18, 2, 0, 0); record(42, 20, 2, 0, 0);	# restored, block goes on
	record(50, 11, 2, 0, 0); record(50, 6, 65535, 0, 0); record(50, 4, 65535, 1, 0);' >"$dir/preempted"
"$trace" --json "$dir/p.json" --svg "$dir/p.svg" "$dir/preempted" >"$dir/said"
grep -q '^context 1 .* 1  -$' "$dir/said" && grep -q '^1 preemptions of an SM, 15.0 us from' "$dir/said" && ! grep -q lack "$dir/said"
ok "the table counts preemptions" $?
for move in '"draining","ph":"X","ts":10.0,"dur":10.0' '"saving","ph":"X","ts":20.0,"dur":5.0' '"restoring","ph":"X","ts":40.0,"dur":2.0'; do
	grep -qF "$move" "$dir/p.json" || echo "# no $move"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok "the Chrome trace has what a preemption does" $?
grep -q 'saving 4096 bytes, 20.0 us to 25.0 us' "$dir/p.svg" && grep -q 'draining, 10.0 us to 20.0 us' "$dir/p.svg" &&
	grep -q 'restoring 4096 bytes' "$dir/p.svg"
ok "the picture shows it" $?

# An SM that two kernels share, by hand, in 109 us: a block of launch 1 takes a quarter of it, one of launch 2 an eighth. At 40 us a
# block of launch 1 is told to leave; it is saved from 42 to 50, and restored from 60 to 70.
perl -e '
	sub record { print pack("QSSLLLQQQ", $_[0] * 1000000, $_[1], $_[2], $_[3], 0, $_[3], 1, $_[4], $_[5]) }
	my ($none, $quarter, $eighth) = (65535, 1 << 30 | 4 << 40, 1 << 29 | 2 << 40);
	print "VGPUTRC1";
	record(0, 3, $none, 1, 1, 0); record(0, 9, 0, 1, $quarter, 1000 << 32 | 2048);		# dispatch, setup
	record(0, 5, $none, 1, 2, 0); record(0, 10, 0, 1, 0, 0); record(0, 10, 0, 1, 1, 1);	# kernel, blocks
	record(20, 3, $none, 2, 1, 0); record(20, 9, 0, 2, $eighth, 500 << 32); record(20, 5, $none, 2, 2, 0);
	record(20, 10, 0, 2, 0, 2);
	record(40, 21, 0, 1, 5, 1); record(40, 21, 0, 2, 4, 1); record(40, 21, 0, 1, 3, 1);	# partition, replace, evict
	record(42, 19, 0, 1, 1, 1); record(42, 15, 0, 1, 1, 4096); record(50, 16, 0, 1, 1, 4096);
	record(50, 10, 0, 2, 1, 1); record(60, 11, 0, 2, 0, 2); record(60, 11, 0, 2, 1, 1);
	record(60, 6, $none, 2, 0, 0); record(60, 4, $none, 2, 1, 0); record(60, 17, 0, 1, 1, 4096);
	record(70, 18, 0, 1, 1, 0); record(70, 20, 0, 1, 1, 1); record(109, 11, 0, 1, 0, 0);
	record(109, 11, 0, 1, 1, 1); record(109, 6, $none, 1, 0, 0); record(109, 4, $none, 1, 1, 0);' >"$dir/shared"
"$trace" --json "$dir/s.json" --svg "$dir/s.svg" "$dir/shared" >"$dir/said"
# the time of the SM is divided by shares: 20 + 30 x 4/5 + 10 / 2 + 49 us
grep -qE '^context 1 .* 89\.9% +1  -$' "$dir/said" && grep -qE '^context 2 .* 10\.1% +0  -$' "$dir/said" && ! grep -q lack "$dir/said" &&
	grep -qx 'SMs that kernels share: two or more for 36.7 % of their time' "$dir/said" &&
	grep -qx '1 thread blocks left an SM that others shared, 10.0 us from told to saved on average' "$dir/said"
ok "the table divides a shared SM" $?
while read -r what; do
	grep -qF "$what</title>" "$dir/s.svg" || echo "# no $what"
done >"$dir/missing" <<-'LINES'
	context 1, launch 1, 2 thread blocks, 50.0 % of the SM, 0.0 ns to 20.0 us
	context 1, launch 1, 2 thread blocks, 50.0 % of the SM, 20.0 us to 42.0 us
	context 2, launch 2, 1 thread blocks, 12.5 % of the SM, 20.0 us to 42.0 us
	context 1, launch 1, 2 thread blocks, 25.0 % of the SM being saved, 42.0 us to 50.0 us
	context 1, launch 1, 1 thread blocks, 25.0 % of the SM, 50.0 us to 60.0 us
	context 2, launch 2, 2 thread blocks, 25.0 % of the SM, 50.0 us to 60.0 us
	context 1, launch 1, 2 thread blocks, 25.0 % of the SM being restored, 60.0 us to 70.0 us
	context 1, launch 1, 2 thread blocks, 50.0 % of the SM, 70.0 us to 109.0 us
LINES
[ ! -s "$dir/missing" ]
ok "the picture shows who has how much of an SM" $?
# a row is 32 pixels: 16 of launch 1 at the bottom, 4 of launch 2 above
bottom=$(grep -oE 'y="[0-9.]+" text-anchor="end" fill="#444">SM 0<' "$dir/s.svg" | awk -F'"' '{ print $2 + 12 }')
grep -qF "<rect x=\"330.00\" y=\"$((bottom - 16)).00\" width=\"220.00\" height=\"16.00\"" "$dir/s.svg" &&
	grep -qF "<rect x=\"330.00\" y=\"$((bottom - 20)).00\" width=\"220.00\" height=\"4.00\"" "$dir/s.svg"
ok "as layers of its row" $?
for part in '"name":"evict","ph":"i","s":"t","ts":40.0,"pid":2,"tid":0,"args":{"process":"context 1","launch":1,"block":1}' \
	'"name":"replace","ph":"i","s":"t","ts":40.0,"pid":2,"tid":0,"args":{"process":"context 2","launch":2,"victim":1}' \
	'"name":"partition","ph":"i","s":"t","ts":40.0,"pid":2,"tid":0,"args":{"process":"context 1","launch":1,"blocks":1}' \
	'"name":"shares of SM 0","ph":"C","ts":20.0,"pid":5,"args":{"context 1 (0)":50.0,"context 2 (0)":12.5}' \
	'"name":"shares of SM 0","ph":"C","ts":109.0,"pid":5,"args":{}'; do
	grep -qF "$part" "$dir/s.json" || echo "# no $part"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok "the Chrome trace has decisions and shares" $?
"$trace" stats "$dir/shared" >"$dir/said"
grep -qE '^ +109\.0 us +1\.91 +1908 +3\.8 +7\.63 +47\.7% +1  context 1 \(0\)$' "$dir/said" &&
	grep -qE '^ +40\.0 us +1\.25 +625 +0\.0 +2\.50 +15\.6% +0  context 2 \(0\)$' "$dir/said" &&
	grep -qx 'Kernels side by side on an SM: 1 for 63.3 %, 2 for 36.7 % of the time' "$dir/said" &&
	grep -qx 'Decisions of the policy: admit 0, assign 0, reserve 0, evict 1, replace 1, partition 1, quota 0' "$dir/said" &&
	grep -qE '^ 100\.0% +10\.0 us +1 .* told to leave to saved$' "$dir/said"
ok "stats of sharing" $?
"$trace" --quiet --svg "$dir/s.svg" --json "$dir/s.json" "$dir/preempted"
! grep -q 'dominant' "$dir/s.svg" && ! grep -q 'shares of SM' "$dir/s.json"
ok "nobody shares, no word of it" $?
perl -e 'print "VGPUTRC1", map { pack("QSSLLLQQQ", $_ * 1e6, 9, 0, $_, 0, $_, 0, (1 << 40) - 1, ~0), pack("QSSLLLQQQ", $_ * 1e6, 9, 1, $_, 0,
	$_, 0, 1, ~0), pack("QSSLLLQQQ", $_ * 1e6, 10, 1, $_, 0, $_, 0, 0, $_ % 64), pack("QSSLLLQQQ", 1e10 - $_, 11, 1, $_, 0, $_, 0, 0, $_ % 64),
	pack("QSSLLLQQQ", $_ * 1e6, 16, 1, $_, 0, $_, 0, ~0, 0), pack("QSSLLLQQQ", $_, 21, 1, $_, 0, $_, 0, 3, ~0) } 1 .. 500' >"$dir/strange"
timeout 60 "$trace" --quiet --svg "$dir/b.svg" --json "$dir/b.json" "$dir/strange" && tail -n 1 "$dir/b.svg" | grep -q '</svg>'
ok "sharing that no device does" $?

# Page faults, by hand, in 50 us: two at 10 us in a buffer for one, served at 22 and 34; one is cancelled, and of one the
# file has only the end. A block of four warps on SM 2, of which one waits from 10 to 34 us.
perl -e '
	sub record { print pack("QSSLLLQQQ", $_[0] * 1000000, $_[1], $_[2], 1, $_[3], 1, $_[4], $_[5], $_[6]) }
	print "VGPUTRC1";
	record(0, 3, 65535, 0, 1, 1, 0); record(0, 5, 65535, 0, 1, 1, 0); record(0, 10, 2, 0, 0, 0, 0);	# dispatch, kernel, block
	record(10, 23, 2, 1, 0x10000000, 0x10000000, 16); record(10, 23, 2, 2, 0x20000000, 0x20003000, 1 << 32 | 1);
	record(10, 27, 2, 0, 0, 3, 1);
	record(22, 25, 2, 1, 10000000, 0x10000000, 16); record(22, 24, 2, 1, 10000000, 0x20003000, 1);	# served, enters
	record(34, 25, 2, 0, 10000000, 0x20003000, 1); record(34, 27, 2, 0, 0, 4, 0);
	record(40, 23, 2, 1, 0x20000000, 0x20004000, 2); record(41, 26, 2, 0, 40000000, 0x20004000, 2);	# cancelled
	record(42, 25, 2, 0, 38000000, 0x30000000, 4);
	record(50, 27, 2, 0, 0, 0, 0); record(50, 11, 2, 0, 0, 0, 0); record(50, 6, 65535, 0, 1, 0, 0);
	record(50, 4, 65535, 0, 1, 1, 0);' >"$dir/faults"
"$trace" stats --json "$dir/f.json" --svg "$dir/f.svg" "$dir/faults" >"$dir/said"
grep -qx '4 page faults, at most 2 in flight; 1 delayed by a full fault buffer, 3 served, 1 cancelled' "$dir/said" &&
	grep -qE '^ 100\.0% +40\.0 us +3 +13\.3 us +12\.0 us +4000\.0 ns +24\.0 us  context 1 \(0\), module 0 kernel 0$' "$dir/said"
ok "stats of page faults by kernel" $?
grep -qE '^  60\.0% +24\.0 us +1 +24\.0 us .*  context 1 \(0\), 0x20000000, 4\.0 KiB$' "$dir/said" &&
	grep -qE '^  30\.0% +12\.0 us +1 +12\.0 us .*  context 1 \(0\), 0x10000000, 64\.0 KiB$' "$dir/said" &&
	grep -qE '^  10\.0% +4000\.0 ns +1 .*  context 1 \(0\), 0x30000000, 16\.0 KiB$' "$dir/said"
ok "stats of page faults by mapping" $?
"$trace" "$dir/faults" >"$dir/said"
grep -qx '4 page faults, at most 2 in flight' "$dir/said"
ok "the table counts page faults" $?
# 50 us are 1090 pixels, from 130 on; 96 pixels two faults, 56 four warps
top=$(grep -oE 'd="M130\.0 [0-9]+' "$dir/f.svg" | head -n 1 | grep -oE '[0-9]+$')
warps=$((top + 68))
grep -qF "d=\"M130.0 $top.0H130.0V$top.0H348.0V$((top - 96)).0H609.5V$((top - 48)).0H871.0V$top.0H1002.0V$((top - 48)).0H1023.5V$top.0" \
	"$dir/f.svg"
ok "the picture has the faults in flight" $?
grep -qF "d=\"M130.0 $warps.0H130.0V$((warps - 56)).0H348.0V$((warps - 42)).0H871.0V$((warps - 56)).0H1220.0V$warps.0" "$dir/f.svg" &&
	grep -q '>warps of SM 2<' "$dir/f.svg"
ok "the picture has the active warps of the SM" $?
for part in '"name":"page fault","cat":"fault","ph":"b","id":1,"ts":10.0,' '"name":"page fault","cat":"fault","ph":"e","id":1,"ts":34.0,' \
	'"address":"0x20003000","pages":1,"SM":2,"launch":1,"delayed":true,"end":"served"' \
	'"name":"page faults in flight","ph":"C","ts":22.0,"pid":3,"args":{"faults":1}' \
	'"name":"warps of SM 2","ph":"C","ts":10.0,"pid":3,"args":{"active":3,"waiting":1}'; do
	grep -qF "$part" "$dir/f.json" || echo "# no $part"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok "the Chrome trace has page faults and their counters" $?
"$trace" --quiet --svg "$dir/f.svg" "$dir/records"
! grep -q fault "$dir/f.svg"
ok "a picture without page faults has no room for them" $?

# Managed memory, by hand, in 109 us. Context 1: a fault of a kernel for 16 pages, of which 8 have data; a prefetch; two that do
# not end or stay; 16 pages are evicted for context 2, three of them dirty, and 8 come again; a fault that is cancelled, one of
# memory that is not managed; 16 pages go to the host by a prefetch, 4 by a fault of the process; of one such fault the file has
# only the end. Context 2 uses the same addresses: those are other pages.
perl -e '
	sub record {
		my ($time, $type, $sm, $context, $queue, $kernel, $seq, $address, $b) = @_;
		print pack("QSSLLLQQQ", $time * 1000000, $type, $sm, $context, $queue, $kernel, $seq, $address, $b);
	}
	sub us { $_[0] * 1000000 }
	sub pages { $_[0] << 32 | $_[1] }
	my ($none, $base) = (65535, 0x10000000);
	print "VGPUTRC1";
	record(0, 3, $none, 1, 0, 0, 1, 1, 0); record(0, 5, $none, 1, 0, 1, 1, 1, 0); record(0, 10, 2, 1, 0, 1, 0, 0, 0);
	record(5, 29, $none, 1, 0, 0, us(2), 0x40000000, 1);					# a process, from before
	record(10, 23, 2, 1, 1, 1, $base, $base, 16); record(12, 32, 2, 1, 0, 1, us(14), $base, pages(16, 32768));
	record(20, 33, 2, 1, 0, 1, us(18), $base, pages(16, 32768)); record(20, 25, 2, 1, 0, 1, us(10), $base, 16);
	record(21, 31, $none, 1, 0, 0, $base, $base + 0x10000, 16);				# prefetch to the device
	record(21, 32, $none, 1, 0, 0, us(21), $base + 0x10000, pages(16, 16384));
	record(23, 33, $none, 1, 0, 0, us(23), $base + 0x10000, pages(16, 16384));
	record(24, 31, $none, 1, 0, 0, $base, $base + 0x20000, 16);				# one without room
	record(26, 34, $none, 1, 0, 0, 0, $base + 0x20000, pages(16, 65536));
	record(28, 23, 1, 2, 1, 2, $base, $base, 16);						# the other context
	record(30, 35, 1, 1, 2, 2, $base, $base, pages(16, 12288)); record(30, 36, 1, 2, 0, 2, us(30), us(31.5), 12288);
	record(30, 32, 1, 2, 0, 2, us(31.5), $base, pages(16, 0)); record(33, 33, 1, 2, 0, 2, us(31.5), $base, pages(16, 0));
	record(33, 25, 1, 2, 0, 2, us(28), $base, 16);
	record(40, 23, 2, 1, 1, 1, $base, $base, 8); record(41, 32, 2, 1, 0, 1, us(41), $base, pages(8, 32768));	# again
	record(47, 33, 2, 1, 0, 1, us(45), $base, pages(8, 32768)); record(47, 25, 2, 1, 0, 1, us(40), $base, 8);
	record(50, 23, 2, 1, 1, 1, $base, $base + 0x30000, 16);					# cancelled
	record(52, 34, 2, 1, 0, 1, 0, $base + 0x30000, pages(16, 65536));
	record(52, 26, 2, 1, 0, 1, us(50), $base + 0x30000, 16);
	record(54, 23, 2, 1, 1, 1, 0x30000000, 0x30000000, 16); record(58, 25, 2, 1, 0, 1, us(54), 0x30000000, 16);
	record(60, 11, 2, 1, 0, 1, 0, 0, 0); record(60, 6, $none, 1, 0, 1, 1, 0, 0); record(60, 4, $none, 1, 0, 1, 1, 1, 0);
	record(60, 31, $none, 1, 1, 0, $base, $base + 0x10000, 16);				# prefetch to the host
	record(60, 32, $none, 1, 1, 0, us(60), $base + 0x10000, pages(16, 4096));
	record(62, 33, $none, 1, 1, 0, us(61), $base + 0x10000, pages(16, 4096));
	record(70, 28, $none, 2, 0, 0, $base, $base, 16); record(71, 34, $none, 2, 1, 0, 0, $base, pages(16, 65536));
	record(71, 30, $none, 2, 0, 0, us(70), $base, 16);					# cancelled
	record(95, 28, $none, 1, 0, 0, $base, $base, 4); record(97, 32, $none, 1, 1, 0, us(99), $base, pages(4, 8192));
	record(108, 31, $none, 1, 0, 0, $base, $base + 0x40000, 16);				# does not end
	record(108, 32, $none, 1, 0, 0, us(108), $base + 0x40000, pages(16, 65536));
	record(111, 33, $none, 1, 1, 0, us(109), $base, pages(4, 8192)); record(111, 29, $none, 1, 0, 0, us(95), $base, 4);
	' >"$dir/managed"
"$trace" stats --json "$dir/m.json" --svg "$dir/m.svg" "$dir/managed" >"$dir/said"
# faults of kernels, of the process, prefetches; pages and KiB in; out; clean, dirty, again; waits
grep -qE '^ +3 +2 +4 +40 +80\.0 +36 +24\.0 +13 +3 +8 +17\.0 us +19\.0 us  context 1 \(0\)$' "$dir/said" &&
	grep -qE '^ +1 +1 +0 +16 +0\.0 +0 +0\.0 +0 +0 +0 +5000\.0 ns +0\.0 ns  context 2 \(0\)$' "$dir/said"
ok "stats of managed memory by process" $?
while IFS='|' read -r numbers what; do
	grep -qE "^ +${numbers//  / +} .*  $what\$" "$dir/said" || echo "# no $what"
done >"$dir/missing" <<-'LINES'
	44\.4%  10\.0 us  1|to the host, faults of processes, 8\.0 KiB, 0\.82 GB/s
	35\.6%  8000\.0 ns  2|to the device, faults of kernels, 64\.0 KiB, 8\.19 GB/s
	8\.9%  2000\.0 ns  1|to the device, prefetches, 16\.0 KiB, 8\.19 GB/s
	6\.7%  1500\.0 ns  1|to the host, evictions, 12\.0 KiB, 8\.19 GB/s
	4\.4%  1000\.0 ns  1|to the host, prefetches, 4\.0 KiB, 4\.10 GB/s
	100\.0%  16\.0 us  1|context 1 \(0\), 0x10000000, 16\.0 KiB
LINES
[ ! -s "$dir/missing" ]
ok "stats of data on the interconnect and of faults of processes" $?
"$trace" "$dir/managed" >"$dir/said"
grep -qx 'managed memory: 80\.0 KiB to the device, 24\.0 KiB to the host, 16 pages evicted' "$dir/said"
ok "the table sums up managed memory" $?
# 10 pixels a us, from 130 on; 64 pixels are 8.2 GB/s; 1.5 us end in the middle of a step of 2 pixels
in=$(grep -oE '"#117a65" d="M130\.0 [0-9]+' "$dir/m.svg" | grep -oE '[0-9]+$')
out=$((in + 76)) evicted="H430.0V$((in + 12)).0H444.0V$((in + 44)).0H446.0V$((in + 76)).0"
for path in "#117a65\" d=\"M130.0 $in.0H270.0V$((in - 64)).0H310.0V$in.0H340.0V$((in - 64)).0H360.0V$in.0H540.0V$((in - 64)).0H580.0V$in.0H1220" \
	"#e59866\" d=\"M130.0 $out.0${evicted}H730.0V$((out - 32)).0H740.0V$out.0H1120.0V$((out - 7)).6H1220.0V$out.0Z" \
	"#a04000\" d=\"M130.0 $out.0${evicted}H1220.0V$out.0Z" '>8.2 GB/s<'; do
	grep -qF "$path" "$dir/m.svg" || echo "# no $path"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok "the picture has the data on the interconnect" $?
for part in '"managedMemory":[{"process":"context 1","pid":0,"kernelFaults":3,"processFaults":2,"prefetches":4,"pagesIn":40,"bytesIn":81920,' \
	'"pagesOut":36,"bytesOut":24576,"evictedClean":13,"evictedDirty":3,"refaults":8,"kernelWaitPs":17000000,"processWaitPs":19000000,"cancelled":2}' \
	'"name":"context 1: faults of kernels","ph":"X","ts":14.0,"dur":4.0,"pid":4,"tid":0,"args":{"process":"context 1","launch":1,"bytes":32768}' \
	'"name":"context 2: evictions","ph":"X","ts":30.0,"dur":1.5,"pid":4,"tid":1,' \
	'"name":"page fault of the process","cat":"managed","ph":"b","id":' '"ph":"b","id":10,"ts":108.0,' '"ph":"e","id":10,"ts":111.0,' \
	'"args":{"address":"0x10000000","pages":4,"bytes":8192,"direction":"to the host","end":"moved"}' \
	'"args":{"address":"0x10020000","pages":16,"bytes":65536,"direction":"to the device","end":"cancelled"}' \
	'"name":"eviction","ph":"i","s":"p","ts":30.0,"pid":1000,"tid":0,"args":{"address":"0x10000000","pages":16,"bytes":12288,"for":2}'; do
	grep -qF "$part" "$dir/m.json" || echo "# no $part"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok "the Chrome trace has managed memory, and its sums" $?
"$trace" --quiet --svg "$dir/m.svg" --json "$dir/m.json" "$dir/records"
! grep -q 'managed memory' "$dir/m.svg" && ! grep -q managedMemory "$dir/m.json"
ok "no managed memory, no room for it" $?
perl -e 'print "VGPUTRC1", pack("QSSLLLQQQ", 0, 35, 1, 1, 2, 1, 0, 0, 0xffffffff << 32), pack("QSSLLLQQQ", 0, 33, 1, 1, 2, 1, 0, 0, 1 << 32)' \
	>"$dir/strange"
says "evictions and migrations that no device makes" 0 "2 start or end records have no counterpart" "$dir/strange"

# Four blocks of 100 us on one SM, and short kernels that take it: young blocks are flushed, older ones switched, and those at the end
# drain. A block of 64 KB is moved in 315.08 ns, after 283.29 ns.
cat >"$dir/ways.job" <<'JOB'
[global]
gpu=k20c
policy=ppq-exclusive
repeat=1
[long]
phase=kernel tbs=4 tb_us=100 threads=128 regs_per_tb=16384 idempotent=1
[short]
priority=1
arrival_us=0.3
phase=kernel tbs=1 tb_us=10 threads=128
JOB
build/tools/vgpu-sim --set sms=1 --set active_kernels=4 --preempt chimera --records "$dir/ways" "$dir/ways.job" >"$dir/said" &&
	"$trace" stats "$dir/ways" >"$dir/said"
awk '$NF == "switch" && $2 == "598.4" && $6 == "630.2" && $8 == "630.2" { switched = $1 }
	$NF == "flush" && $2 == "0.0" && $4 == "0.0" && $6 == $8 { flushed = $1 }
	$NF == "drain" && $2 == $4 { drained = $1 }
	/thread blocks flushed, which had run for/ { dropped = $1 }
	END { exit !(switched > 0 && drained == 4 && flushed >= 4 && flushed == dropped) }' "$dir/said"
ok "what a mechanism expected of blocks, and what came of it" $?

# The scene of the demo with managed memory: what is larger than the device moves more than once.
tools/demo/managed.sh "$dir/scene" >"$dir/said" && awk '
	NR > 1 { count += $NF == "verified"; evicted[$1 $3] = $(NF - 2); again[$1 $3] = $(NF - 1) }
	END { exit !(count == 9 && evicted["8fifo"] == 0 && again["4lru"] > 0 && again["2lru"] < again["2fifo"]) }' "$dir/said"
ok "a working set that is larger than the device" $?
grep -q '>data of managed memory' "$dir/scene/managed-fifo.svg" && grep -q '>data of managed memory' "$dir/scene/managed-lru.svg"
ok "its pictures" $?
perl -e 'print "VGPUTRC1", pack("QSSLLLQQQ", 9e6, 10, 1, 1, 0, 1, 0, 0, 0), pack("QSSLLLQQQ", 4e6, 11, 1, 1, 0, 1, 0, 0, 0),
	pack("QSSLLLQQQ", 1e6, 10, 1, 1, 0, 1, 0, 1, 0), pack("QSSLLLQQQ", 2e6, 11, 1, 1, 0, 1, 0, 1, 0)' >"$dir/backwards"
timeout 60 "$trace" --quiet --svg "$dir/b.svg" "$dir/backwards" && tail -n 1 "$dir/b.svg" | grep -q '</svg>'
ok "a picture of a block that ends before it starts" $?

"$trace" record -e -o "$dir/c" -- build/cuda/saxpy 20000 >"$dir/said"
[ $? -eq 0 ] && grep -qE '^saxpy +[0-9]+ +1 +79 ' <("$trace" "$dir/c")
ok "record names the process by itself" $?
"$trace" stats "$dir/c" >"$dir/stats"
grep -qE '^ 100\.0% +[0-9.]+ [nu]s +1 .* saxpy$' "$dir/stats" && grep -qE ' 2 .* copy to device, 156\.2 KiB' "$dir/stats" &&
	grep -qE ' 1 .* launch, in its engine$' "$dir/stats"
ok "stats of kernels, copies and waits" $?
"$trace" --quiet --json "$dir/c.json" "$dir/c" && grep -q '"name":"saxpy #1"' "$dir/c.json"
ok "the Chrome trace has the kernel's name" $?

# The stages of instructions.
says "no instruction was recorded" 1 "that takes timing=pipeline and trace_pipeline=1" --pipeline - "$dir/c"
VGPU_PRESET=tanasic-ch6 VGPU_SET=timing=pipeline,trace_pipeline=1 VGPU_TRACE=$dir/p VGPU_TRANSPORT=embedded build/cuda/saxpy 2000 >/dev/null
"$trace" --quiet --pipeline - "$dir/p" >"$dir/text" && "$trace" --quiet --pipeline "$dir/p.svg" "$dir/p" &&
	"$trace" --quiet --pipeline "$dir/p.kanata" "$dir/p"
rows=$(($(grep -cE ' +[0-9]+\.[0-9]+ +[0-9]+  [A-Z]' "$dir/text")))
[ "$rows" -gt 100 ] && grep -qE '^ 0 +0\.0 +0  LDP +FIOE+C$' "$dir/text" && [ "$(tail -n 1 "$dir/p.svg")" = '</svg>' ] &&
	[ "$(head -n 1 "$dir/p.kanata")" = "$(printf 'Kanata\t0004')" ]
ok "stages as text, a picture, a log for Konata" $?
# each instruction begins, has a name, and retires once
[ "$(grep -c '^I' "$dir/p.kanata")" -eq "$rows" ] && [ "$(grep -c '^L' "$dir/p.kanata")" -eq "$rows" ] && [ "$(grep -c '^R' "$dir/p.kanata")" -eq "$rows" ]
ok "every instruction in both" $?
! grep -q GETS "$dir/text"
ok "no messages where the caches have no protocol" $?
# With a protocol, below each access what it asks L2 for, on its way (>), there (=) and back (<), while the instruction is in Execute.
VGPU_PRESET=tanasic-ch6 VGPU_SET=timing=pipeline,trace_pipeline=1,coherence=gpu-vi,sc_core=1 VGPU_TRACE=$dir/m VGPU_TRANSPORT=embedded build/cuda/saxpy 2000 >/dev/null
"$trace" --quiet --pipeline - "$dir/m" >"$dir/text" && "$trace" --quiet --pipeline "$dir/m.svg" "$dir/m" && "$trace" --quiet --pipeline "$dir/m.kanata" "$dir/m"
awk '/ LDG / { row = substr($0, 43) } / GETS, DATA / { cells = substr($0, 43); n += cells ~ /^ *>+=+<+$/
	if (cells !~ /^ *>*=*<*$/ || length(cells) > length(row) || (cells ~ />/ && substr(row, match(cells, ">"), 1) != "E")) bad++ } END { exit !n || bad }' "$dir/text"
ok "an access's messages are below it" $?
grep -q ' WRITE, ACK ' "$dir/text" && grep -q '<title>GETS, DATA</title>' "$dir/m.svg" && grep -q "$(printf '^L\t[0-9]*\t1\tGETS, DATA, cycles')" "$dir/m.kanata"
ok "... of stores, in the picture and for Konata, too" $?
# By hand: a store, fetched at 100, that leaves at 110 and arrives at 115; 2 L1s are told; the answer leaves at 125 and comes at 130. And
# messages whose request a ring has lost.
perl -e '
	sub record { print pack("QSSLLLQQQ", 0, $_[0], 3, 1, 5, 1, 100, $_[1], 7 << 16 | 2 << 8 | $_[2]) }
	print "VGPUTRC1";
	record(49, 1, 5); record(49, 25 << 32 | 30, 9);							# INV and ACK of something
	record(49, 10 << 32 | 15, 2); record(49, 2, 5); record(49, 25 << 32 | 30, 9);			# WRITE, INV, ACK
	record(37, 2 << 32 | 31, 8);' >"$dir/hand"
"$trace" --quiet --pipeline - "$dir/hand" >"$dir/text"
[ "$(tail -n 1 "$dir/text")" = "$(printf '%20s %-20s %10s>>>>>==========<<<<<<' '' 'WRITE, 2 INV, ACK' '')" ] && [ "$(wc -l <"$dir/text")" -eq 3 ]
ok "L1s that were told to drop the line are counted" $?
says "no instruction in these cycles" 1 "no instruction in cycles 1 to 2; there are some in" --pipeline - --range 0:1-2 "$dir/p"
says "no such SM" 1 "SM 99 has executed no instruction" --pipeline - --range 99 "$dir/p"

echo garbage >"$dir/garbage"
says "not a trace" 1 "is not a vgpu trace" "$dir/garbage"
says "nothing" 1 "is not a vgpu trace" /dev/null
says "no such file" 1 "No such file" "$dir/none"
says "no file to write" 1 "$dir/none/a.svg" --svg "$dir/none/a.svg" "$dir/records"
says "no argument" 2 "one file of records is needed"
says "no such option" 2 "--help" --colour "$dir/records"
says "help" 0 "usage: vgpu-trace" --help

echo "1..$count"
exit $failed
