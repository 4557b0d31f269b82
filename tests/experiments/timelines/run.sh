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
tools=build/tools
mkdir -p out/timelines
job=out/timelines/both.job
training=${1:-out/timelines/training.json} inference=${2:-out/timelines/inference.json}
[ $# -ge 2 ] || for program in training inference; do
	trace_of 'NVIDIA A100-SXM4-40GB' 108 "$program" >"out/timelines/$program.json"
done

"$tools/vgpu-trace" import --name training --name inference -o "$job" "$training" "$inference"
# Requests are more urgent, for policies that care.
sed -i '/^\[inference\]/a priority=1' "$job"
printf '%-8s %14s %14s %8s %8s %8s\n' policy 'training NTT' 'inference NTT' STP ANTT fairness
for policy in fcfs dss smk-pw; do
	case $policy in
	dss) how="--preempt switch --svg out/timelines.svg" ;;
	smk-pw) how="--set kernels_per_sm=2" ;;
	*) how= ;;
	esac
	# shellcheck disable=SC2086
	"$tools/vgpu-sim" --csv --policy "$policy" $how "$job" |
		awk -F, -v policy="$policy" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ ntt[$at["process"]] = $at["ntt"]; stp = $at["stp"]; antt = $at["antt"]; fairness = $at["fairness"] }
			END { printf "%-8s %14.2f %14.2f %8.2f %8.2f %8.2f\n", policy, ntt["training"], ntt["inference"], stp, antt, fairness }'
done
