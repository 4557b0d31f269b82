# SPDX-License-Identifier: MIT
#
# Counters of run.sh (scheme,class,program,counter,value) against expected.csv: a verdict for each number, orderings, tables.
#
# usage: awk -f report.awk expected.csv runs.csv

function fail(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; failed = 1; exit 1 }
function has(s, p, c) { return (s, p, c) in value }
function of(s, p, c) { if (!has(s, p, c)) return 0; return value[s, p, c] }

function flits(s, p) {
	return of(s, p, "flits_load") + of(s, p, "flits_store") + of(s, p, "flits_atomic") + of(s, p, "flits_request") + \
	       of(s, p, "flits_renew") + of(s, p, "flits_invalidate") + of(s, p, "flits_recall")
}
function loads(s, p) { return of(s, p, "l1_hits") + of(s, p, "l1_misses") + of(s, p, "l1_merged") }
# memory instructions, wherever the memory is
function accesses(s, p,   n, k, where, how, sum) {
	split("global shared local generic", where, " "); split("load store atomic", how, " ")
	for (n = 1; n <= 4; n++) for (k = 1; k <= 3; k++) sum += of(s, p, "inst_" where[n] "_" how[k])
	return sum
}
function print_if(there, number) { if (there) printf " %.0f |", number; else printf " |" }
function stalled(s, p) { return accesses(s, p) ? of(s, p, "sc_stalls") / accesses(s, p) : -1 }

# Metric @m of scheme @s, over @o, in program @p; -1: there is none
function metric(m, s, o, p,   writes) {
	if (m == "speedup") return of(o, p, "duration_ps") / of(s, p, "duration_ps")
	# of the accesses that could be issued, but for others of their warp before them
	if (m == "stalls") return of(o, p, "sc_stall_cycles") ? of(s, p, "sc_stall_cycles") / of(o, p, "sc_stall_cycles") : -1
	if (m == "resolving") {
		if (!of(s, p, "sc_stalls") || !of(o, p, "sc_stalls")) return -1
		return of(s, p, "sc_stall_cycles") / of(s, p, "sc_stalls") / (of(o, p, "sc_stall_cycles") / of(o, p, "sc_stalls"))
	}
	if (m == "often_stalled") return stalled(s, p) < 0 ? -1 : stalled(s, p) > 0.2
	if (m == "share_behind_writes") return of(s, p, "sc_stall_cycles") ? of(s, p, "sc_stall_write_cycles") / of(s, p, "sc_stall_cycles") : -1
	if (m == "traffic") return flits(s, p) / flits(o, p)
	# a clock of 1.4 GHz (table 3.3); logical_time is that of the L1 that went farthest
	if (m == "cycles_of_a_unit") return of(s, p, "logical_time") ? of(s, p, "duration_ps") * 1.4e-3 / of(s, p, "logical_time") : -1
	if (m == "miss_rate") return 1 - of(s, p, "l1_hits") / loads(s, p)
	if (m == "expired") return of(o, p, "l1_expired") ? of(s, p, "l1_expired") / of(o, p, "l1_expired") : -1
	if (m == "expired_share") return of(s, p, "l1_expired") / loads(s, p)
	if (m == "premature") return of(s, p, "l1_expired") ? of(s, p, "l1_renewed") / of(s, p, "l1_expired") : -1
	# without renewal each of these answers would be a line: five flits, not one
	if (m == "renewal_traffic") return flits(s, p) / (flits(s, p) + 4 * of(s, p, "flits_renew"))
	if (m == "store_over_load") {
		writes = of(s, p, "stores") + of(s, p, "atomics")
		if (!writes || !loads(s, p)) return -1
		return (of(s, p, "store_cycles") + of(s, p, "atomic_cycles")) / writes / (of(s, p, "load_cycles") / loads(s, p))
	}
	fail("no metric " m)
}

# Over the programs of a group, of all, or of one: the geometric mean of quotients, the mean of shares, how many of those that are something. @error: its standard error
function mean(m, s, o, group,   n, p, x, sum, square, share) {
	share = m ~ /share|premature|miss_rate|often/
	count = 0; sum = 0; square = 0; most = 0
	for (n = 1; n <= programs; n++) {
		p = program[n]
		if ((group != class[p] && group != p && group != "all") || !has(s, p, "duration_ps") || (o != "-" && !has(o, p, "duration_ps"))) continue
		x = metric(m, s, o, p)
		if (x < 0) continue
		if (x > most) most = x
		if (!share) x = log(x > 0 ? x : 1e-9)
		count++; sum += x; square += x * x
	}
	error = 0
	if (!count) return -1
	if (m ~ /often/) return sum
	sum /= count
	square = square / count - sum * sum
	if (count > 1 && square > 0) error = sqrt(square / (count - 1))
	if (share) return sum
	error *= exp(sum)
	return exp(sum)
}

