#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: inference beside training (docs/import.md): two timelines of an A100 become a job of two processes, which runs
# under each policy, with smk-pw two kernels an SM. Prints a row a policy, and draws dss: out/timelines.svg.
#
# usage: tests/experiments/timelines/run.sh [TRAINING INFERENCE]      profiles; default: those of traces.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
. tests/experiments/timelines/traces.sh
. tests/experiments/grid.bash
tools=build/tools
out=out/timelines
mkdir -p "$out"
job=out/timelines/both.job
training=${1:-out/timelines/training.json} inference=${2:-out/timelines/inference.json}
[ $# -ge 2 ] || for program in training inference; do
	trace_of 'NVIDIA A100-SXM4-40GB' 108 "$program" >"out/timelines/$program.json"
done

"$tools/vgpu-trace" import --name training --name inference -o "$job" "$training" "$inference"
# Requests are more urgent, for policies that care.
sed -i '/^\[inference\]/a priority=1' "$job"
printf '%-8s %14s %14s %8s %8s %8s\n' policy 'training NTT' 'inference NTT' STP ANTT fairness
grid tests/experiments/timelines/timelines.ini --define "job=$job" --columns policy,process,ntt,stp,antt,fairness |
	awk -F, '
		function row() { printf "%-8s %14.2f %14.2f %8.2f %8.2f %8.2f\n", policy, ntt["training"], ntt["inference"], stp, antt, fairness }
		$1 != policy && policy != "" { row() }
		{ policy = $1; ntt[$2] = $3; stp = $4; antt = $5; fairness = $6 }
		END { row() }'
cp "$out/sweep/timelines/cells/policy=dss/dss.svg" out/timelines.svg
