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
says "a wrong result" 124 "wrong by 5" env OUT="$dir/c" BIN="$dir/wrong" WORKERS=1 "$here/run.sh" lud

# SHARE REMEDY NAME CLASS MS, and of those of ETC what was found: irregular, 16.5 lines and 2.5 pages an instruction, data shared
rest=0,0,0,0,0,2,16.50,2.50,1,1.000,0,0,0,0
printf "%s,$rest\n" 100,unlimited,lud,sharing,1 100,unlimited,scan,sharing,2 100,unlimited,mvt,irregular,10 \
	75,baseline,lud,sharing,2 75,baseline,scan,sharing,2.5 75,pe,lud,sharing,1.25 75,pe,scan,sharing,2 \
	50,baseline,mvt,irregular,cut 50,etc,mvt,irregular,50 >"$dir/runs.csv"
cat >"$dir/expected.csv" <<-'END'
	# 1 / 2 - 1 = -0.5 and 2 / 2.5 - 1 = -0.2: -0.35, and from there 0.15 to each
	A,sharing,75,baseline,unlimited,-0.5
	# 2 / 1.25 - 1 = 0.6 and 2.5 / 2 - 1 = 0.25: 0.425, 0.175
	B,sharing,75,pe,baseline,0.1
	# 200 / 50 - 1
	C,irregular,50,etc,baseline,0
	D,sharing,75,baseline,unlimited,-
	E,sharing,0,baseline,unlimited,-0.5,scan
END
awk -v most=200 -f "$here/report.awk" "$dir/expected.csv" "$dir/runs.csv" >"$dir/report"
grep -qx '| A | sharing | 75 % | baseline / unlimited | -0.500 | -0.350 ± 0.150 | yes |' "$dir/report" &&
	grep -qx '| B | sharing | 75 % | pe / baseline | +0.100 | +0.425 ± 0.175 | direction |' "$dir/report" &&
	grep -qx '| C | irregular | 50 % | etc / baseline | +0.000 | +3.000 ± 0.000 | no |' "$dir/report" &&
	grep -qx '| D | sharing | 75 % | baseline / unlimited | below | -0.350 ± 0.150 | yes |' "$dir/report" &&
	grep -qx '| E | scan | both | baseline / unlimited | -0.500 | -0.200 ± 0.000 | direction |' "$dir/report"
ok "verdicts of runs made by hand" $?
grep -qx '| lud | sharing | not yet | no |  |  | 0.50 | 0.80 | | | | | | | |' "$dir/report" &&
	grep -qx '| mvt | irregular | irregular | found | 16.50 | 2.50 | < 0.05 | | | | | | | 0.20 | |' "$dir/report"
ok "performance of runs made by hand" $?
echo "1..$count"
exit $failed
