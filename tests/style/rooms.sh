#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which room includes which, of a tree of C files: one line "FROM TO FILE INCLUDED" an include of our own. Rooms are the
# folders below sim-device/ and kmod/; a header that lies in sim-device/ itself is a room of its own.
#
# usage: rooms.sh [--dot]   --dot: a graph for graphviz, an edge a pair of rooms
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

includes() {
	grep -rn --include='*.[ch]' '^#include "' sim-device kmod | while IFS=: read -r file _ line; do
		name=${line#*\"} name=${name%%\"*}
		for base in "${file%/*}" . sim-device kmod uapi; do
			[ -e "$base/$name" ] && break
		done
		[ -e "$base/$name" ] || continue
		target=$(realpath --relative-to=. "$base/$name")
		echo "$(room "$file") $(room "$target") $file $target"
	done
}

room() { # FILE
	case $1 in
	sim-device/*/*) local rest=${1#sim-device/} && echo "${rest%%/*}" ;;
	sim-device/*) basename "$1" ;;
	kmod/*/*) local rest=${1#kmod/} && echo "kmod/${rest%%/*}" ;;
	*) echo "${1%%/*}" ;;
	esac
}

if [ "${1:-}" = --dot ]; then
	echo "digraph rooms {"
	includes | awk '$1 != $2 { print "\t\"" $1 "\" -> \"" $2 "\";" }' | sort -u
	echo "}"
else
	includes
fi
