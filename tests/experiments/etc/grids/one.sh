#!/bin/bash
# SPDX-License-Identifier: MIT
#
# one.sh: runs one application of ETC with a part of the memory that it uses, and prints its line (main.cu).
# usage: BASE=KEY=VALUE,... SETTINGS=KEY=VALUE,... one.sh ETC APPLICATIONS SHARE NAME [--hint]
#   APPLICATIONS   what ETC --list has printed; SHARE: per cent of the managed memory; 100: more than all of them use
set -euo pipefail
program=$1 list=$2 share=$3 name=$4
shift 4
read -r managed other < <(awk -v name="$name" '$1 == name { print $3, $4 }' "$list") || { echo "one.sh: no application '$name' in $list" >&2; exit 2; }
bytes=$(((managed * share / 100 + other + 4095) / 4096 * 4096))
[ "$share" -ne 100 ] || bytes=4294967296
VGPU_SET=$BASE,vram_bytes=$bytes${SETTINGS:+,$SETTINGS} "$program" "$@" "$name" | tail -n 1
