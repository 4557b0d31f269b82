# SPDX-License-Identifier: MIT
#
# report.awk: tables of ppq.csv and dss.csv as Markdown, and what figures.gp draws, in folder `out'.
# usage: awk -v out=FOLDER -f report.awk ppq.csv dss.csv
BEGIN {
	FS = ","
	split("nvlink pcie new new-gpu", ways, " ")
	split("0 1/8 1/2 2 8", rates, " ")
	title["nvlink"] = "data, NVLink"
	title["pcie"] = "data, PCI Express"
	title["new"] = "no data, host"
	title["new-gpu"] = "no data, SMs"
	hows["stall,switch"]; hows["preemptible,switch"]; hows["preemptible,drain"]
}

FNR == 1 { file++; next }

file == 1 {
	key = $1 "," $2 "," $3 "," $4 "," $5 "," $6
	if (NF != 12 || $9 !~ /^[0-9.]+$/) broken(FILENAME)
	ntt[key] = $9
	p50[key] = $11
	p99[key] = $12
}

file == 2 {
	key = $1 "," $2 "," $3 "," $4
	if (NF != 13 || $10 !~ /^[0-9.]+$/) broken(FILENAME)
	alone[key] = $5
	together[key] = $6
	pager[key] = $7
	sms[key] = $8
	plain[key] = $9
	fairness[key] = $10
	taken[key] = $12
	most[key] = $13
}

function broken(name) {
	printf "%s:%d: %s\n", name, FNR, $0 >"/dev/stderr"
	failed = 1
	exit 1
}

# What was not run is left out.
function ppq_row(way, rate, n, who, first,   key, h, text, part) {
	key = way "," rate
	text = first
	for (h = 1; h <= 3; h++) {
		part = key "," (h == 1 ? "stall,switch" : h == 2 ? "preemptible,switch" : "preemptible,drain") "," n "," who
		if (!(part in ntt)) return
		text = text sprintf(" | %.2f | %.1f | %.1f", ntt[part], p50[part], p99[part])
	}
	print text " |"
}

function ppq_head(first, under) {
	print "| " first " | switch, stall: NTT | p50 us | p99 us | switch, preemptible: NTT | p50 us | p99 us | drain: NTT | p50 us | p99 us |"
	print "|" under "---|---|---|---|---|---|---|---|---|"
}

function dss_row(way, rate,   h, key, text, pre) {
	pre = "| " title[way] " | " rate " | "
	for (h = 1; h <= 4; h++) {
		key = way "," rate "," (h == 1 ? "stall,switch" : h == 2 ? "preemptible,switch" : h == 3 ? "switching,switch" : "preemptible,drain")
		if (!(key in plain)) continue
		printf "%s%s | %.0f | %.0f | %.2f | %s | %.2f | %.3f | %.1f | %.1f |\n", pre, \
			h == 1 ? "switch, stall" : h == 2 ? "switch, preemptible" : h == 3 ? "switch, block switching" : "drain", \
			alone[key], together[key], pager[key], sms[key], plain[key], fairness[key], taken[key], most[key]
	}
}

# For each rate what the three or four ways of an SM give.
function figure(name, way, value, n,   r, h, key, text, columns) {
	columns = n ? "switch; stall,switch; preemptible,drain" : "switch; stall,switch; preemptible,block switching,drain"
	print "faults," columns >name
	for (r = 1; r in rates; r++) {
		text = rates[r]
		for (h = 1; h <= (n ? 3 : 4); h++) {
			key = h == 1 ? "stall,switch" : h == 2 ? "preemptible,switch" : (!n && h == 3) ? "switching,switch" : "preemptible,drain"
			key = way "," rates[r] "," key (n ? "," n ",all" : "")
			text = text "," ((key in value) ? value[key] : "NaN")
		}
		print text >name
	}
	close(name)
}

END {
	if (failed) exit 1
	print "### PPQ: three other processes, all of which page\n"
	ppq_head("faults | a block", "---|---|")
	for (w = 1; w in ways; w++)
		for (r = 1; r in rates; r++)
			ppq_row(ways[w], rates[r], 3, "all", "| " title[ways[w]] " | " rates[r])
	print "\n### PPQ: 8 faults a block, PCI Express, so many other processes\n"
	ppq_head("others | that page", "---|---|")
	for (n = 1; n <= 7; n += 1) {
		ppq_row("pcie", "8", n, "one", "| " n " | one")
		ppq_row("pcie", "8", n, "all", "| " n " | all")
	}
	print "\n### DSS: one process of four pages\n"
	print "| faults | a block | mechanism | pager alone us | pager us | pager NTT | its share of SM time | NTT of the others | fairness | p50 us | p99 us |"
	print "|---|---|---|---|---|---|---|---|---|---|---|"
	for (w = 1; w in ways; w++)
		for (r = 1; r in rates; r++)
			dss_row(ways[w], rates[r])
	for (w = 1; w in ways; w++) {
		figure(out "/ppq-" ways[w] ".csv", ways[w], ntt, 3)
		figure(out "/dss-" ways[w] ".csv", ways[w], plain, 0)
	}
}
