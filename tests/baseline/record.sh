#!/bin/bash
# SPDX-License-Identifier: MIT
#
# record.sh: the checksum of everything that a build computes, to compare two builds by: a change that is meant to change no
# result leaves the same file.
#
# usage: record.sh [--build DIR] [--keep DIR] [--only WORD] [--set FIELD=VALUE] [--quick] FILE
#
#   --build DIR   the build to record (build)
#   --keep DIR    also keep traces and outputs there, to see where two of them part
#   --only WORD   runs whose name contains WORD, for a look at one that differs
#   --set FIELD=VALUE  a field of the configuration of every run: of a new one, what makes it as before
#   --quick       one policy and mechanism, no experiments
#
# A line of FILE is a checksum and the name of a run; of the trace records, the output and the exit status:
#   cuda/PROGRAM POLICY MECHANISM             every program of tests/cuda, embedded device
#   job/FILE PRESET POLICY MECHANISM TRANSFER every job file, by vgpu-sim
#   experiments/FILE                          make experiments QUICK=1
# "varies" in place of a checksum: it is not the same twice (threads), so nothing is compared but that.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# ---- one run: the process that xargs starts ------------------------------------------------------------------------------

# Fields of the records that are not the device's: the process id with which the context is opened.
neutral() { # TRACE...
	local file
	for file; do
		[ ! -s "$file" ] || printf '\0\0\0\0\0\0\0\0' | dd of="$file" bs=1 seek=40 conv=notrunc status=none
	done
}

# Every file of the folder, by name and content.
checksum() { # FOLDER
	(cd "$1" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64)
}

run_once() { # FOLDER KIND WORDS...
	local folder=$1 kind=$2 status=0
	mkdir -p "$folder"
	shift 2
	case $kind in
	cuda)
		# shellcheck disable=SC2086
		VGPU_TRANSPORT=embedded VGPU_THREADS=1 VGPU_PRESET=${VGPU_PRESET:-k20c} VGPU_SET="policy=$2,preemption=$3${FIELD:+,$FIELD}" VGPU_TRACE=$folder/trace LD_LIBRARY_PATH=$BUILD \
			timeout 300 $SAME_ADDRESSES "$BUILD/cuda/$1" >"$folder/output" 2>&1 </dev/null || status=$?
		neutral "$folder"/trace* ;;
	job)
		timeout 300 "$BUILD/tools/vgpu-sim" --gpu "$2" --policy "$3" --preempt "$4" --set "transfer_policy=$5" ${FIELD:+--set "$FIELD"} --until 30000 \
			--json --records "$folder/trace" "$JOBS/$1" >"$folder/output" 2>&1 </dev/null || status=$? ;;
	esac
	echo "$status" >"$folder/status"
}

run_one() { # NAME
	local name=$1 folder sum repeat
	folder=$KEEP/${name//[ \/]/_}
	# shellcheck disable=SC2086
	run_once "$folder" "${name%%/*}" ${name#*/}
	sum=$(checksum "$folder")
	case $name in
	cuda/*" fcfs none")
		for repeat in 1 2; do
			# shellcheck disable=SC2086
			run_once "$folder.$repeat" "${name%%/*}" ${name#*/}
			[ "$(checksum "$folder.$repeat")" = "$sum" ] || sum=varies
		done
		rm -rf "$folder".[12] ;;
	esac
	[ -n "$KEPT" ] || rm -rf "$folder"
	printf '%-64s  %s\n' "$sum" "$name"
}

if [ "${1:-}" = run-one ]; then
	run_one "$2"
	exit
fi

# ---- all of them ---------------------------------------------------------------------------------------------------------

BUILD=build KEPT='' FIELD='' only='' quick=''
while [ $# -gt 1 ]; do
	case $1 in
	--build) BUILD=$2; shift 2 ;;
	--keep) KEPT=$2; shift 2 ;;
	--only) only=$2; shift 2 ;;
	--set) FIELD=$2; shift 2 ;;
	--quick) quick=1; shift ;;
	*) break ;;
	esac
done
if [ $# -ne 1 ] || [[ $1 == -* ]]; then
	echo "usage: record.sh [--build DIR] [--keep DIR] [--only WORD] [--set FIELD=VALUE] [--quick] FILE" >&2
	exit 2
fi
if [ ! -x "$BUILD/tools/vgpu-sim" ] || [ ! -d "$BUILD/cuda" ]; then
	echo "record.sh: $BUILD is no build with tools and CUDA programs; make all cuda-programs experiment-programs" >&2
	exit 2
fi
result=$(readlink -m "$1")
BUILD=$(readlink -f "$BUILD")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
KEEP=${KEPT:-$work/kept}
JOBS=$work/jobs
mkdir -p "$KEEP" "$JOBS" "$(dirname "$result")"
KEEP=$(readlink -f "$KEEP")
# Addresses of the process are in some outputs; where it is not permitted to hold them still those runs vary.
SAME_ADDRESSES=''
! setarch -R true 2>/dev/null || SAME_ADDRESSES='setarch -R'
export BUILD KEEP KEPT FIELD JOBS SAME_ADDRESSES

cp tests/baseline/jobs/*.ini tests/experiments/*/*.ini "$JOBS"

choices() { # KNOB
	"$BUILD/tools/vgpu-sim" --list | awk -v knob="$1" '$1 == knob { $1 = ""; gsub(/[][]/, ""); print }'
}
policies=$(choices policy) mechanisms=$(choices preemption) transfers=$(choices transfer_policy)
presets=$("$BUILD/tools/vgpu-sim" --list | awk '/^devices/ { getline; print }')
[ -z "$quick" ] || policies=fcfs mechanisms=none transfers=fcfs

names() {
	local program job policy mechanism preset transfer
	for policy in $policies; do
		for mechanism in $mechanisms; do
			while read -r program; do
				echo "cuda/$program $policy $mechanism"
			done < <(cd "$BUILD/cuda" && find . -type f -executable ! -name '*.o' -printf '%P\n' | LC_ALL=C sort)
			for job in "$JOBS"/*.ini; do
				for preset in $presets; do
					for transfer in $transfers; do
						[ "$preset" = k20c ] || [ "$transfer" = fcfs ] || continue
						echo "job/${job##*/} $preset $policy $mechanism $transfer"
					done
				done
			done
		done
	done
}
names | { grep -F -- "$only" || :; } >"$work/names"
[ -s "$work/names" ] || [[ experiments/ == *"$only"* ]] || { echo "record.sh: no run has $only in its name" >&2; exit 2; }

xargs -d '\n' -P "$(nproc)" -n 1 "$0" run-one <"$work/names" >"$work/sums"
if [ -z "$quick" ] && [[ experiments/ == *"$only"* ]] && [ -x "$BUILD/experiments/chapter5" ]; then
	OUT=$KEEP/experiments BIN=$BUILD tests/experiments/chapter5/run.sh --rounds 1 --limit 2 >"$work/experiments.log" 2>&1 ||
		{ cat "$work/experiments.log" >&2; exit 1; }
	(cd "$KEEP" && find experiments -name '*.csv' | LC_ALL=C sort | xargs sha256sum) >>"$work/sums"
fi
# The other runs of a program that varies say no more than the first.
awk 'NR == FNR { if ($1 == "varies") varies[$2] = 1; next }
     !($2 in varies) || $1 == "varies"' "$work/sums" "$work/sums" | LC_ALL=C sort -k 2 >"$result"
awk '{ if ($1 == "varies") v++; else n++ } END { printf "%d runs recorded, %d vary\n", n, v }' "$result"
