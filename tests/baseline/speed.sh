#!/bin/bash
# SPDX-License-Identifier: MIT
#
# speed.sh: two builds in pairs: each program by the one, then by the other, RUNS times. Prints user seconds, median and spread
# of both, and the ratio of the medians. A row is marked when all runs of one build are slower than all of the other.
#
# usage: speed.sh OLD-BUILD NEW-BUILD [RUNS]      exit status 1 when a row of the new build is marked as slower
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
if [ $# -lt 2 ] || [ ! -d "$1/cuda" ] || [ ! -d "$2/cuda" ]; then
	echo "usage: speed.sh OLD-BUILD NEW-BUILD [RUNS]; both with all, CUDA and experiment programs" >&2
	exit 2
fi
old=$(readlink -f "$1") new=$(readlink -f "$2") runs=${3:-7}
export VGPU_TRANSPORT=embedded
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
	printf '[global]\nrepeat=1\n'
	printf '[%s]\napp=%s\n' lbm lbm histo histo sgemm sgemm spmv spmv
} >"$work/parboil.ini"

user_seconds() { # BUILD COMMAND...
	local build=$1 program=$1/$2 TIMEFORMAT=%U
	shift 2
	{ time LD_LIBRARY_PATH=$build timeout 120 "$program" "$@" >/dev/null 2>&1 </dev/null; } 2>&1
}

slower=0
pair() { # COMMAND...
	local n
	local -a a=() b=()
	for ((n = 0; n < runs; n++)); do
		a+=("$(user_seconds "$old" "$@")")
		b+=("$(user_seconds "$new" "$@")")
	done
	{ printf 'a %s\n' "${a[@]}"; printf 'b %s\n' "${b[@]}"; } | sort -k1,1 -k2,2g | awk -v name="${*/$work/...}" -v runs="$runs" '
		{ v[$1, ++n[$1]] = $2 }
		END {
			m = int((runs + 1) / 2)
			word = v["b", 1] > v["a", runs] ? "  slower" : (v["a", 1] > v["b", runs] ? "  faster" : "")
			ratio = v["a", m] > 0 ? v["b", m] / v["a", m] : 1
			printf "%-58s %6.2f (%.2f to %.2f) %6.2f (%.2f to %.2f) %6.2f%s\n", name, v["a", m], v["a", 1], v["a", runs],
				v["b", m], v["b", 1], v["b", runs], ratio, word
			exit (word == "  slower")
		}' || slower=1
}

printf '%-58s %-23s %-23s %s\n' "user seconds, median of $runs" "old" "new" "new/old"
pair cuda/nbody 8192
pair cuda/mandelbrot 2048
pair cuda/sgemm 512
pair cuda/histogram 8000000
pair cuda/spmv 200000
pair cuda/bfs 300000
pair cuda/saxpy 10000000
pair tools/vgpu-sim --policy fcfs "$work/parboil.ini"
pair tools/vgpu-sim --policy round-robin --preempt switch "$work/parboil.ini"
pair tools/vgpu-sim --policy dss --preempt drain --set sms=100 "$work/parboil.ini"
exit $slower
