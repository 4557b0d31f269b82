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
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE
export BIN=$bin SET=${SET:-} VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6 RESIDENT=1
LD_LIBRARY_PATH=$(readlink -f "$bin")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

settings() { # MODE
	printf 'timing=pipeline'
	case $1 in
		baseline) ;;
		in-order | in-order-commit) printf ',issue_order=%s' "$1" ;;
		operand-log-*) printf ',fault_scheme=operand-log,operand_log_bytes=%d' $((${1#operand-log-} * 1024)) ;;
		*) printf ',fault_scheme=%s' "$1" ;;
	esac
	printf '%s' "${SET:+,$SET}"
}

measure() { # PROGRAM MODE [SIZE]: a line of pipeline.csv, or a message and 255, which ends xargs
	local output ns
	if ! output=$(VGPU_SET=$(settings "$2") "$BIN/experiments/chapter6/$1" ${3:-} 2>&1); then
		printf 'pipeline.sh: %s failed: %s\n' "$*" "$output" >&2
		return 255
	fi
	ns=$(sed -n 's/^.*: kernel \([0-9]*\) ns$/\1/p' <<<"$output")
	printf '%s,%s,%s\n' "$1" "$2" "$ns"
}
export -f settings measure

modes=${MODES:-baseline wd-commit wd-lastcheck replay-queue operand-log-8 operand-log-16 operand-log-32 in-order in-order-commit}
for mode in $modes; do
	for program in $programs; do echo "$program $mode${small[$program]:+ ${small[$program]}}"; done
done | xargs -P "${WORKERS:-$(nproc)}" -L 1 bash -c 'measure "$@"' measure >"$out/pipeline.unsorted"
{
	echo "program,mode,ns"
	LC_ALL=C sort "$out/pipeline.unsorted"
} >"$out/pipeline.csv"
rm "$out/pipeline.unsorted"
awk -v modes="$modes" -v programs="$programs" -f "$here/pipeline.awk" "$here/expected-pipeline.csv" "$out/pipeline.csv" | tee "$out/pipeline.md"
