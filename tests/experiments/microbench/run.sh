#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: what CUDA programs measure of timing=pipeline by clock64(), beside what the configuration says (docs/pipeline-microbench.md).
# usage: tests/experiments/microbench/run.sh [PROGRAM[:GROUP...]...]    results in OUT (out/experiments/microbench): microbench.csv,
#        microbench.md
#   PROGRAM    units, memory, bandwidth: only these, and of them only these groups of rows:
#              units:latency:banks:rate memory:latency:coalescing:tlb:tlb-far bandwidth:coalescing:lines:translation:occupancy
# SET=KEY=VALUE,... changes the device, and what is expected of it. BIN: the build (build). Exit status: 1 if a row is not as it should be.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
out=${OUT:-out/experiments/microbench}
bin=${BIN:-build}
mkdir -p "$out"
. tests/experiments/grid.bash
set=timing=pipeline${SET:+,$SET}
LD_LIBRARY_PATH=$(readlink -f "$bin")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
[ $# -gt 0 ] || set -- units memory bandwidth
for program in "$@"; do
	IFS=: read -ra words <<<"$program"
	case ${words[0]} in
		units | memory | bandwidth) ;;
		*) echo "run.sh: no program '${words[0]}'; there are: units memory bandwidth" >&2; exit 2 ;;
	esac
done
grid tests/experiments/microbench/microbench.ini --define "bin=$bin" --define "set=$set" --axis "program=$*" --lines '' >"$out/measured"
"$bin/experiments/microbench/table" --csv "$set" <"$out/measured" >"$out/microbench.csv" || :
status=0
"$bin/experiments/microbench/table" "$set" <"$out/measured" >"$out/microbench.md" || status=$?
cat "$out/microbench.md"
exit $status
