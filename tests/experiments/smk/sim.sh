#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sim.sh: the pairs of run.sh with profiled kernels in vgpu-sim: blocks take as long as they took alone, whoever is beside them, so all that is
# left is how SMs are filled.
# usage: tests/experiments/smk/sim.sh [MIX...]     results in OUT (out/experiments/smk): profile.job, sim.csv, sim.md
# SIZES: as in run.sh's PROGRAM:SIZE, of the programs that are profiled. BIN: the build (build)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
here=tests/experiments/smk
out=${OUT:-out/experiments/smk}
bin=${BIN:-build}
. tests/experiments/grid.bash
mkdir -p "$out"
[ -s "$out/profile.job" ] || grid "$here/profile.ini" --define "bin=$bin" ${SIZES:+--axis "program=$SIZES"} --lines '' >"$out/profile.job"
mixes=${*:-$("$here/run.sh" --list)}
{
	echo "mix,policy,stp,antt,fairness"
	grid "$here/sim.ini" --define "bin=$bin" --define "profiles=$out/profile.job" --axis "mix=$(echo $mixes)" \
		--columns mix,policy,stp,antt,fairness | awk -F, '{ printf "%s,%s,%.4f,%.4f,%.4f\n", $1, $2, $3, $4, $5 }'
} >"$out/sim.csv"
awk -F, '
	BEGIN { split("cutcp mri-q sgemm tpacf", c, " "); for (i in c) compute[c[i]] = 1 }
	NR > 1 {
		split($1, name, "+")
		n = (name[1] in compute) + (name[2] in compute)
		of[1] = n == 2 ? "C+C" : n ? "C+M" : "M+M"; of[2] = "all"
		for (i = 1; i <= 2; i++) { count[of[i], $2]++; stp[of[i], $2] += $3; antt[of[i], $2] += $4; fairness[of[i], $2] += $5 }
	}
	END {
		print "| profiled | policy | STP | ANTT | fairness |\n|---|---|---|---|---|"
		split("C+M C+C M+M all", group, " "); split("smk smk-p smk-pw spart", policy, " ")
		for (g = 1; g <= 4; g++) for (p = 1; p <= 4; p++) {
			k = count[group[g], policy[p]]
			if (k) printf "| %s | %s | %.3f | %.3f | %.3f |\n", group[g], policy[p], stp[group[g], policy[p]] / k, antt[group[g], policy[p]] / k,
				fairness[group[g], policy[p]] / k
		}
	}' "$out/sim.csv" | tee "$out/sim.md"
