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
others="1 3 7" rates="0 1/8 1/2 2 8" ways="nvlink pcie new new-gpu"
while [ $# -gt 0 ]; do
	case $1 in
		--quick) others=3 rates="0 1/2 8" ways=pcie ;;
		*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;;
	esac
	shift
done
mkdir -p "$out"
export BIN=${BIN:-build} SET=${SET:-}

# RATE: faults of a block of 100 us; the 64 blocks on the SMs want 640 times as many a millisecond. WAY: pages with data or without
paging_kernel() { # BLOCKS RATE WAY
	local bytes=0 touches=1 on_host=0
	case $2 in
		0) ;;
		1/8) bytes=8192 ;;	# eight blocks share a granule of 64 KB
		1/2) bytes=32768 ;;
		*) bytes=$(($2 * 65536)) touches=$2 ;;
	esac
	case $3 in nvlink | pcie) on_host=1 ;; esac
	printf 'phase=kernel tbs=%d tb_us=100 tb_cv=0.2 threads=256 regs_per_tb=16384' "$1"
	[ "$bytes" -eq 0 ] || printf ' touched_bytes=%d touches_per_tb=%d touched_on_host=%d' "$bytes" "$touches" "$on_host"
	echo
}

# A process with priority every 617 us and a bit, whose kernel fills all SMs once, and OTHERS, of which one or all page.
ppq_job() { # WAY RATE OTHERS WHO
	local n
	printf '[urgent]\npriority=1\nrepeat=60\nphase=cpu us=617\nphase=kernel tbs=64 tb_us=50 threads=256 regs_per_tb=16384\n'
	for ((n = 1; n <= $3; n++)); do
		printf '[other%d]\nrepeat=1\n' "$n"
		if [ "$n" -eq 1 ] || [ "$4" = all ]; then paging_kernel 640 "$2" "$1"; else paging_kernel 640 0 "$1"; fi
	done
}

# Three processes with a CPU phase and a kernel, and one with a long kernel that pages.
dss_job() { # WAY RATE
	local n
	printf '[pager]\nrepeat=4\n'
	paging_kernel 640 "$2" "$1"
	for n in 1 2 3; do
		printf '[plain%d]\nrepeat=60\nphase=cpu us=%d\nphase=kernel tbs=128 tb_us=50 tb_cv=0.2 threads=256 regs_per_tb=16384\n' \
			"$n" $((80 + 20 * n))
	done
}

# WAY: the device's settings, as in chapter6/run.sh; the host is busy for 2 us
settings() {
	local us=12 data=25 rate=15750000000 handler=cpu
	case $1 in
		nvlink | new) us=10 data=12 rate=40000000000 ;;
		new-gpu) handler=gpu ;;
	esac
	printf -- '--set fault_round_trip_ps=%d --set fault_data_round_trip_ps=%d --set link_bandwidth=%d --set fault_handler=%s' \
		$((us * 1000000)) $((data * 1000000)) "$rate" "$handler"
}

# STUDY WAY RATE MODE PREEMPT [OTHERS WHO]: a line of ppq.csv or dss.csv, or a message and 255, which ends xargs
measure() {
	local options policy=ppq-exclusive job table setting
	[ "$1" = ppq ] || policy=dss
	options="--gpu tanasic-ch6 --policy $policy --preempt $5 $(settings "$2")"
	case $4 in
		switching) options+=" --set block_switching=1" ;;
		*) options+=" --set sm_on_fault=$4" ;;
	esac
	for setting in $SET; do options+=" --set $setting"; done
	job=$("$1_job" "$2" "$3" "${@:6}")
	# shellcheck disable=SC2086
	if ! table=$("$BIN/tools/vgpu-sim" $options - <<<"$job" 2>&1); then
		printf 'run.sh: %s failed: %s\n' "$*" "$table" >&2
		return 255
	fi
	awk -v study="$1" -v key="$2,$3,$4,$5${6:+,$6,$7}" '
		$1 == "urgent" { alone = $4 - 617; together = $5 - 617 }
		$1 == "pager" { pager = $4 "," $5 "," $6 "," $8 }
		$1 ~ /^plain/ { plain += $6 / 3 }
		$1 == "ANTT" { fairness = $6 }
		$1 == "preemptions" {
			gsub(/[,;]/, "")
			latency = $2 "," $8 "," $10
		}
		END {
			if (study == "ppq") printf "%s,%.3f,%.3f,%.4f,%s\n", key, alone, together, together / alone, latency
			else printf "%s,%s,%.4f,%s,%s\n", key, pager, plain, fairness, latency
		}' <<<"$table"
}
export -f paging_kernel ppq_job dss_job settings measure

{
	for way in $ways; do
		for rate in $rates; do
			# what an SM does on faults makes no difference to draining
			for how in "preemptible drain" "preemptible switch" "stall switch"; do
				for n in $others; do
					echo "ppq $way $rate $how $n all"
					[ "$n" -eq 1 ] || echo "ppq $way $rate $how $n one"
				done
				echo "dss $way $rate $how"
			done
			echo "dss $way $rate switching switch"
		done
	done
} >"$out/configurations"
for study in ppq dss; do
	grep "^$study" "$out/configurations" | xargs -P "$(nproc)" -L 1 bash -c 'measure "$@"' measure >"$out/$study.unsorted"
done
{
	echo "way,rate,on_fault,preempt,others,who,alone_us,together_us,ntt,preemptions,p50_us,p99_us"
	LC_ALL=C sort "$out/ppq.unsorted"
} >"$out/ppq.csv"
{
	echo "way,rate,on_fault,preempt,pager_alone_us,pager_us,pager_ntt,pager_sms,plain_ntt,fairness,preemptions,p50_us,p99_us"
	LC_ALL=C sort "$out/dss.unsorted"
} >"$out/dss.csv"
rm "$out"/*.unsorted "$out/configurations"

awk -v out="$out" -f "$here/report.awk" "$out/ppq.csv" "$out/dss.csv" >"$out/tables.md"
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/tables.md"
echo
echo "$out: ppq.svg, dss.svg, ppq.csv, dss.csv, tables.md"
