#!/bin/bash
# SPDX-License-Identifier: MIT
#
# search.sh: of what the source of chapter 5 leaves open, the set of assumptions that comes nearest to all its numbers. What it
# finds is fitted, and is no default: the defaults are chosen from reasons (docs/experiments.md).
#
# 1. Every link, with applications as long as by default, and with SHORT and MEDIUM ones as long as class 2 lets them be. Each
#    run has both readings of fcfs. With another link applications have so much less or more CPU time that they last as long
#    as before (--same-length), if they have enough.
# 2. From the nearest set on, the other assumptions one at a time, until none is better.
# 3. More mixes for the defaults and what was found.
#
# All runs are without ppq-shared, of which the source gives no number. Steps 1 and 2 need many runs: they take mixes of 2 and 8
# processes, few enough of 8 (but every class 1 is the one with priority), and one completed run of each process.
#
# There are two results: the nearest set of all, and the nearest in which no application leaves its class 2 that is in it with
# the defaults. What this program has measured is kept in OUT/search, and is not measured again.
# usage: tests/experiments/chapter5/search.sh [SCREEN [LIMIT [REPEAT]]]     --limit of chapter5 for steps 1 and 2 (10,0,0,5), --limit
#        and --repeat for 3 (10, 3); results in OUT (out/experiments/chapter5): search.md. WORKERS: processes of this machine
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
out=${OUT:-out/experiments/chapter5}
bin=${BIN:-build}
screen=${1:-10,0,0,5}
limit=${2:-10}
repeat=${3:-3}
mkdir -p "$out/search"

# step 2: names and values
others='
cpu_medium 100 200
cpu_long 100 300
variation 100 50 200
dispatch_ns 0 1000'

declare -A value
order=(link longest cpu_medium cpu_long variation dispatch_ns)
defaults() {
	value=([link]=8 [longest]=0 [cpu_medium]=100 [cpu_long]=100 [variation]=100 [dispatch_ns]=0)
}

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

# STAGE OPTION...: run the present values into $folder, unless that has been done
run() {
	local stage=$1 command
	shift
	folder=$out/search/$stage/$(key)
	command=(--set "link_bandwidth=${value[link]}000000000" --cpu "100,${value[cpu_medium]},${value[cpu_long]}" --same-length
		--variation "${value[variation]}" "$@")
	[ "${value[longest]}" = 1 ] && command+=(--longest)
	[ "${value[dispatch_ns]}" != 0 ] && command+=(--set "dispatch_ps=${value[dispatch_ns]}000")
	[ "$folder/done" -nt "$bin/experiments/chapter5" ] && [ "$(cat "$folder/done")" = "${command[*]}" ] && return
	mkdir -p "$folder"
	"$bin/experiments/chapter5" --quiet ${WORKERS:+--workers "$WORKERS"} "${command[@]}" "$folder"
	outside "$folder" | tr '\n' ' ' >"$folder/outside"
	echo "${command[*]}" >"$folder/done"
}

# SUFFIX: a line of $folder: distance, its values, verdicts and orderings with that reading of fcfs, who is outside its class, and
# how many classes have the NTT that the paper's numbers imply
line() {
	local verdict=$folder/verdict$1.md
	printf '%s|%s|%s|%s|%s|%s\n' "$(sed -n 's/^mean distance: //p' "$verdict")" \
		"batches=$([ -n "$1" ] && echo 1 || echo 0),$(key)" \
		"$(sed -n 's/^\([0-9]*\) yes, \([0-9]*\) of the right direction only, \([0-9]*\) no$/\1, \2, \3/p' "$verdict")" \
		"$(sed -n 's/^\([0-9]*\) orderings right, \([0-9]*\) wrong$/\1, \2/p' "$verdict")" "$(cat "$folder/outside")" \
		"$(grep -cE '^\| (SHORT|MEDIUM|LONG) \|.*\| yes \|' "$folder/profile$1.md")"
}

# STAGE: how many mixes were run under how many configurations, of all its sets
runs() {
	awk -F, 'FNR > 1 { run[FILENAME, $1, $4] } END { n = 0; for (r in run) n++; print n }' "$out/search/$1"/*/runs.csv
}

# STAGE OPTION...: run the present values; both lines go to OUT/search/STAGE.txt
measure() {
	run "$@"
	{ line ""; line -batches; } >>"$out/search/$1.txt"
}

# inside or all: the nearest line of the screening
nearest() {
	sort -u "$out/search/screen.txt" | awk -F'|' -v which="$1" -v usual="$usual" '
		which == "all" { print; next }
		{ n = split($5, apps, " "); for (i = 1; i <= n; i++) if (index(" " usual " ", " " apps[i] " ") == 0) next; print }' |
		sort -t'|' -k1,1n -k2,2 | sed -n 1p
}

# LINE: its values become the present ones
take() {
	local pair
	for pair in $(echo "$1" | cut -d'|' -f2 | tr , ' '); do
		case $pair in batches=*) ;; *) value[${pair%%=*}]=${pair#*=} ;; esac
	done
}

# inside or all: step 2
refine() {
	local name values candidate before=
	while [ "$(nearest "$1")" != "$before" ]; do
		before=$(nearest "$1")
		while read -r name values; do
			[ -n "$name" ] || continue
			for candidate in $values; do
				take "$(nearest "$1")"
				[ "${value[$name]}" = "$candidate" ] && continue
				value[$name]=$candidate
				measure screen "${screening[@]}"
			done
		done <<<"$others"
	done
}

table() {
	echo "| assumptions | mean distance | effects within a third, direction, no | orderings right, wrong | not in their class 2 | classes with the NTT implied |"
	echo "|---|---|---|---|---|---|"
	sort -u "$1" | sort -t'|' -k1,1n | awk -F'|' '{ gsub(/,/, ", ", $2); printf "| %s | %s | %s | %s | %s | %s |\n", $2, $1, $3, $4, $5, $6 }'
}

screening=(--limit "$screen" --repeat 1 --no-shared)
last=(--limit "$limit" --repeat "$repeat" --no-shared)
rm -f "$out/search/screen.txt" "$out/search/final.txt"
defaults
measure screen "${screening[@]}"
usual=$(cat "$folder/outside")
for link in 8 2 4 16; do
	for longest in 0 1; do
		value[link]=$link value[longest]=$longest
		measure screen "${screening[@]}"
	done
done
refine inside
refine all
defaults
measure final "${last[@]}"
for which in inside all; do
	defaults
	take "$(nearest $which)"
	measure final "${last[@]}"
done
{
	echo "Fitted, for reference: --limit $limit, --repeat $repeat, $(runs final) runs"
	echo
	table "$out/search/final.txt"
	echo
	echo "Screening: $(sort -u "$out/search/screen.txt" | wc -l) sets, --limit $screen, --repeat 1, $(runs screen) runs"
	echo
	table "$out/search/screen.txt"
} >"$out/search.md"
cat "$out/search.md"
