#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: run the test programs one after the other, as root, where vgpu.ko is loaded. TAP on stdout.
# usage: tests/kselftest/run.sh [FOLDER [NAME...]]
#   FOLDER holds the built programs     [build/kselftest]
#   NAME   only these programs
# In a guest: tools/vgpu-vm -- tests/kselftest/run.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
folder=${1:-build/kselftest}
[ $# -eq 0 ] || shift
[ -e /dev/vgpu0 ] || { echo "run.sh: no /dev/vgpu0 here: run it by tools/vgpu-vm --" >&2; exit 1; }
[ -e /sys/kernel/debug/vgpu ] || mount -t debugfs none /sys/kernel/debug || exit 1

# The module's file, for the tests that reload it.
case $(uname -r) in
6.12*-vgpu-debug) : "${VGPU_MODULE:=$PWD/build/debug-6.12/vgpu.ko}" ;;
*-vgpu-*) : "${VGPU_MODULE:=$PWD/build/$(uname -r | sed 's/.*-vgpu-//')/vgpu.ko}" ;;
*-rt-amd64) : "${VGPU_MODULE:=$PWD/build/rt/vgpu.ko}" ;;
6.12*) : "${VGPU_MODULE:=$PWD/build/6.12/vgpu.ko}" ;;
*) : "${VGPU_MODULE:=$PWD/build/6.1/vgpu.ko}" ;;
esac
export VGPU_MODULE

# Kilobytes that the kernel itself holds; VRAM frames are in none of these once they are given back. KASAN holds what was freed
# until its cache is shrunk.
held() {
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	if grep -q ' kasan_cache_shrink$' /proc/kallsyms; then
		for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done 2>/dev/null
	fi
	awk '/^(SUnreclaim|PageTables|KernelStack|VmallocUsed):/ { kb += $2 } END { print kb }' /proc/meminfo
}

# Devices that a test which failed has left: others would fail because of them.
clear() {
	local group
	for group in /sys/kernel/config/vgpu/*/; do
		[ -d "$group" ] || continue
		echo 0 >"$group/live"
		rmdir "$group"
	done 2>/dev/null
}

# With kmemleak=on behind the kernel's command line: what the module allocated and nobody points to any more.
# An object counts when it is some seconds old and two scans in a row have not found it.
kmemleak=/sys/kernel/debug/kmemleak
leaked() {
	echo scan >$kmemleak && sleep 6 && echo scan >$kmemleak || return 0
	awk '/^unreferenced/ { show() } { text = text $0 "\n" } END { show() }
		function show() { if (text ~ /\[vgpu\]/) printf "%s", text; text = "" }' $kmemleak
}

all=
[ $# -gt 0 ] || { all=yes; set -- $(cd "$folder" && ls); }
status=0
limit=$((${TEST_TIMEOUT:-900} * 2 / 3))
before=$(held)
for name; do
	begin=$SECONDS
	timeout -k 5 $limit "$folder/$name"
	case $? in
	0) ;;
	124 | 137) status=1; echo "not ok - $name: no end after $limit s" ;;
	*) status=1 ;;
	esac
	clear
	echo "# $name took $((SECONDS - begin)) s"
done
# A word that changes nothing, and is refused where kmemleak is off: a scan takes long.
if { echo stack=on >$kmemleak; } 2>/dev/null; then
	begin=$SECONDS
	found=$(leaked)
	echo "# two scans of kmemleak took $((SECONDS - begin)) s"
	echo "1..1"
	if [ -z "$found" ]; then
		echo "ok 1 - kmemleak finds nothing of the module"
	else
		echo "not ok 1 - kmemleak finds nothing of the module"
		head -n 60 <<<"$found" | sed 's/^/# /'
		status=1
	fi
fi
# The last of all has reloaded the module: what the device keeps at hand between kernels is gone too.
[ -n "$all" ] || exit $status
after=$(held)
echo "1..1"
# Caches that are used for the first time, and those of control groups, take a few MiB, once. A page or two for each of a thousand
# objects would show as much more than this.
if [ $((after - before)) -le 6144 ]; then
	echo "ok 1 - memory of the kernel before and after all tests: $before KiB, $after KiB"
else
	echo "not ok 1 - memory of the kernel before and after all tests: $before KiB, $after KiB"
	status=1
fi
exit $status
