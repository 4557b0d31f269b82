#!/bin/bash
# SPDX-License-Identifier: MIT
#
# compare.sh: which runs of two recordings (record.sh) differ. Exit status 1 when any does.
#
# usage: compare.sh OLD NEW
set -euo pipefail
if [ $# -ne 2 ] || [ ! -r "$1" ] || [ ! -r "$2" ]; then
	echo "usage: compare.sh OLD NEW, both written by record.sh" >&2
	exit 2
fi
awk '
	{ sum = $1; name = $0; sub(/^[^ ]+ +/, "", name) }
	NR == FNR { old[name] = sum; next }
	!(name in old) { print "new: " name; news++; next }
	old[name] != sum { print "differs: " name (old[name] == "varies" || sum == "varies" ? " (varies in one of them)" : ""); wrong++ }
	{ if (old[name] == sum) same++; delete old[name] }
	END {
		for (name in old) { print "missing: " name; wrong++ }
		printf "%d runs the same, %d not, %d new\n", same, wrong, news
		exit wrong > 0
	}' "$1" "$2"
