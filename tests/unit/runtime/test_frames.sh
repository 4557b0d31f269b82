#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Memory of a device in the process: all of its 16 GB may be allocated, and takes memory of the host when it is written; where
# the host has no more, the program is told so.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export VGPU_TRANSPORT=embedded VGPU_PRESET=v100 VGPU_SET=
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else
		failed=1
		echo "not ok $count - $1"
		sed 's/^/# /' log
	fi
}

cat >fill.cu <<'END'
#include <cstdio>
#include <cstdlib>
/* Allocates 15 GB and writes MEGABYTES of them, 64 at a time. */
int main(int, char **argv)
{
	size_t step = 64 << 20, end = strtoull(argv[1], NULL, 10) << 20;
	cudaError_t error;
	char *p;

	error = cudaMalloc(&p, 15ull << 30);
	if (!error && (error = cudaMemset(p + (14ull << 30), 1, 1)) == cudaSuccess)
		error = cudaDeviceSynchronize();
	for (size_t at = 0; !error && at < end; at += step)
		if ((error = cudaMemset(p + at, 1, step)) == cudaSuccess)
			error = cudaDeviceSynchronize();
	puts(cudaGetErrorName(error));
	return error != cudaSuccess;
}
END
"$top/tools/vgpucc" -O2 fill.cu -o fill >log 2>&1
ok "compiles" $?

# The process may have 17 GB of addresses, 15 of which are those of the device memory.
(ulimit -v $((17 << 20)); ./fill 64) >log 2>&1 && grep -qx cudaSuccess log
ok "16 GB are backed where they are written" $?
(ulimit -v $((17 << 20)); ! ./fill 4096) >log 2>&1 && grep -qx cudaErrorMemoryAllocation log && grep -q 'the host has no memory for the device' log
ok "the end of the host's memory is named" $?

# As the host's memory ends that /proc/meminfo tells of, where this machine can show another one.
if unshare -rm true 2>/dev/null; then
	printf 'MemTotal:       16000000 kB\nMemFree:          400000 kB\nMemAvailable:     499000 kB\n' >meminfo
	! unshare -rm sh -c 'mount --bind meminfo /proc/meminfo && ./fill 64' >log 2>&1 && grep -q 'the host has no memory for the device' log
	ok "a thirty-second of it stays free" $?
fi
echo "1..$count"
exit $failed
