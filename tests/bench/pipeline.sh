#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Speed of timing=pipeline on one thread, with the memory hierarchy: millions of thread instructions a second of processor time,
# beside what was aimed at. Each round runs all kernels, seven times each; the median of the rounds' medians is printed, and the
# slowest and fastest run of all.
#
# usage: pipeline.sh DIR [ROUNDS]	where kernels is built
set -euo pipefail
dir=$1 rounds=${2:-3}
export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6 VGPU_SET=timing=pipeline,memory_model=caches VGPU_THREADS=1
for _ in $(seq "$rounds"); do
	"$dir/kernels" sgemm nbody stencil spmv histogram | sed -e 1d -e 's/\.\./ /'
done | awk '
BEGIN {
	split("sgemm 60 nbody 60 stencil 60 spmv 25 histogram 25", word, " ")
	for (i = 1; i in word; i += 2) {
		order[++names] = word[i]
		goal[word[i]] = word[i + 1]
	}
}
/WRONG/ || NF != 8 || $4 <= 0 { print "pipeline.sh: no figure: " $0; bad = 1; next }
{
	count[$1] = $2
	value[$1, ++runs[$1]] = $2 / $3 / 1e3
	if (runs[$1] == 1 || $5 < least[$1])
		least[$1] = $5
	if ($6 > most[$1])
		most[$1] = $6
}
function median(name,    n, i, j, v, t) {
	n = runs[name]
	for (i = 1; i <= n; i++) {
		t = value[name, i]
		for (j = i - 1; j > 0 && v[j] > t; j--)
			v[j + 1] = v[j]
		v[j + 1] = t
	}
	return v[int((n + 1) / 2)]
}
END {
	printf "%-10s %14s %22s %6s\n", "kernel", "thread insns", "million/s", "goal"
	for (i = 1; i <= names; i++) {
		if (!runs[order[i]]) {
			print "pipeline.sh: no figure: " order[i]
			bad = 1
			continue
		}
		m = median(order[i])
		printf "%-10s %14d %22s %6d  %s\n", order[i], count[order[i]], sprintf("%.1f (%d..%d)", m, least[order[i]], most[order[i]]),
			goal[order[i]], (m >= goal[order[i]] ? "reached" : "missed")
	}
	exit bad
}'
