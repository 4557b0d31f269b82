#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The third scene of vgpu-demo, on this machine: a program whose managed memory is larger than the device (managed.cu), on
# devices of its own with less and less memory, under two evictors, and with prefetchers. The table does not depend on the
# machine's speed; granules, and so faults, may be a few more or less with other addresses. Prints what moved; leaves
# managed-EVICTOR.svg in DIR.
# usage: tools/demo/managed.sh DIR        after: make all build/demo/managed
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
out=${1:?managed.sh: a folder for its files is needed}
mkdir -p "$out" || exit 1
failed=0

printf '%-6s %-8s %-10s %10s %12s %14s %12s %10s %8s  %s\n' memory evictor prefetcher time 'page faults' 'to the device' \
	'to the host' 'evicted' again result
while read -r mib evictor prefetcher; do
	trace=$out/$mib-$evictor-$prefetcher
	result=$(VGPU_TRANSPORT=embedded VGPU_TRACE=$trace \
		VGPU_SET=vram_bytes=$((mib << 20)),evictor=$evictor,prefetcher=$prefetcher build/demo/managed 2>&1) || failed=1
	# of the context's line: 1 faults, 5 and 7 KiB in and out, 8 and 9 clean and dirty, 10 refaults
	build/tools/vgpu-trace stats "$trace" >"$trace.stats" || failed=1
	time=$(build/tools/vgpu-trace "$trace" | awk '/of virtual time$/ { print $(NF - 4), $(NF - 3) }')
	awk -v first="$mib MB" -v evictor="$evictor" -v prefetcher="$prefetcher" -v time="$time" -v result="${result#managed: }" '
		/^Managed memory, by process/ { header = NR }
		header && NR == header + 3 {
			printf "%-6s %-8s %-10s %10s %12d %10.1f MiB %8.1f MiB %10d %8d  %s\n", first, evictor, prefetcher, time,
				$1, $5 / 1024, $7 / 1024, $8 + $9, $10, result
			found = 1
		}
		END { exit !found }' "$trace.stats" || { echo "$mib MB $evictor: $result"; failed=1; }
	[ "$mib-$prefetcher" != 2-none ] || build/tools/vgpu-trace --quiet --svg "$out/managed-$evictor.svg" \
		--title "a histogram of 4 MB in managed memory, on a device with 2 MB: $evictor" "$trace" || failed=1
done <<'RUNS'
8 fifo none
4 fifo none
4 lru none
2 fifo none
2 lru none
2 lru granule
2 lru tree
1 fifo none
1 lru none
RUNS
exit $failed
