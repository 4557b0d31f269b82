#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of RCC (thesis 002, chapter 3): twelve programs with the sharing of table 3.4 on the machine of table 3.3, under
# RCC and its rivals; prints paper against ours (docs/experiments-rcc.md).
# usage: tests/experiments/rcc/run.sh [--quick]     results in OUT (out/experiments/rcc)
#   --quick   two programs of each class, four protocols
# BIN: the build (build). SET="field=value,..." changes the device of all runs.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/rcc
out=${OUT:-out/experiments/rcc}
bin=${BIN:-build}
quick=()
while [ $# -gt 0 ]; do
	case $1 in
		--quick) quick=(--axis "scheme=mesi tcs tcw rcc" --axis "program=BH STN HSP NDL") ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
. tests/experiments/grid.bash
mkdir -p "$out"
grid "$here/rcc.ini" --define "bin=$bin" --define "set=${SET:+,$SET}" ${quick[@]+"${quick[@]}"} --lines '{scheme},{class},{program},' >"$out/runs.csv"
awk -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md" || { cat "$out/verdict.md" >&2; exit 1; }
cat "$out/verdict.md"
echo
echo "$out: runs.csv, verdict.md"
