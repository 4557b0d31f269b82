#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The table of counters in docs/statistics.md is that of uapi/vgpu_count.h. `test_counters.sh --print` prints it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

rows() {
	gcc -E -P -x c - <<C 2>/dev/null | tr '\n' ' ' | sed 's/@/\n/g' |
#include "uapi/vgpu_count.h"
#define X(NAME, name, needs, metric, text) @name | needs | metric | text
VGPU_COUNTERS(X)
C
		sed -n 's/^ *\([a-z_0-9]*\) *| \([A-Z_0-9]*\) | "\(.*\)" | "\(.*\)" *$/\1|\2|\3|\4/p' |
		awk -F'|' '{
			printf "| `%s` | %s | %s | %s |\n", $1, $2 == "ALWAYS" ? "" : tolower($2),
				$3 == "" ? "" : "`" $3 "`", $4
		}'
}

table() {
	printf '| counter | needs | Nsight Compute | |\n|---|---|---|---|\n'
	rows
}

[ "${1:-}" != --print ] || { table; exit; }
wanted=$(table)
found=$(sed -n '/^| counter | needs/,/^$/p' docs/statistics.md | sed '/^$/d')
echo "1..1"
if [ "$(wc -l <<<"$wanted")" -gt 50 ] && [ "$wanted" = "$found" ]; then
	echo "ok 1 - docs/statistics.md has the counters of uapi/vgpu_count.h"
	exit 0
fi
echo "not ok 1 - docs/statistics.md has the counters of uapi/vgpu_count.h"
diff <(echo "$wanted") <(echo "$found") | head -n 20 | sed 's/^/# /'
exit 1
