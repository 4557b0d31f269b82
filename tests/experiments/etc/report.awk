# SPDX-License-Identifier: MIT
#
# report.awk: tables of one run of run.sh. Files: expected.csv, runs.csv: SHARE,REMEDY,NAME,CLASS,MS,FAULTS,EVICTED,AHEAD,REFAULTS,
# THROTTLES,FOUND,LINES,PAGES,SHARING,VRAM,OVERFLOWS,EXCEPTIONS,HITS,MISSES; most: ms of what was cut off. Performance is 1 / time. Verdicts: yes: within a third of the effect that the thesis gives, or within
# 0.1 of none; where only the sign is given: it is that, and the effect is larger than its standard error. direction: the sign is right and the effect is larger than its standard error; no: neither.
BEGIN { FS = ","; kinds = split("baseline pe mt simple cc pecc mtcc etc hint", order, " ") }
/^#/ { next }
FILENAME ~ /expected/ { bars++; bar[bars] = $1; class[bars] = $2; share[bars] = $3; remedy[bars] = $4; over[bars] = $5; effect[bars] = $6; only[bars] = $7; what[bars] = $8; next }
{
	time[$3, $1, $2] = $5 == "cut" ? most : $5
	cut[$3, $1, $2] = $5 == "cut"
	is[$3] = $4
	evicted[$3, $1, $2] = $7
	refaults[$3, $1, $2] = $9
	if ($2 == "etc") { found[$3, $1] = $11; lines[$3] = $12; pages[$3] = $13; shares_data[$3, $1] = $14 }
	if ($2 == "cc" && $1 == 100 && $15) { ratio[$3] = $15; overflows[$3] = $16; missed[$3] = $19 / ($18 + $19 + !$19) }
	if ($1 != 100) shares[$1] = 1
}
function perf(name, s, r) { return r == "unlimited" ? 1 / time[name, 100, r] : 1 / time[name, s, r] }
function has(name, s, r) { return (name, r == "unlimited" ? 100 : s, r) in time }
# What bar @b compares
function value(b, name, s, r) { return what[b] == "evicted" ? evicted[name, r == "unlimited" ? 100 : s, r] : perf(name, s, r) }
function number(x) { return sprintf("%.2f", x) }
END {
	names = "2dconv 3dconv sad corr covar fdtd lps lud srad cons scan atax bicg gesummv mvt graph"
	count = split(names, name, " ")
	for (s = 75; s >= 50; s -= 25) {
		if (!(s in shares)) continue
		printf "Performance with memory for %d %%, over that with enough\n\n| application | class | found | shares data | lines | pages | baseline | PE | MT | simple throttle | CC | PE+CC | MT+CC | ETC | ETC, hint |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", s
		for (n = 1; n <= count; n++) {
			if (!((name[n], s, "baseline") in time)) continue
			printf "| %s | %s | %s | %s | %s | %s |", name[n], is[name[n]], found[name[n], s] == 1 ? "regular" : found[name[n], s] == 2 ? "irregular" : "not yet", shares_data[name[n], s] == 1 ? "found" : "no", lines[name[n]], pages[name[n]]
			for (r = 1; r <= kinds; r++)
				if (!((name[n], s, order[r]) in time)) printf " |"
				else printf " %s%s |", cut[name[n], s, order[r]] ? "< " : "", number(perf(name[n], s, order[r]) / perf(name[n], 100, "unlimited"))
			printf "\n"
		}
		printf "\n"
	}
	printf "Compression with enough memory\n\n| application | class | performance | compressed to | overflows of pages | misses of metadata |\n|---|---|---|---|---|---|\n"
	for (n = 1; n <= count; n++)
		if (((name[n], 100, "cc") in time) && (name[n] in ratio))
			printf "| %s | %s | %s | %.2f | %d | %.3f |\n", name[n], is[name[n]], number(perf(name[n], 100, "cc") / perf(name[n], 100, "unlimited")), ratio[name[n]], overflows[name[n]], missed[name[n]]
	printf "\n"
	printf "| bar | class | memory | remedy over | paper | ours | verdict |\n|---|---|---|---|---|---|---|\n"
	for (b = 1; b <= bars; b++) {
		sum = square = got = 0
		for (s = 50; s <= 100; s += 25)
			for (n = 1; n <= count; n++) {
				if ((share[b] ? s != share[b] : s == 100) || (only[b] != "" && name[n] != only[b]) || (class[b] != "all" && is[name[n]] != class[b]) || name[n] == "graph" || !has(name[n], s, remedy[b]) || !has(name[n], s, over[b])) continue
				if (!value(b, name[n], s, over[b])) continue
				x = value(b, name[n], s, remedy[b]) / value(b, name[n], s, over[b]) - 1
				sum += x; square += x * x; got++
			}
		if (!got) continue
		mean = sum / got
		error = got > 1 ? sqrt((square / got - mean * mean) / (got - 1)) : 0
		if (effect[b] == "0") verdict = mean > -0.1 && mean < 0.1 ? "yes" : "no"
		else if (effect[b] == "-") verdict = mean < -error ? "yes" : "no"
		else if (effect[b] == "+") verdict = mean > error ? "yes" : "no"
		else if ((mean - effect[b]) ^ 2 <= (effect[b] / 3) ^ 2) verdict = "yes"
		else if (mean * effect[b] > 0 && mean * mean > error * error) verdict = "direction"
		else verdict = "no"
		printf "| %s | %s | %s | %s%s / %s | %s | %+.3f ± %.3f | %s |\n", bar[b], only[b] != "" ? only[b] : class[b], share[b] ? share[b] " %" : "both", what[b] != "" ? what[b] " of " : "", remedy[b], over[b], effect[b] == "-" ? "below" : effect[b] == "+" ? "above" : sprintf("%+.3f", effect[b]), mean, error, verdict
	}
}
