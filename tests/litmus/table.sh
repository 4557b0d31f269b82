#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: tests/litmus/table.sh FOLDER    a table of what run.sh has seen there, in FOLDER/PROTOCOL.SC_CORE.seen
#
# Of each test: how many outcomes sequential consistency and PTX's axioms allow; for each protocol how many were seen, and of
# these, those that are not sequentially consistent.
set -u
cd "$(dirname "$0")/../.." || exit
folder=${1:?FOLDER}
build/litmus --allowed tests/litmus/*.litmus | awk '/^Test/ { sub(":", "", $2); print $2, $3, $5 }' >"$folder/allowed"
awk -v folder="$folder" '
FILENAME ~ /allowed$/ { tests[++count] = $1; sc[$1] = $2; ptx[$1] = $3; next }
FNR == 1 { n = split(FILENAME, part, "/"); split(part[n], name, "."); column = name[1] (name[2] ? ", sc_core" : ""); columns[++width] = column }
# the same outcome under two placements is one
!(($1, column, $3) in seen) { seen[$1, column, $3] = 1; all[$1, column]++; if ($5 != "sc") weak[$1, column]++ }
END {
	printf "| test | SC | PTX |"
	for (c = 1; c <= width; c++) printf " %s |", columns[c]
	printf "\n|---|---|---|"
	for (c = 1; c <= width; c++) printf "---|"
	print ""
	for (t = 1; t <= count; t++) {
		printf "| %s | %d | %d |", tests[t], sc[tests[t]], ptx[tests[t]]
		for (c = 1; c <= width; c++) {
			w = weak[tests[t], columns[c]]
			printf " %d%s |", all[tests[t], columns[c]], w ? " (" w ")" : ""
		}
		print ""
	}
}' "$folder/allowed" "$folder"/*.seen
