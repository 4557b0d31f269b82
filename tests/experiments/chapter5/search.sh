#!/bin/bash
# SPDX-License-Identifier: MIT
#
# search.sh: of what the source of chapter 5 leaves open, the set of assumptions that comes nearest to all its numbers: one
# assumption at a time, the best value of each is kept, until none is better. With another interconnect, applications have so
# much CPU time that they stay as long as they are. What it finds is fitted, and is no default: the defaults are chosen from
# reasons. A set counts only if no application leaves its class 2 that is in it with the defaults.
# usage: tests/experiments/chapter5/search.sh [LIMIT [OPTION OF chapter5...]]     LIMIT mixes of each size (5); results in OUT
#        (out/experiments/chapter5): search.md
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
out=${OUT:-out/experiments/chapter5}
bin=${BIN:-build}
limit=${1:-5}
[ $# -gt 0 ] && shift
mkdir -p "$out/search"

# what may change: name, values, the default first
dimensions='
link 8 2 4 16
batch 0 1
dispatch_ns 0 1000
cpu_short 100 0 200 400
cpu_medium 100 50 200 400
cpu_long 100 50 200 400
variation 100 50 200
longest 0 1'

declare -A value distance
order=()
while read -r name first _; do
	[ -n "$name" ] || continue
	value[$name]=$first
	order+=("$name")
done <<<"$dimensions"

# the present values as a name
key() {
	local name text=
	for name in "${order[@]}"; do text+="${text:+,}$name=${value[$name]}"; done
	echo "$text"
}

# FOLDER: applications that are not of their class 2 (table 5.2)
outside() {
	awk -F, '
		BEGIN {
			split("spmv mri-q sgemm", s, " "); split("histo tpacf cutcp", m, " "); split("lbm sad stencil mri-gridding", l, " ")
			for (i in s) most[s[i]] = 5000
			for (i in m) { least[m[i]] = 30000; most[m[i]] = 115000 }
			for (i in l) least[l[i]] = 400000
		}
		NR > 1 && !($12 in seen) {
			seen[$12] = 1
			if ($14 < least[$12] || ($12 in most && $14 > most[$12])) print $12
		}' "$1/runs.csv" | sort
}

# run the present values; sets $result to the distance, or to none if an application leaves its class
runs=0
measure() {
	local name folder longest=()
	name=$(key)
	result=${distance[$name]-}
	[ -n "$result" ] && return
	folder=$out/search/run
	[ "${value[longest]}" = 1 ] && longest=(--longest)
	"$bin/experiments/chapter5" --limit "$limit" --quiet --set "link_bandwidth=${value[link]}000000000" --set "fcfs_batch=${value[batch]}" \
		--set "dispatch_ps=${value[dispatch_ns]}000" \
		--cpu "${value[cpu_short]},${value[cpu_medium]},${value[cpu_long]}" --same-length --variation "${value[variation]}" "${longest[@]}" "$@" "$folder"
	runs=$((runs + 1))
	result=$(sed -n 's/^mean distance: //p' "$folder/verdict.md")
	[ -e "$out/search/default" ] || outside "$folder" >"$out/search/default"
	[ -z "$(outside "$folder" | comm -23 - "$out/search/default")" ] || result=none
	distance[$name]=$result
	printf '| %s | %s | %s |\n' "${name//,/, }" "$result" \
		"$(sed -n 's/^\([0-9]* yes, .* no\)$/\1/p' "$folder/verdict.md" | tail -1)" | tee -a "$out/search/path"
}

# A B: is distance A less than B?
nearer() {
	[ "$1" != none ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

rm -f "$out/search/default" "$out/search/path"
measure "$@"
best=$result first=$result
improved=1
while [ "$improved" -eq 1 ]; do
	improved=0
	while read -r name values; do
		[ -n "$name" ] || continue
		kept=${value[$name]}
		for candidate in $values; do
			value[$name]=$candidate
			measure "$@"
			if nearer "$result" "$best"; then
				best=$result kept=$candidate improved=1
			fi
		done
		value[$name]=$kept
	done <<<"$dimensions"
done
{
	echo "Fitted, for reference: $(key | sed 's/,/, /g'): mean distance $best, with the defaults $first; $runs runs, $limit mixes of each size."
	echo
	echo "| assumptions | mean distance | verdicts |"
	echo "|---|---|---|"
	cat "$out/search/path"
} >"$out/search.md"
cat "$out/search.md"
