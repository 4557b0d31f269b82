#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of ETC: every application computes what it should, a small run under every remedy, and report.awk with runs made by hand.
# Intervals take seconds where the pipeline takes minutes, and results are the same.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/etc
etc=build/experiments/etc/etc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT COMMAND...: the command ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$@" >"$dir/said" 2>&1 </dev/null || status=$?
	if grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]; then
		ok "$name" 0
	else
		ok "$name" 1
		sed 's/^/# /' "$dir/said"
	fi
}

unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_SET
device() { env VGPU_TRANSPORT=embedded VGPU_PRESET=etc VGPU_THREADS=1 VGPU_SET=timing=interval,vram_bytes=4294967296 "$@"; }

device "$etc" --list >"$dir/applications"
[ "$(wc -l <"$dir/applications")" -eq 16 ]
ok "16 applications" $?
while read -r name class _; do
	says "$name computes what it should" 0 "$name,$class," device "$etc" "$name"
done <"$dir/applications"
says "no such application" 2 "no application 'fft'" device "$etc" fft

says "LUD computes what it should under every remedy" 0 "| lud | sharing |" env OUT="$dir/a" TIMING=interval "$here/run.sh" lud
[ "$(wc -l <"$dir/a/runs.csv")" -eq $((2 + 2 * 9)) ]
ok "every remedy" $?
# only where memory does not suffice is a page evicted
awk -F, '$1 == 100 && $7 || $1 != 100 && !$7 { bad = 1 } END { exit bad }' "$dir/a/runs.csv"
ok "pages are evicted where memory does not suffice" $?
says "no such option" 2 "no option '--fast'" "$here/run.sh" --fast
says "a device that cannot be" 2 "sms=0: invalid value" env OUT="$dir/b" SET=sms=0 "$here/run.sh" lud
# a program that computes something else ends the evaluation
mkdir -p "$dir/wrong/experiments/etc"
cat >"$dir/wrong/experiments/etc/etc" <<-'END'
	#!/bin/sh
	[ "$1" != --list ] || exec echo lud sharing 7995392 0
	echo lud,sharing,1.0000,42,0,0,0,0,0,0.00,0.00,1,1.000,0,0,0,0
	echo "etc: lud: wrong by 5" >&2
	exit 1
END
chmod +x "$dir/wrong/experiments/etc/etc"
says "a wrong result" 1 "wrong by 5" env OUT="$dir/c" BIN="$dir/wrong" WORKERS=1 "$here/run.sh" lud

# SHARE REMEDY NAME CLASS MS, and of those of ETC what was found: irregular, 16.5 lines and 2.5 pages an instruction, data shared
rest=0,0,0,0,0,2,16.50,2.50,1,1.000,0,0,0,0
printf "%s,$rest\n" 100,unlimited,lud,sharing,1 100,unlimited,scan,sharing,2 100,unlimited,mvt,irregular,10 \
	75,baseline,lud,sharing,2 75,baseline,scan,sharing,2.5 75,pe,lud,sharing,1.25 75,pe,scan,sharing,2 \
	50,baseline,mvt,irregular,cut 50,etc,mvt,irregular,50 |
	awk -F, -v OFS=, '$3 == "lud" { $7 = $2 == "pe" ? 30 : 60 } $3 == "scan" { $7 = $2 == "pe" ? 80 : 40 } { print }' >"$dir/runs.csv"
cat >"$dir/expected.csv" <<-'END'
	# 1 / 2 - 1 = -0.5 and 2 / 2.5 - 1 = -0.2: -0.35, and from there 0.15 to each
	A,sharing,75,baseline,unlimited,-0.5
	# 2 / 1.25 - 1 = 0.6 and 2.5 / 2 - 1 = 0.25: 0.425, 0.175
	B,sharing,75,pe,baseline,0.1
	# 200 / 50 - 1
	C,irregular,50,etc,baseline,0
	D,sharing,75,baseline,unlimited,-
	E,sharing,0,baseline,unlimited,-0.5,scan
	F,sharing,75,pe,baseline,+
	G,sharing,75,pe,baseline,-,scan
	# 30 pages instead of 60, and twice as many
	H,sharing,75,pe,baseline,-,lud,evicted
	I,sharing,75,pe,baseline,-,scan,evicted
