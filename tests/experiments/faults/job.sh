#!/bin/bash
# SPDX-License-Identifier: MIT
#
# job.sh: prints the job file of one cell of faults.ini.
# usage: job.sh ppq WAY RATE OTHERS WHO | job.sh dss WAY RATE
set -euo pipefail

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

case ${1:-} in
ppq | dss) "$1_job" "${@:2}" ;;
*) echo "usage: job.sh ppq WAY RATE OTHERS WHO | job.sh dss WAY RATE" >&2; exit 2 ;;
esac
