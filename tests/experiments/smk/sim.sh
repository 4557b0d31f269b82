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
# of these a kernel fills the SMs twice or more
sizes=${SIZES:-cutcp:20 mri-q:384 sgemm:8 tpacf:120 histo:300 lbm:20 mri-gridding:8 sad:9 spmv stencil:512}
mkdir -p "$out"
[ -s "$out/profile.job" ] || for size in $sizes; do "$bin/experiments/smk/smk" --profile "$size"; done >"$out/profile.job"

section() { sed -n "/^\[$1\]$/,/^phase=/p" "$out/profile.job"; }
{
	echo "mix,policy,stp,antt,fairness"
	for mix in ${*:-$("$here/run.sh" --list)}; do
		{
			printf '[global]\ngpu=gtx980\nrepeat=20\n'
			for name in ${mix//+/ }; do section "$name"; done
		} >"$out/mix.job"
		for policy in smk smk-p smk-pw spart; do
			kernels=2
			[ $policy != spart ] || kernels=1
			"$bin/tools/vgpu-sim" --csv --policy $policy --preempt switch --set kernels_per_sm=$kernels "$out/mix.job" |
				awk -F, -v mix="$mix" -v policy=$policy 'NR == 2 { printf "%s,%s,%.4f,%.4f,%.4f\n", mix, policy, $6, $5, $7 }'
		done
	done
} >"$out/sim.csv"
rm "$out/mix.job"
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