END
awk -v most=200 -f "$here/report.awk" "$dir/expected.csv" "$dir/runs.csv" >"$dir/report"
grep -qx '| A | sharing | 75 % | baseline / unlimited | -0.500 | -0.350 ± 0.150 | yes |' "$dir/report" &&
	grep -qx '| B | sharing | 75 % | pe / baseline | +0.100 | +0.425 ± 0.175 | direction |' "$dir/report" &&
	grep -qx '| C | irregular | 50 % | etc / baseline | +0.000 | +3.000 ± 0.000 | no |' "$dir/report" &&
	grep -qx '| D | sharing | 75 % | baseline / unlimited | below | -0.350 ± 0.150 | yes |' "$dir/report" &&
	grep -qx '| E | scan | both | baseline / unlimited | -0.500 | -0.200 ± 0.000 | direction |' "$dir/report" &&
	grep -qx '| F | sharing | 75 % | pe / baseline | above | +0.425 ± 0.175 | yes |' "$dir/report" &&
	grep -qx '| G | scan | 75 % | pe / baseline | below | +0.250 ± 0.000 | no |' "$dir/report" &&
	grep -qx '| H | lud | 75 % | evicted of pe / baseline | below | -0.500 ± 0.000 | yes |' "$dir/report" &&
	grep -qx '| I | scan | 75 % | evicted of pe / baseline | below | +1.000 ± 0.000 | no |' "$dir/report"
ok "verdicts of runs made by hand" $?
grep -qx '| lud | sharing | not yet | no |  |  | 0.50 | 0.80 | | | | | | | |' "$dir/report" &&
	grep -qx '| mvt | irregular | irregular | found | 16.50 | 2.50 | < 0.05 | | | | | | | 0.20 | |' "$dir/report"
