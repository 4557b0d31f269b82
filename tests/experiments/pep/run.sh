#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of PEP (Li et al., DAC 2018; the thesis, 4.6) and of Chimera (Park et al., ASPLOS 2015): runs the kernels of table
# 4.1 as profiles and ten compiled programs, draws figures with gnuplot, prints paper against ours (docs/experiments-pep.md).
# usage: tests/experiments/pep/run.sh [--quick]     results in OUT (out/experiments/pep)
#   --quick   without pep-in-place and most settings, three programs, fewer requests
# BIN: the build (build). SET="KEY=VALUE ..." changes the device of all runs.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/pep
out=${OUT:-out/experiments/pep}
quick=()
while [ $# -gt 0 ]; do
	case $1 in
		--quick)
			quick=(--define quick=--quick --define "schemes=--schemes {some}"
				--axis "run=kernels profiled sms deadlines cutcp:12 lbm:20 stencil:128 split") ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_PRESET VGPU_SET
mkdir -p "$out"
. tests/experiments/grid.bash
grid "$here/pep.ini" --define "bin=${BIN:-build}" --define "set=${SET:+--set ${SET// / --set }}" ${quick[@]+"${quick[@]}"} \
	--lines '{variant},' >"$out/runs.csv"
awk -v out="$out" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md" || { cat "$out/verdict.md" >&2; exit 1; }
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/verdict.md"
echo
echo "$out: figure-*.svg, runs.csv, verdict.md"
