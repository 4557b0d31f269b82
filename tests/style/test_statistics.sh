#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The table of statistics in docs/sysfs.md is that of uapi/vgpu_stats.h. `test_statistics.sh --print` prints it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

rows() { # LIST: its lines, and those of lists that it includes
	gcc -E -P -x c - <<C 2>/dev/null | tr '\n' ' ' | sed 's/@/\n/g' | sed -n 's/^ *\([a-z_0-9]*\) *"\(.*\)" *$/| `\1` | \2 |/p'
#include "uapi/vgpu_stats.h"
#define X(number, attribute, path, member, file, text) @file text
$1(X)
C
}

table() {
	printf '| device | |\n|---|---|\n'
	rows VGPU_DEVICE_STATS
	echo
	printf '\n| context | |\n|---|---|\n'
	rows VGPU_CONTEXT_STATS
	echo
}

[ "${1:-}" != --print ] || { table; exit; }
if [ "$(table | wc -l)" -gt 30 ] && diff <(sed -n '/^| device | |$/,/^$/p; /^| context | |$/,/^$/p' docs/sysfs.md | sed '/^$/d') \
	<(table | sed '/^$/d') >/tmp/statistics.$$; then
	echo "ok 1 - docs/sysfs.md has the statistics of uapi/vgpu_stats.h"
	status=0
else
	echo "not ok 1 - docs/sysfs.md has the statistics of uapi/vgpu_stats.h"
	sed 's/^/# /' /tmp/statistics.$$ 2>/dev/null | head -n 20
	status=1
fi
rm -f /tmp/statistics.$$
echo "1..1"
exit $status
