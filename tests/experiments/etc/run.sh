#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of ETC (thesis, 3.7): 15 applications with memory for all, three quarters and half of what they use,
# under each remedy; prints the times over those with enough memory, and verdicts on what the thesis says.
# usage: tests/experiments/etc/run.sh [--quick] [APPLICATION...]     results in OUT (out/experiments/etc); graph, the adversary, where it is named
#   --quick   three applications, half of the memory
# MOST_MS: a kernel that takes longer is cut off, and counts as if it took so long (200). TIMING: interval or pipeline (pipeline). SET=KEY=VALUE,... changes the device of all runs. BIN: the build (build). WORKERS: runs at
# a time (all processors). REMEDIES, SHARES: only these of "baseline pe mt simple cc pecc mtcc etc hint" and "75 50".
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/etc
out=${OUT:-out/experiments/etc}
shares=${SHARES:-75 50}
quick=''
case ${1:-} in
	--quick) quick=1; shift ;;
	-*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
esac
. tests/experiments/etc/sweep.bash
sweep_init run.sh
selected=$*
[ -z "$quick" ] || { selected=${selected:-2dconv cons mvt}; shares=50; }
: "${selected:=$(sweep_names | grep -vx graph)}"
sweep_known run.sh $selected
sweep_grid etc --axis "application=$(echo $selected)" --axis "share=100 $shares" \
	--axis "remedy=unlimited unlimited-cc ${REMEDIES:-baseline pe mt simple cc pecc mtcc etc hint}" --lines '{share},{label},' | LC_ALL=C sort >"$out/runs.csv"

awk -v most="${MOST_MS:-200}" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" | tee "$out/verdict.md"
echo
echo "$out: runs.csv, verdict.md"
