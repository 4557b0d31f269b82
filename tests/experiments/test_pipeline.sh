#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of the fault schemes (chapter6/pipeline.sh): a small run of it and what must hold there, and pipeline.awk with runs
# made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/chapter6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME TEST: an awk expression of ns["MODE"] that must be true of the small run
holds() {
	awk -F, "NR > 1 { ns[\$2] = \$3 } END { exit !($2) }" "$dir/a/pipeline.csv"
	ok "$1" $?
}

# NAME STATUS TEXT COMMAND...: the command ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

export MODES="baseline wd-commit wd-lastcheck replay-queue operand-log-16 in-order-commit"
OUT=$dir/a "$here/pipeline.sh" mri-q:8 >"$dir/log" 2>&1
ok "a small run" $?
[ "$(awk -F, 'NR > 1 && $1 == "mri-q" && $3 > 0 { print $2 }' "$dir/a/pipeline.csv" | sort)" = "$(tr " " "\n" <<<"$MODES" | sort)" ]
ok "every mode, and a time for each" $?
holds "a preemptible fault costs time where a warp waits for the commit of its accesses" 'ns["wd-commit"] > 1.005 * ns["baseline"]'
holds "less where it waits for their checks" 'ns["wd-lastcheck"] < ns["wd-commit"]'
holds "less where it does not wait" 'ns["replay-queue"] <= ns["wd-lastcheck"]'
holds "and least with an operand log" 'ns["operand-log-16"] <= ns["replay-queue"] && ns["operand-log-16"] < 1.002 * ns["baseline"]'
# the geometric mean of one program is its own
[ "$(sed -n 's/^| mri-q |//p' "$dir/a/pipeline.md" | head -n 1)" = "$(sed -n 's/^| geomean |//p' "$dir/a/pipeline.md" | head -n 1)" ]
ok "its row, and the mean" $?
# figures of the paper, and what is a third of a loss away from it
grep -qE '^\| 6.11 \| geomean \| wd-commit \| 0.850 \| 0.9[0-9]{2} \| direction \|$' "$dir/a/pipeline.md" &&
	grep -qE '^\| 6.12 \| geomean \| operand-log-16 \| 0.998 \| (1.000|0.99[0-9]) \| yes \|$' "$dir/a/pipeline.md"
ok "paper against ours" $?
OUT=$dir/b MODES="baseline wd-commit" "$here/pipeline.sh" mri-q:8 >"$dir/log" 2>&1 &&
	cmp -s <(grep -e ',baseline,' -e ',wd-commit,' "$dir/a/pipeline.csv") <(grep mri-q "$dir/b/pipeline.csv")
ok "the same again" $?
OUT=$dir/b MODES=baseline SET=math_cycles=100 "$here/pipeline.sh" mri-q:8 >"$dir/log" 2>&1
[ "$(sed -n 's/^mri-q,baseline,//p' "$dir/b/pipeline.csv")" -gt "$(sed -n 's/^mri-q,baseline,//p' "$dir/a/pipeline.csv")" ]
ok "SET changes the device" $?
says "no such program" 2 "no program 'fft'" env OUT="$dir/c" "$here/pipeline.sh" fft
mkdir -p "$dir/fake/experiments/chapter6"
printf '#!/bin/sh\necho mri-q: WRONG at out[3]\nexit 1\n' >"$dir/fake/experiments/chapter6/mri-q"
chmod +x "$dir/fake/experiments/chapter6/mri-q"
! OUT=$dir/c BIN=$dir/fake "$here/pipeline.sh" mri-q:8 >"$dir/said" 2>&1 && grep -q 'WRONG at out' "$dir/said" && [ ! -e "$dir/c/pipeline.md" ]
ok "wrong values" $?

# PAPER OURS VERDICT: of lbm with the replay queue, whose baseline takes 1000
judged() {
	printf 'figure,program,mode,paper\n6.11,lbm,replay-queue,%s\n' "$1" >"$dir/expected.csv"
	printf 'program,mode,ns\nlbm,baseline,1000000\nlbm,replay-queue,%s\n' "$(awk -v x="$2" 'BEGIN { printf "%.0f", 1000000 / x }')" >"$dir/runs.csv"
	awk -v modes="baseline replay-queue" -v programs=lbm -f "$here/pipeline.awk" "$dir/expected.csv" "$dir/runs.csv" | grep -q "^| 6.11 | lbm .*| $3 |\$"
	ok "$2 where the paper has $1: $3" $?
}
judged 0.85 0.86 yes
judged 0.85 0.91 direction
judged 0.85 0.999 no
judged 0.998 0.985 yes
judged 0.998 0.97 direction
# every figure of the paper names a mode that is run
awk -F, 'NR > 1 { print $3 }' "$here/expected-pipeline.csv" | sort -u | while read -r mode; do
	grep -q "^modes=.*\b$mode\b" "$here/pipeline.sh" || exit 1
done
ok "figures of the paper are of modes that are run" $?
echo "1..$count"
exit $failed
