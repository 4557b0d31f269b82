#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the evaluation of SMK (Wang et al., HPCA 2016, section 6): runs all pairs of the ten programs under every policy, draws figures
# 10 to 16 with gnuplot, prints paper against ours.
# usage: tests/experiments/smk/run.sh [--quick | --list] [MIX...]     results in OUT (out/experiments/smk)
#   --quick   three pairs, 200,000 cycles each
#   --list    the mixes that it would run, and none is
#   MIX       only these, such as lbm+tpacf
# CYCLES: of each run (2000000, as 6.1). FULL=1: mixes of three and four programs, too (figure 15). SET=KEY=VALUE,... changes the device of
# all runs. POLICIES: only these. BIN: the build (build). WORKERS: runs at a time (all processors).
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/smk
out=${OUT:-out/experiments/smk}
bin=${BIN:-build}
cycles=${CYCLES:-2000000}
policies=${POLICIES:-smk smk-p smk-pw spart}
programs="cutcp mri-q sgemm tpacf histo lbm mri-gridding sad spmv stencil"
quick='' list=''
case ${1:-} in
	--quick) quick=1 cycles=${CYCLES:-200000}; shift ;;
	--list) list=1; shift ;;
esac
case ${1:-} in -*) echo "run.sh: no option '$1'; see the head of $here/run.sh" >&2; exit 2 ;; esac
unset VGPU_TRACE VGPU_VRAM VGPU_DEVICE VGPU_PRESET
. tests/experiments/grid.bash

# 6.5 has small data sets, of which kernels end often and begin again. Of the other programs a single block takes longer than a run.
declare -A small=([histo]=100 [lbm]=4 [sad]=1)

pairs() {
	local a b rest
	rest=$programs
	for a in $programs; do
		rest=${rest#"$a"} rest=${rest# }
		for b in $rest; do echo "$a+$b"; done
	done
}

# All mixes of $1 programs in a fixed random order, of which the first $2 are taken: "randomly select" (6.6). Each class of the paper's
# comes in turn, so that the selected "cover all possible mixes of compute and memory intensive kernels".
mixes() {
	awk -v size="$1" -v most="$2" -v programs="$programs" '
		function next_random() { state = (state * 1103515245 + 12345) % 2147483648; return state / 2147483648 }
		function choose(from, left, mix, compute,   i) {
			if (!left) { n = ++count[compute]; all[compute, n] = substr(mix, 2); return }
			for (i = from; i <= total; i++) choose(i + 1, left - 1, mix "+" name[i], compute + (i <= 4))
		}
		BEGIN {
			state = 1; total = split(programs, name, " ")
			choose(1, size, "", 0)
			for (c in count)
				for (i = count[c]; i > 1; i--) {
					j = 1 + int(next_random() * i)
					t = all[c, i]; all[c, i] = all[c, j]; all[c, j] = t
				}
			for (round = 1; taken < most; round++)
				for (c = 0; c <= size && taken < most; c++)
					if (round <= count[c]) { print all[c, round]; taken++ }
		}'
}

sized() { # MIX: with the small sizes, or nothing
	local name list=
	for name in ${1//+/ }; do
		[ -n "${small[$name]:-}" ] || return 0
		list+=${list:++}$name:${small[$name]}
	done
	echo "$list"
}
# NAME CYCLES MIXES [ALONE POLICY...]: what the runs print
runs() {
	local name=$1 cycles=$2 mixes=$3 options=${4:+--alone $4}
	[ -n "${mixes// /}" ] || return 0
	for policy in "${@:5}"; do options+=" --policy $policy"; done
	NAME=$name grid "$here/smk.ini" --define "bin=$bin" --define "set=${SET:-}" --define "cycles=$cycles" --define "options=$options" \
		--axis "mix=$mixes" --lines ''
}

if [ $# -gt 0 ]; then selected=$*; elif [ -n "$quick" ]; then selected="lbm+tpacf cutcp+mri-q lbm+stencil"; else selected=$(pairs); fi
more() { mixes 3 "${MIXES_OF_3:-56}"; mixes 4 "${MIXES_OF_4:-70}"; }
for mix in $selected; do
	for name in ${mix//+/ }; do
		case " $programs " in
			*" $name "*) ;;
			*) echo "run.sh: $mix: no program '$name'; there are: $programs" >&2; exit 2 ;;
		esac
	done
done
if [ -n "$list" ]; then
	printf '%s\n' $selected
	[ -z "${FULL:-}" ] || more
	exit
fi
mkdir -p "$out"
runs alone "$cycles" "$programs" >"$out/alone.csv"
runs pairs "$cycles" "$(echo $selected)" "$out/alone.csv" $policies >"$out/pairs.csv"

# 6.5: preemption that costs nothing
sizes=$(for name in "${!small[@]}"; do echo "$name:${small[$name]}"; done | LC_ALL=C sort)
runs alone-small $((cycles / 4)) "$(echo $sizes)" >"$out/alone-small.csv"
runs small $((cycles / 4)) "$(for mix in $selected; do sized "$mix"; done | tr '\n' ' ')" "$out/alone-small.csv" \
	smk-pw smk-pw-ideal spart spart-ideal >"$out/small.csv"

# 6.6: three and four kernels
: >"$out/more.csv"
[ -z "${FULL:-}" ] || runs more "$cycles" "$(more | tr '\n' ' ')" "$out/alone.csv" spart smk-pw smk-pw-2 >"$out/more.csv"

# One line for each run of a program (run) and of a mix (mix); figures from them
{
	echo "kind,mix,policy,..."
	LC_ALL=C sort "$out/alone.csv" "$out/pairs.csv"
	LC_ALL=C sort "$out/small.csv" | sed 's/^\([a-z]*\),/\1,small /'
	LC_ALL=C sort "$out/more.csv"
} >"$out/runs.csv"
rm "$out/pairs.csv" "$out/small.csv" "$out/more.csv" "$out/alone-small.csv"
awk -v out="$out" -v table2="$here/table2.csv" -f "$here/report.awk" "$here/expected.csv" "$out/runs.csv" >"$out/verdict.md"
if command -v gnuplot >/dev/null; then
	gnuplot -e "out='$out'" "$here/figures.gp"
else
	echo "run.sh: no gnuplot here, so no pictures (tools/setup experiments brings it)" >&2
fi
cat "$out/verdict.md"
echo
echo "$out: figure-*.svg, runs.csv, figures.csv, verdict.md"
