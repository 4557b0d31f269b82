#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The kernels of the benchmark by the interpreter, by native code for SSE2, AVX2 and AVX-512, by POCL where it is installed, and as scalar C:
# millions of thread instructions a second of processor time. Runs of all take turns, so that a machine that others use too is as busy for
# each; the median of all runs is printed, and the lowest and highest of the runs' medians.
#
# usage: table.sh DIR [ROUNDS]	where kernels is built, and pocl if it can be
set -euo pipefail
dir=$1 rounds=${2:-3}
export VGPU_TRANSPORT=embedded VGPU_THREADS=1
pocl=none
if [ -x "$dir/pocl" ] && "$dir/pocl" --check; then
	pocl=there
fi
for _ in $(seq "$rounds"); do
	VGPU_NATIVE=off "$dir/kernels" | awk 'NR > 1 { print "interpreter", $1, $2, $3; print "scalar", $1, $2, $6 }'
	for vectors in sse2 avx2 avx512; do
		! grep -q "$vectors" /proc/cpuinfo ||
			VGPU_VECTORS=$vectors "$dir/kernels" | awk -v way=$vectors 'NR > 1 { print way, $1, $2, $3; print "scalar", $1, $2, $6 }'
	done
	[ $pocl = none ] || "$dir/pocl" | awk '{ print "pocl", $1, 0, $2 }'
done | awk -v pocl=$pocl '
function figure(way, name,    n, i, j, v, t) {
	n = runs[way, name]
	if (!n)
		return "-"
	for (i = 1; i <= n; i++)
		v[i] = count[name] / ms[way, name, i] / 1e3
	for (i = 2; i <= n; i++) {
		t = v[i]
		for (j = i - 1; j > 0 && v[j] > t; j--)
			v[j + 1] = v[j]
		v[j + 1] = t
	}
	return sprintf("%.0f (%.0f..%.0f)", v[int((n + 1) / 2)], v[1], v[n])
}
/WRONG/ || NF != 4 || $4 <= 0 { print "table.sh: no figure: " $0; bad = 1; next }
{
	if ($3)
		count[$2] = $3
	if (!($2 in seen)) {
		seen[$2] = 1
		order[++names] = $2
	}
	ms[$1, $2, ++runs[$1, $2]] = $4
}
END {
	printf "%-10s %22s %22s %22s %24s %22s %24s\n", "kernel", "interpreter", "SSE2", "AVX2", "AVX-512", "POCL", "scalar C"
	for (i = 1; i <= names; i++)
		printf "%-10s %22s %22s %22s %24s %22s %24s\n", order[i], figure("interpreter", order[i]),
			figure("sse2", order[i]), figure("avx2", order[i]), figure("avx512", order[i]), figure("pocl", order[i]), figure("scalar", order[i])
	if (pocl == "none")
		print "POCL: not installed (tools/setup compare brings it)"
	exit bad
}'
