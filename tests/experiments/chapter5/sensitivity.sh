#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sensitivity.sh: what the numbers of chapter 5 depend on: one run for each assumption that the source leaves open, a column
# of the table for each.
# usage: tests/experiments/chapter5/sensitivity.sh [LIMIT [OPTION OF chapter5...]]     LIMIT mixes of each size (10); results in
#        OUT (out/experiments/chapter5): sensitivity.md, and a folder for each run. VARIANTS: names, if not all. What this
#        program has measured with these options is kept in OUT/sweep, and is not measured again.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
out=${OUT:-out/experiments/chapter5}
bin=${BIN:-build}
limit=${1:-10}
[ $# -gt 0 ] && shift
here=tests/experiments/chapter5
mkdir -p "$out"
. tests/experiments/grid.bash

# name, heading; sensitivity.ini has their options. "batches" comes with the run of ours: chapter5 has both readings of fcfs.
variants='
ours|ours
link-2|2 GB/s
link-4|4 GB/s
link-16|16 GB/s
batches|batches
dispatch|1 us between launches
abandon|restores end at once
cpu-200|twice the CPU time
longest|longest
printed|printed blocks'

# What is shown: figure, policy, mechanism, group, processes, paper.
rows='
5.4,npq,none,all,8,1.6
5.4,ppq,switch,all,2,2.0
5.4,ppq,switch,class1:SHORT,8,63.7
5.4,ppq,drain,class1:SHORT,8,16.2
5.4,ppq,switch,class1:MEDIUM,8,4.6
5.4,ppq,switch,class1:LONG,8,1.76
5.4,ppq,switch,all,8,15.6
5.4,ppq,drain,all,8,6.0
5.5a,ppq-exclusive,switch,all,8,1.12
5.5a,ppq-exclusive,drain,all,8,1.38
5.6,dss-equal,switch,class2:SHORT,8,4.0
5.6,dss-equal,switch,class2:MEDIUM,8,1.7
5.6,dss-equal,switch,class2:LONG,8,0.55
5.6,dss-equal,switch,all,8,2.0
5.7,dss-equal,switch,by 10 %,2,0.20
5.7,dss-equal,switch,by 10 %,4,0.70
5.7,dss-equal,switch-vs-drain,all,8,0.50
5.8a,dss-equal,switch,all,8,3.35
5.8b,dss-equal,switch,all,8,1.34
5.8b,dss-equal,drain,all,8,1.5'

# NAME: where its run is, and what its files have behind their names
folder_of() {
	if [ "$1" = batches ]; then echo ours; else echo "$1"; fi
}
suffix_of() {
	if [ "$1" = batches ]; then echo -batches; fi
}

names=()
while IFS='|' read -r name heading; do
	[ -n "$name" ] || continue
	case " ${VARIANTS:-$name} " in *" $name "*) ;; *) continue ;; esac
	names+=("$name")
	headings+=" $heading |"
	lines+="---|"
done <<<"$variants"
grid "$here/sensitivity.ini" --define "bin=$bin" --define "limit=$limit" --define "more=$*" \
	--axis "variant=$(for name in "${names[@]}"; do folder_of "$name"; done | awk '!seen[$0]++' | tr '\n' ' ')" --lines ''

# NAME LINE: a number of that run, or a dash
number() {
	awk -F, -v row="$2" '
		BEGIN { split(row, want, ",") }
		$1 == want[1] && $3 == want[2] && $4 == want[3] && $5 == want[4] && $6 == want[5] {
			printf $9 ? "%.2f" : "–", $7
		}' "$out/sweep/sensitivity/cells/variant=$(folder_of "$1")/results/figures$(suffix_of "$1").csv"
}

# NAME PATTERN: the counts of a verdict
counts() {
	sed -n "$2" "$out/sweep/sensitivity/cells/variant=$(folder_of "$1")/results/verdict$(suffix_of "$1").md"
}

{
	echo "| figure | policy | group | processes | paper |$headings"
	echo "|---|---|---|---|---|$lines"
	while IFS=, read -r figure policy mechanism group procs paper; do
		[ -n "$figure" ] || continue
		printf '| %s | %s %s | %s | %s | %.2f |' "$figure" "$policy" "$mechanism" "$group" "$procs" "$paper"
		for name in "${names[@]}"; do
			printf ' %s |' "$(number "$name" "$figure,$policy,$mechanism,$group,$procs")"
		done
		echo
	done <<<"$rows"
	printf '| effects within a third, direction, no | | | | |'
	for name in "${names[@]}"; do
		printf ' %s |' "$(counts "$name" 's/^\([0-9]*\) yes, \([0-9]*\) of the right direction only, \([0-9]*\) no$/\1, \2, \3/p')"
	done
	echo
	printf '| mean distance | | | | |'
	for name in "${names[@]}"; do
		printf ' %s |' "$(counts "$name" 's/^mean distance: //p')"
	done
	echo
	printf '| orderings right, wrong | | | | |'
	for name in "${names[@]}"; do
		printf ' %s |' "$(counts "$name" 's/^\([0-9]*\) orderings right, \([0-9]*\) wrong$/\1, \2/p')"
	done
	echo
} >"$out/sensitivity.md"
cat "$out/sensitivity.md"
