#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pipeline.sh: what it costs that faults can be preempted (Tanasic 6.1, 6.5.2): runs the programs of this folder with
# timing=pipeline under every scheme, without page faults (RESIDENT), and prints paper against ours for figures 6.1, 6.11 and 6.12.
# usage: tests/experiments/chapter6/pipeline.sh [--full] [PROGRAM[:SIZE]...]    results in OUT (out/experiments/chapter6): pipeline.csv,
#        pipeline.md
#   --full     the sizes of run.sh; else fewer blocks of those programs that would take more than half a minute a run
#   PROGRAM    only these, of that size
# SET=KEY=VALUE,... changes the device of all runs. BIN: the build (build). WORKERS: runs at a time (all processors). MODES: only these
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/chapter6
out=${OUT:-out/experiments/chapter6}
bin=${BIN:-build}
programs="bfs cutcp histo lbm mri-gridding mri-q sad sgemm spmv stencil tpacf"
declare -A small=([cutcp]=13 [mri-q]=256 [sgemm]=5 [tpacf]=30)
if [ "${1:-}" = --full ]; then small=(); shift; fi
names=()
for name in "$@"; do
	[[ $name != *:* ]] || small[${name%%:*}]=${name#*:}
	name=${name%%:*}
	names+=("$name")
	case " $programs " in
		*" $name "*) ;;
		*) echo "pipeline.sh: no program '$name'; there are: $programs" >&2; exit 2 ;;
	esac
done
if [ $# -gt 0 ]; then programs=${names[*]}; fi
mkdir -p "$out"
. tests/experiments/grid.bash
LD_LIBRARY_PATH=$(readlink -f "$bin")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

sizes=$(for name in "${!small[@]}"; do echo "$name:${small[$name]}"; done | LC_ALL=C sort | tr '\n' ' ')
modes=${MODES:-baseline wd-commit wd-lastcheck replay-queue operand-log-8 operand-log-16 operand-log-32 in-order in-order-commit}
{
	echo "program,mode,ns"
	grid "$here/pipeline.ini" --define "bin=$bin" --define "set=${SET:+,$SET}" --define "sizes=$sizes" --axis "mode=$modes" \
		--axis "program=$programs" --columns program,mode,ns | LC_ALL=C sort
} >"$out/pipeline.csv"
awk -v modes="$modes" -v programs="$programs" -f "$here/pipeline.awk" "$here/expected-pipeline.csv" "$out/pipeline.csv" | tee "$out/pipeline.md"
