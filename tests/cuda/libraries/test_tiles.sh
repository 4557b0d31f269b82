#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tile that a product is computed by is the one that the preset's table says (runtime/libraries/cublas/tuning.cu), and the bytes of
# the results are the same by all of them.
#
# usage: test_tiles.sh		build/cuda has the built programs
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded
program=build/cuda/libraries/cublas/tiles
[ -x $program ] || { echo "1..0 # no program is built: make cuda-programs"; exit 4; }
count=0 failed=0 first=''

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - tiles: $1"; else echo "not ok $count - tiles: $1: $3"; failed=1; fi
}

# The first product, floats of 512 times 512, is computed by this tile: rows of a lane, columns of a warp, warps, depth.
chooses() { # PRESET SETTINGS TILE
	VGPU_PRESET=$1 VGPU_SET=$2 VGPU_STATS=$dir/stats.csv $program >"$dir/said" 2>&1
	ok "$1${2:+ with $2} verified" $? "$(tail -n 1 "$dir/said")"
	sum=$(sed -n 's/^tiles: checksum //p' "$dir/said")
	first=${first:-$sum}
	[ -n "$sum" ] && [ "$sum" = "$first" ]
	ok "$1${2:+ with $2} has the bytes of the others" $? "$sum, not $first"
	tile=$(sed -n 's/^launch,1,.*product_kernelIffff.*4tileILi\([0-9]*\)ELi\([0-9]*\)ELi\([0-9]*\)ELi\([0-9]*\)E.*/\1 \2 \3 \4/p' "$dir/stats.csv")
	[ "$tile" = "$3" ]
	ok "$1${2:+ with $2} chooses tile $3" $? "'$tile'"
}

# By hand from the table: of the small, the middle and the large tiles there are 512, 128 and 32, so in each SM ceil(512 / SMs) and so on.
chooses v100 '' '2 4 8 16'		# 7, 2, 1: 466, 256, 436
chooses v100 sms=8 '4 8 8 32'		# 64, 16, 4: 2803, 1778, 1182
chooses v100 sms=500 '1 2 8 16'		# 2, 1, 1: 150, 212, 436
chooses a100 '' '2 4 8 16'		# 108 SMs: 5, 2, 1: 434, 318, 549
chooses h100 '' '2 4 8 16'		# 132 SMs: 4, 1, 1: 267, 197, 387
chooses k20c '' '4 8 8 32'		# 40, 10, 3: 3356, 2331, 2206
chooses gtx980 '' '4 8 8 32'		# 32, 8, 2: 1579, 1129, 608
chooses tanasic-ch6 '' '4 8 8 32'	# no row: v100's, 16 SMs: 32, 8, 2: 1491, 910, 587
echo "1..$count"
exit $failed