ok "performance of runs made by hand" $?
# The sweeps: an application whose time follows from its settings, and whose trace is written by hand.
mkdir -p "$dir/by-hand/experiments/etc"
cat >"$dir/by-hand/experiments/etc/etc" <<-'END'
	#!/bin/bash
	[ "$1" != --list ] || { printf "%s\n" "mvt irregular 1048576 4096" "lud sharing 1048576 0" "atax irregular 1048576 0"; exit; }
	set=,$VGPU_SET,
	value() { local v=${set#*,$1=}; [ "$v" = "$set" ] || echo "${v%%,*}"; }
	bytes=$(value vram_bytes) down=$(value throttle_down) up=$(value throttle_up) us=$(value fault_round_trip_ps)
	# one SM more down: 4 ms, up: 2 ms. A microsecond more: 0.14 ms
	ms=$((1000 + (${down:-1} - 1) * 400 + (${up:-1} - 1) * 200 + (${us:-20000000} / 1000000 - 20) * 14))
	# compression: from a ratio of 2 on all fits
	ratio=$(value compression_ratio)
	[ "${ratio:-0}" -lt 100 ] || [ "$ratio" -ge 200 ] || ms=$((200000 / (ratio - 60)))
	# epochs: 250000 and 100000 cycles take twice what 100000 each take
	[ "$(value throttle_detect_cycles)" != 250000 ] || ms=$((2 * ms))
	printf '%s,%s,%d.%02d00,0\n' "${!#}" irregular $((ms / 100)) $((ms % 100))
	[ -n "$VGPU_TRACE" ] || exit 0
	# a page of faults a millisecond, with throttling every fourth; two windows, of 20 and of 8 lines an instruction
	perl -e 'my ($fault, $evict, $classified, $every) = @ARGV; print "VGPUTRC1";
		sub record { my ($time, $type, $seq, $a, $b) = @_; print pack("Q<S<S<L<L<L<Q<Q<Q<", $time, $type, 65535, 1, 0, 7, $seq, $a, $b) }
		for (my $n = 0; $n < 8; $n += $every) { record(5e8 + $n * 1e9, $fault, 0, 0, 1); record(5e8 + $n * 1e9, $evict, 0, 0, 16 << 32) }
		record(9e9, $classified, 100, 2000, 300); record(10e9, $classified, 100, 800, 100)' \
		"$FAULT" "$EVICT" "$CLASSIFIED" "$([[ $set == *,throttling=1,* ]] && echo 4 || echo 1)" >"$VGPU_TRACE"
END
chmod +x "$dir/by-hand/experiments/etc/etc"
. "$here/sweep.bash"
FAULT=$(sweep_type PAGE_FAULT) EVICT=$(sweep_type EVICT) CLASSIFIED=$(sweep_type CLASSIFIED)
export FAULT EVICT CLASSIFIED
by_hand() { env OUT="$dir/sweep" BIN="$dir/by-hand" WORKERS=1 "$@"; }

printf '#!/bin/sh\necho "$VGPU_SET $*"\n' >"$dir/by-hand/set"
chmod +x "$dir/by-hand/set"
printf '%s\n' "mvt irregular 1048576 4096" "lud sharing 1000000 0" >"$dir/by-hand/list"
one() { BASE=a=1 SETTINGS=$1 "$here/grids/one.sh" "$dir/by-hand/set" "$dir/by-hand/list" "${@:2}"; }
[ "$(one b=2 50 mvt --hint)" = "a=1,vram_bytes=$((524288 + 4096)),b=2 --hint mvt" ] && [ "$(one '' 75 lud)" = "a=1,vram_bytes=$((184 * 4096)) lud" ] &&
	[ "$(one '' 100 lud)" = "a=1,vram_bytes=4294967296 lud" ]
ok "bytes for a share of the memory" $?
# 10 / 14 and 10 / 12 ms
says "steps of throttling" 0 "ETC-14: the best is 1.00 of one SM each way, it changes by 0.29 down and 0.17 up: yes" by_hand STEPS="1 2" "$here/steps.sh" mvt
grep -qx '| mvt | 75 % | 0.71 | 0.83 |' "$dir/sweep/steps.md"
ok "... of an application" $?
# 10 / 14.2 - 1
says "what a fault takes" 0 "ETC-15: 50 us instead of 20: -0.296 for -0.312, monotone: yes" by_hand "$here/latencies.sh" mvt lud
[ "$(wc -l <"$dir/sweep/latencies.csv")" -eq 16 ]
ok "... for each application, memory and latency" $?
# 8 faults and 2, at 0.5, 1.5, ... ms; a millisecond is an interval
says "faults over time" 0 "ETC-11: mvt, 75 % of the memory: 8 faults, throttled 2: yes" by_hand CYCLES=1020000 "$here/rates.sh" mvt
grep -qx '| 5 | 1 | 1 | 16 | 16 |' "$dir/sweep/rates.md" && grep -qx '| 6 | 1 | | 16 | |' "$dir/sweep/rates.md"
ok "... in each interval" $?
# 20 lines in the first window, 14 in both
says "what the classifier finds" 0 "| mvt | irregular | 20.00 | 14.00 | 2.00 | 2 | 1 | 5 6 7 8 9 10 |" by_hand "$here/classes.sh" mvt
# by all windows 14 is irregular with a threshold of 14, and not with 15
says "... with a threshold" 0 "| mvt | irregular | 20.00 | 14.00 | 2.00 | 2 | 1 | 14 |" by_hand THRESHOLDS="14 15" "$here/classes.sh" mvt
says "lengths of epochs" 0 "| mvt | 250000 | 0.50 | 0.50 |" by_hand CYCLES="100000 250000" "$here/epochs.sh" mvt
# 20 ms with a ratio of 1.6, 10 where all fits
says "ratios of compression" 0 "| mvt | 0.20 | 0.50 | 1.00 |" by_hand RATIOS="100 160 200" "$here/ratios.sh" mvt
# all of them, the quick way: the file of each has been written
rm -r "$dir/sweep"
says "all sweeps" 0 "| mvt | 25000 | 1.00 | 1.00 |" by_hand "$here/sweeps.sh" --quick
for sweep in rates classes steps latencies ratios epochs; do [ -s "$dir/sweep/$sweep.md" ] || echo "$sweep"; done >"$dir/said"
[ ! -s "$dir/said" ]
ok "... each with its results" $?
for sweep in sweeps steps latencies classes rates epochs ratios; do
	says "$sweep.sh: no such option" 2 "$sweep.sh: no option '--fast'" "$here/$sweep.sh" --fast
done
echo "1..$count"
exit $failed
