#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How fast vgpu-sim simulates: the eight-process Parboil mix, large kernels beside small ones, and the cost of a thread block
# against the number of SMs and of processes. Processor time, median of RUNS (3) with the range; where SIM2 names a second
# vgpu-sim, its runs alternate with those of SIM. usage: tests/bench/sim.sh [option of vgpu-sim...]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
sim=${SIM:-build/tools/vgpu-sim}
runs=${RUNS:-3}
blocks=4000000
job=$(mktemp)
trap 'rm -f "$job"' EXIT

# LABEL OPTION...: median and range of nanoseconds for a thread block, and blocks per second
measure() {
	local label=$1 i binary
	shift
	for ((i = 0; i < runs; i++)); do
		for binary in "$sim" ${SIM2:+"$SIM2"}; do
			"$binary" --json --speed "$@" "$job" |
				sed -n "s|.*\"blocks_per_cpu_second\": \([0-9.e+]*\).*|$binary \1|p"
		done
	done | sort -k 1,1 -k 2,2g | awk -v label="$label" '
		function write(binary, n) {
			m = v[int((n + 1) / 2)]
			printf "%-32s %8.1f ns  (%.1f .. %.1f)  %6.2f million blocks/s%s\n", label, 1e9 / m, 1e9 / v[n], 1e9 / v[1],
				m / 1e6, ENVIRON["SIM2"] == "" ? "" : "  " binary
		}
		$1 != last && n { write(last, n); n = 0 }
		{ v[++n] = $2; last = $1 }
		END { write(last, n) }'
}

# PROCESSES BLOCKS [REGISTERS]: so many processes with kernels of so many blocks, all together about $blocks; with 4320
# registers 15 blocks share an SM, with all 65536 of an SM each has its own
same_processes() {
	local i launches=$((blocks / ($1 * $2)))
	echo "[global]"
	echo "repeat=1"
	for ((i = 0; i < $1; i++)); do
		echo "[p$i]"
		echo "phase=cpu us=10"
		echo "phase=kernel launches=$((launches ? launches : 1)) tbs=$2 tb_us=20 tb_cv=0.1 threads=128 regs_per_tb=${3:-4320}"
	done
}

echo "[global]" >"$job"
for app in lbm histo tpacf spmv mri-q sad sgemm stencil; do printf '[%s]\napp=%s\n' "$app" "$app"; done >>"$job"
measure "Parboil, eight processes" "$@"
same_processes 8 1300 >"$job"
measure "kernels of 1300 blocks" "$@"
same_processes 8 13 >"$job"
measure "kernels of 13, on one SM" "$@"
same_processes 8 13 65536 >"$job"
measure "kernels of 13, an SM each" "$@"
for sms in 13 50 100 200 500 1000; do
	same_processes 8 $((sms * 100)) >"$job"
	measure "$sms SMs, 8 processes" --set "sms=$sms" "$@"
done
for processes in 2 8 32 100 200 500; do
	same_processes "$processes" 1300 >"$job"
	measure "13 SMs, $processes processes" --set hw_queues=512 "$@"
done
