#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How fast vgpu-sim simulates: the eight-process Parboil mix, and the cost of a thread block against the number of SMs and
# of processes. Processor time, median of RUNS (3) with the range. usage: tests/bench/sim.sh [option of vgpu-sim...]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
sim=${SIM:-build/tools/vgpu-sim}
runs=${RUNS:-3}
blocks=4000000
job=$(mktemp)
trap 'rm -f "$job"' EXIT

# LABEL OPTION...: median and range of nanoseconds for a thread block, and blocks per second
measure() {
	local label=$1 i
	shift
	for ((i = 0; i < runs; i++)); do
		"$sim" --json --speed "$@" "$job" | sed -n 's/.*"blocks_per_cpu_second": \([0-9.e+]*\).*/\1/p'
	done | sort -g | awk -v label="$label" '
		{ v[NR] = $1 }
		END {
			m = v[int((NR + 1) / 2)]
			printf "%-28s %8.1f ns  (%.1f .. %.1f)  %6.2f million blocks/s\n", label, 1e9 / m, 1e9 / v[NR], 1e9 / v[1], m / 1e6
		}'
}

# PROCESSES BLOCKS: so many processes with kernels of so many blocks, all together about $blocks
same_processes() {
	local i launches=$((blocks / ($1 * $2)))
	echo "[global]"
	echo "repeat=1"
	for ((i = 0; i < $1; i++)); do
		echo "[p$i]"
		echo "phase=cpu us=10"
		echo "phase=kernel launches=$((launches ? launches : 1)) tbs=$2 tb_us=20 tb_cv=0.1 threads=128 regs_per_tb=4320"
	done
}

echo "[global]" >"$job"
for app in lbm histo tpacf spmv mri-q sad sgemm stencil; do printf '[%s]\napp=%s\n' "$app" "$app"; done >>"$job"
measure "Parboil, eight processes" "$@"
for sms in 13 50 100 200 500 1000; do
	same_processes 8 $((sms * 100)) >"$job"
	measure "$sms SMs, 8 processes" --set "sms=$sms" "$@"
done
for processes in 2 8 32 100 200 500; do
	same_processes "$processes" 1300 >"$job"
	measure "13 SMs, $processes processes" --set hw_queues=512 "$@"
done
