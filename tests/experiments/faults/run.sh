#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: page faults and the schedulers of chapter 5 together, which no paper has: what an SM that stalls on page faults does to the
# latency of PPQ and to the fairness of DSS. Makes job files, runs vgpu-sim, draws two figures with gnuplot, prints tables.
# usage: tests/experiments/faults/run.sh [--quick]     results in OUT (out/experiments/faults)
#   --quick  three other processes, PCI Express only
# SET="KEY=VALUE ..." changes the device of all runs. BIN: the build (build).
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/faults
out=${OUT:-out/experiments/faults}
bin=${BIN:-build}
quick=()
while [ $# -gt 0 ]; do
	case $1 in
		--quick) quick=(--axis "others=none 3" --axis "rate=0 1/2 8" --axis way=pcie) ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
mkdir -p "$out"
. tests/experiments/grid.bash

# STUDY TEXT: what the cells of STUDY have printed, TEXT before each line
lines() {
	NAME=faults-$1 grid "$here/faults.ini" --define "bin=$bin" --define "set=${SET:+--set ${SET// / --set }}" --axis "study=$1" \
		${quick[@]+"${quick[@]}"} --lines "$2" | LC_ALL=C sort
}
{
	echo "way,rate,on_fault,preempt,others,who,alone_us,together_us,ntt,preemptions,p50_us,p99_us"
	lines ppq '{way},{rate},{on_fault},{preempt},{others},{who},'
} >"$out/ppq.csv"
{
	echo "way,rate,on_fault,preempt,pager_alone_us,pager_us,pager_ntt,pager_sms,plain_ntt,fairness,preemptions,p50_us,p99_us"
	lines dss '{way},{rate},{on_fault},{preempt},'
} >"$out/dss.csv"

awk -v out="$out" -f "$here/report.awk" "$out/ppq.csv" "$out/dss.csv" >"$out/tables.md"
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/tables.md"
echo
echo "$out: ppq.svg, dss.svg, ppq.csv, dss.csv, tables.md"
