# SPDX-License-Identifier: MIT
#
# line.awk: of vgpu-sim's table the columns of ppq.csv or dss.csv.
# usage: awk -v study=ppq|dss -f line.awk
$1 == "urgent" { alone = $4 - 617; together = $5 - 617 }
$1 == "pager" { pager = $4 "," $5 "," $6 "," $8 }
$1 ~ /^plain/ { plain += $6 / 3 }
$1 == "ANTT" { fairness = $6 }
$1 == "preemptions" {
	gsub(/[,;]/, "")
	latency = $2 "," $8 "," $10
}
END {
	if (study == "ppq" && alone) printf "%.3f,%.3f,%.4f,%s\n", alone, together, together / alone, latency
	else if (study == "dss") printf "%s,%.4f,%s,%s\n", pager, plain, fairness, latency
}