# As the other experiments do: an effect within a third of the one printed, and beyond its standard error; its direction; not
function judge(m, paper, ours, err,   effect, got) {
	if (paper == "above") return ours > 1 + err ? "yes" : "no"
	if (paper == "most") return ours > 0.5 ? "yes" : "no"
	if (paper ~ /^at most /) return ours <= substr(paper, 9) + 0 ? "yes" : "no"
	if (paper == "none") return ours < 0.02 ? "yes" : "no"
	if (m == "miss_rate") return ours > paper - 0.1 && ours < paper + 0.1 ? "yes" : "no"
	if (m == "cycles_of_a_unit") return ours > paper * 2 / 3 && ours < paper * 4 / 3 ? "yes" : "no"
	effect = paper - 1; got = ours - 1
	# nothing, or next to nothing
	if (effect > -0.04 && effect < 0.04) return got > effect - 0.05 && got < effect + 0.05 ? "yes" : "no"
	if (effect < 0) { effect = -effect; got = -got }
	if (got <= err) return "no"
	return got - effect <= effect / 3 && effect - got <= effect / 3 ? "yes" : "direction"
}

BEGIN { FS = "," }
/^#/ || !NF { next }
FILENAME ~ /expected/ {
	if (NF != 7) fail("7 fields")
	bars++; bar[bars] = $1; figure[bars] = $2; what[bars] = $3; scheme[bars] = $4; over[bars] = $5; group[bars] = $6; paper[bars] = $7
	next
}
{
	if (NF != 5) fail("5 fields")
	if (!($3 in class)) { program[++programs] = $3; class[$3] = $2 }
	if (!($1 in known)) { known[$1] = 1; name[++schemes] = $1 }
	value[$1, $3, $4] = $5
}
END {
	if (failed) exit 1
	print "| bar | figure | | programs | thesis | here | standard error | verdict |\n|---|---|---|---|---|---|---|---|"
	for (b = 1; b <= bars; b++) {
		ours = mean(what[b], scheme[b], over[b], group[b])
		if (!count) continue
		v = judge(what[b], paper[b], ours, error)
		verdicts[v]++
		printf "| %s | %s | %s of %s%s | %s | %s | %.2f | %.2f | %s |\n", bar[b], figure[b], what[b], scheme[b],
			over[b] == "-" ? "" : " over " over[b], group[b], paper[b], ours, error, v
	}
	printf "\n%d within a third, %d in the same direction, %d not.\n", verdicts["yes"], verdicts["direction"], verdicts["no"]
	print "\nTime of mesi divided by that of each:\n"
	printf "| program |"
	for (s = 1; s <= schemes; s++) printf " %s |", name[s]
	printf "\n|---|"
	for (s = 1; s <= schemes; s++) printf "---|"
	print ""
	for (n = 1; n <= programs; n++) {
		printf "| %s |", program[n]
		for (s = 1; s <= schemes; s++) printf " %.2f |", metric("speedup", name[s], "mesi", program[n])
		print ""
	}
	for (n = 1; n <= programs; n++) {
		p = program[n]
		if (class[p] != "inter") continue
		inters++
		below += metric("speedup", "tcs", "mesi", p) > 1
		above += metric("speedup", "rcc", "tcs", p) > 1
		most_ok += metric("speedup", "tcw", "rcc", p) >= 1
	}
	printf "\nOrder in programs between workgroups: MESI < TCS in %d of %d, TCS < RCC in %d, RCC <= TCW in %d.\n", below, inters, above, most_ok
	print "\nAccesses that stall for the order of their warp alone, in per cent; of the cycles of these, those behind stores and atomics; cycles of a stall:\n"
	print "| program | mesi | tcs | rcc | mesi: behind writes | tcs | rcc | mesi: cycles | tcs | rcc |\n|---|---|---|---|---|---|---|---|---|---|"
	split("mesi tcs rcc", cores, " ")
	for (n = 1; n <= programs; n++) {
		p = program[n]
		printf "| %s |", p
		for (k = 1; k <= 3; k++) printf " %.0f |", 100 * stalled(cores[k], p)
		for (k = 1; k <= 3; k++) print_if(of(cores[k], p, "sc_stalls"), 100 * metric("share_behind_writes", cores[k], "", p))
		for (k = 1; k <= 3; k++) print_if(of(cores[k], p, "sc_stalls"), of(cores[k], p, "sc_stall_cycles") / (of(cores[k], p, "sc_stalls") + 1e-9))
		print ""
	}
	print "\nTraffic of rcc by class, flits x hops in per cent of that of mesi:\n"
	print "| program | load | store | atomic | request | renew | invalidate | recall | mesi: invalidate, recall |\n|---|---|---|---|---|---|---|---|---|"
	split("load store atomic request renew invalidate recall", classes, " ")
	for (n = 1; n <= programs; n++) {
		p = program[n]
		printf "| %s |", p
		for (k = 1; k <= 7; k++) printf " %.0f |", 100 * of("rcc", p, "flits_" classes[k]) / flits("mesi", p)
		printf " %.0f |\n", 100 * (of("mesi", p, "flits_invalidate") + of("mesi", p, "flits_recall")) / flits("mesi", p)
	}
}
