# SPDX-License-Identifier: MIT
#
# Lines of the command pep, each behind the name of its variant of the device (main: as it is), against expected.csv: a verdict
# for each number, orderings, tables. Writes figures.csv and bars-*.csv into folder out for gnuplot.
#
# usage: awk -v out=FOLDER -f report.awk expected.csv runs.csv

function fail(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; failed = 1; exit 1 }

# A number of kernel or program @k
function add(metric, scheme, k, x) {
	sum[metric, scheme, k] += x
	times[metric, scheme, k]++
}
function of(metric, scheme, k) { return sum[metric, scheme, k] / times[metric, scheme, k] }

function in_group(k, group) {
	if (group == "all" || group == k) return k in block_us
	if (group == "long") return (k in block_us) && place[k] <= 9
	if (group == "short") return (k in block_us) && place[k] > 9
	if (group == "over 100 us") return (k in block_us) && block_us[k] > 100
	if (group == "programs") return !(k in block_us)
	return 0
}

# The mean over a group of the means of each; @error: its standard error, @count: how many
function mean(metric, scheme, group,   i, k, x, s, square) {
	count = 0
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (!in_group(k, group) || !((metric, scheme, k) in sum)) continue
		x = of(metric, scheme, k)
		count++; s += x; square += x * x
	}
	if (!count) return 0
	s /= count
	error = count > 1 ? sqrt((square / count - s * s > 0 ? square / count - s * s : 0) / (count - 1)) : 0
	return s
}

# A mean divided by another, of those that have both
function quotient(metric, a, metric_b, b, group,   i, k, x, y, sx, sy, r, e) {
	count = 0
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (!in_group(k, group) || !((metric, a, k) in sum) || !((metric_b, b, k) in sum)) continue
		count++; sx += of(metric, a, k); sy += of(metric_b, b, k)
	}
	if (!count || !sy) { count = 0; return 0 }
	r = sx / sy
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (!in_group(k, group) || !((metric, a, k) in sum) || !((metric_b, b, k) in sum)) continue
		x = of(metric, a, k) - r * of(metric_b, b, k)
		e += x * x
	}
	error = count > 1 ? sqrt(e / (count - 1) / count) / (sy / count) : 0
	return r
}

function number(metric, scheme, group) {
	if (scheme == "compiled") {
		if (metric == "dirty_over_initial") return quotient("dirty " group, "compiled", "dirty 25 %", "compiled", "programs")
		if (metric == "context_over_chimera") return quotient("written", "compiled", "context", "compiled", group)
		if (metric == "increment_over_base") return quotient("increment", "compiled", "base", "compiled", group)
	}
	if (metric == "latency_over_chimera") return quotient("latency", scheme, "latency", "chimera", group)
	if (metric == "context_over_chimera") return quotient("context", scheme, "context", "chimera", group)
	if (metric == "stall_over_chimera" && scheme == "base") return quotient("base stall", "pep", "stall", "chimera", group)
	if (metric == "stall_over_chimera") return quotient("stall", scheme, "stall", "chimera", group)
	if (metric == "stall_over_pep") return quotient("stall", scheme, "stall", "pep", group)
	if (metric == "increment_over_base") return quotient("increment", scheme, "base", scheme, group)
	if (metric == "latency_over_16_sms") return quotient("latency", "sms=32 " scheme, "latency", scheme, group)
	if (metric == "latency_us") return mean("latency", scheme, group)
	if (metric == "increment_kb") return mean("increment", scheme, group)
	return mean(metric, scheme, group)
}

# Effects are judged, where a number is a quotient; see docs/experiments-pep.md
function judge(metric, paper, ours, err,   effect, got, off) {
	off = ours > paper ? ours - paper : paper - ours
	if (metric ~ /late/ && metric ~ /share/) return off <= 0.01 ? "yes" : "no"
	if (metric ~ /share/) return off <= 0.1 ? "yes" : "no"
	if (metric ~ /_us$|_kb$/) return off <= (paper ? 0.2 * paper : 0.02) ? "yes" : "no"
	if (paper == 1) return off <= 0.02 ? "yes" : "no"
	effect = paper - 1
	got = ours - 1
	if (effect < 0) { effect = -effect; got = -got }
	if (got <= err) return "no"
	return (got - effect <= effect / 3 && effect - got <= effect / 3) ? "yes" : "direction"
}

function seen(k) { if (!(k in known)) { known[k] = 1; name[++names] = k } }

FILENAME ~ /expected/ && /^[^#]/ {
	if (split($0, f, ",") != 5 || f[5] !~ /^[0-9.]+$/) fail("five columns are needed: figure,metric,scheme,group,paper")
	expected[++expectations] = $0
	next
}
FILENAME ~ /expected/ { next }
/^[^,]*,kernel,/ {
	if (split($0, f, ",") != 4) fail("a line of a kernel has 4 columns")
	if (f[3] in block_us) next
	seen(f[3]); block_us[f[3]] = f[4]; place[f[3]] = ++kernels
	next
}
/^[^,]*,point,/ {
	if (split($0, f, ",") != 20) fail("a line of a point has 20 columns")
	k = f[3]; points++
	variant = f[1] == "main" ? "" : f[1] " "
	if (f[1] == "room") {
		add("latency", "room " f[5], k, f[9])
		if (f[12] == "two") { add("increment", "room " f[5], k, (f[14] - f[13]) / f[20] / 1024); add("base", "room " f[5], k, f[13] / f[20] / 1024) }
		if (!(f[5] in rooms)) { rooms[f[5]] = 1; room[++room_count] = f[5] }
		next
	}
	s = variant f[4]
	add("latency", s, k, f[9])
	add("latency", s " at " f[6], k, f[9])
	add("latency", s " launch " f[7], k, f[9])
	n_how = split("drain switch one two", how, " ")
	for (i = 1; i <= n_how; i++) {
		add("share_of_" how[i], s, k, f[12] == how[i])
		add("share_of_" how[i], s " launch " f[7], k, f[12] == how[i])
	}
	if (f[12] == "drain") next
	add("context", s, k, f[14] / f[20] / 1024)
	add("stall", s, k, f[10])
	if (f[18] > 0) add("estimate", s, k, f[19] / f[18])
	if (f[13] > 0) { add("base", s, k, f[13] / f[20] / 1024); add("base stall", s, k, f[11]) }
	if (f[12] == "two") add("increment", s, k, (f[14] - f[13]) / f[20] / 1024)
	next
}
/^[^,]*,late,/ {
	if (split($0, f, ",") != 15) fail("a line of deadlines has 15 columns")
	if (f[1] != "main") {
		for (i = 1; i <= 3; i++) add("share_late_" (5 * i) "_us", f[1] " " f[4], f[3], f[6 + i])
		add("lost", f[1] " " f[4], f[3], f[12])
		add("mean_us", f[1] " " f[4], f[3], f[10])
		if (!((f[1] " " f[4]) in ways)) { ways[f[1] " " f[4]] = 1; way[++way_count] = f[1] " " f[4] }
		next
	}
	s = f[4] (f[5] + 0 || f[4] ~ /flush|chimera/ ? " idempotent " f[5] : "")
	for (i = 1; i <= 3; i++) add("share_late_" (5 * i) "_us", s, f[3], f[6 + i])
	# what is known of Chimera's kernels is that some are idempotent: all three kinds alike
	for (i = 1; i <= 3; i++) add("share_late_" (5 * i) "_us", f[4], f[3], f[6 + i])
	add("lost", s, f[3], f[12]); add("lost", f[4], f[3], f[12]); add("mean_us", s, f[3], f[10])
	if (!(s in ways)) { ways[s] = 1; way[++way_count] = s }
	next
}
/^[^,]*,written,/ {
	if (split($0, f, ",") != 13) fail("a line of what is written has 13 columns")
	k = f[3]; seen(k)
	mean_us[k] = f[4]; registers[k] = f[6]; shared[k] = f[7]
	if (f[8] == 0 && f[9] == 250) whole[k] = f[10]
	# blocks have ended, and others have come
	if (f[12] < 0.9 * f[13] || f[13] < 0.9 * f[12] || !(k in whole)) next
	dirty = (f[11] - (whole[k] - f[6])) / f[6]
	if (f[8] == 0) { add("written", "compiled", k, f[11] / 1024); add("context", "compiled", k, whole[k] / 1024); add("base", "compiled", k, f[11] / 1024) }
	else if (f[8] == 250) add("dirty " (f[9] / 10) " %", "compiled", k, dirty)
	if (f[8] == 0 && f[9] == 250) add("dirty 25 %", "compiled", k, dirty)
	if (f[8] > 0 && f[9] - f[8] == 250) add("increment", "compiled", k, f[11] / 1024)
	next
}
/^[^,]*,split,/ {
	if (split($0, f, ",") != 9) fail("a line of split has 9 columns")
	if (f[4] > 0) add("switch of a block", f[4], "split", f[7] / f[4])
	if (f[8] > 0) add("drain of a block", f[4], "split", f[9])
	if (f[4] > most) most = f[4]
	next
}
/^[^,]*,estimate,/ {
	if (split($0, f, ",") != 10) fail("a line of estimates has 10 columns")
	seen(f[3])
	if (f[9] <= 0) next
	kind = f[6] && f[7] ? "both" : f[6] ? "drained" : "switched"
	add("real", kind, f[3], f[10] / f[9])
	next
}
{ fail("neither a point nor anything else") }

# @larger is more than @smaller, by half a per cent
function more(what, larger, smaller, there) {
	if (!there) return
	printf "| %s | %.3f > %.3f | %s |\n", what, larger, smaller, (larger > 1.005 * smaller ? "yes" : "no")
	if (larger > 1.005 * smaller) right++
	else wrong++
}
function ordered(what, metric, a, b, group,   x, y, there) {
	x = number(metric, a, group); there = count
	y = number(metric, b, group)
	more(what, x, y, there && count)
}
function cell(x, format) { return count ? sprintf(format, x) : "" }

END {
	if (failed) exit 1
	print "| figure | metric | scheme | group | paper | ours | ours of the paper's effect | verdict |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= expectations; i++) {
		split(expected[i], f, ",")
		x = number(f[2], f[3], f[4])
		if (!count) {
			printf "| %s | %s | %s | %s | %.3f | - | | not run |\n", f[1], f[2], f[3], f[4], f[5]
			missing++
			continue
		}
		verdict = judge(f[2], f[5], x, error)
		verdicts[verdict]++
		effects = f[2] ~ /_over_/ && f[5] != 1 ? sprintf("%.2f ± %.2f", (x - 1) / (f[5] - 1), error / (f[5] > 1 ? f[5] - 1 : 1 - f[5])) : ""
		printf "| %s | %s | %s | %s | %.3f | %.3f ± %.3f | %s | %s |\n", f[1], f[2], f[3], f[4], f[5], x, error, effects, verdict
	}
	printf "\n%d yes, %d of the right direction only, %d no, %d not run\n\n", verdicts["yes"], verdicts["direction"], verdicts["no"], missing

	print "| ordering | ours | |"
	print "|---|---|---|"
	ordered("4.10: chimera takes longer than chimera-dirty, long", "latency_us", "chimera", "chimera-dirty", "long")
	ordered("4.10: chimera-dirty takes longer than pep, long", "latency_us", "chimera-dirty", "pep", "long")
	ordered("4.10: pep takes longer than pep-in-place, long", "latency_us", "pep", "pep-in-place", "long")
	x = number("latency_us", "chimera", "short"); there = count
	y = number("latency_us", "pep", "short")
	if (there && count) more("4.9: chimera and pep take the same, short: less than 0.5 % apart", 1.01, 1 + (x > y ? x / y - 1 : y / x - 1), 1)
	for (i = 1; i <= names; i++)
		if (name[i] ~ /^(LBM|PF|ST)$/ && ("share_of_drain", "pep", name[i]) in sum) {
			x = of("share_of_drain", "pep", name[i])
			more("4.8: some of " name[i] " drain", x, 0, 1)
			more("4.8: some of " name[i] " are saved", 1, x, 1)
		}
	x = of_if("share_of_one", "pep", "LBM"); more("4.8: some of LBM have one checkpoint", x, 0, has)
	x = of_if("share_of_two", "pep", "LBM"); more("4.8: some of LBM have two checkpoints", x, 0, has)
	ordered("4.11: pep saves more than chimera-dirty", "context", "pep", "chimera-dirty", "long")
	ordered("4.11: pep saves more than pep-in-place", "context", "pep", "pep-in-place", "long")
	x = number("dirty_over_initial", "compiled", "50 %"); there = count
	y = number("dirty_over_initial", "compiled", "75 %"); more("4.5: fewer registers are dirty at 75 % than at 50 %", x, y, there && count)
	for (i = 1; i <= 2; i++) {
		k = i == 1 ? "LBM" : "ST"
		x = number("stall_over_chimera", "pep", k)
		more("4.15: pep saves more than half of the stall of " k, 0.5, x, count)
	}
	worst = 0
	for (i = 1; i <= names; i++)
		if (in_group(name[i], "long")) { x = number("stall_over_chimera", "pep", name[i]); if (count && x > worst) worst = x }
	more("4.15: some kernel stands longer with pep than with chimera", worst, 1, worst)
	x = number("latency_over_16_sms", "pep", "long"); more("4.14: with twice the SMs the long ones take more than twice as long", x, 2, count)
	x = mean("estimate", "chimera", "long"); more("4.5.2: k blocks that are switched take longer than was estimated for each", x, 1, count)
	x = mean("real", "drained", "programs"); more("4.5.2: blocks of compiled programs drain for longer than estimated", x, 1, count)
	x = mean("real", "both", "programs"); there = count; y = mean("real", "drained", "programs")
	more("4.5.2: estimates are worse where some drain and some are switched", x, y, there && count)
	if (most) {
		at = 0
		for (i = 2; i <= most; i++) at += of("switch of a block", i - 1, "split") > 1.005 * of("switch of a block", i, "split")
		more("4.3: a block of LBM is switched the faster, the more are: of " most - 1 " steps", at, most - 1.5, 1)
		more("4.3: one of nine that drains takes less than all nine", of("drain of a block", 0, "split"), of("drain of a block", most - 1, "split"), 1)
	}
	ordered("Chimera: drain is late more often than chimera, 15 us", "share_late_15_us", "drain", "chimera 15", "all")
	ordered("Chimera: switch is late more often than chimera, 15 us", "share_late_15_us", "switch", "chimera 15", "all")
	ordered("Chimera: drain loses more throughput than chimera", "lost", "drain", "chimera 15", "all")
	ordered("Chimera: switch loses more throughput than chimera", "lost", "switch", "chimera 15", "all")
	ordered("Chimera: flush loses more throughput than chimera", "lost", "flush", "chimera 15", "all")
	printf "\n%d orderings right, %d wrong\n\n", right, wrong

	table_of_kernels()
	table_of_choices()
	table_of_variants()
	table_of_rooms()
	table_of_deadlines()
	table_of_late()
	table_of_split()
	table_of_programs()
}

function of_if(metric, scheme, k) { has = ((metric, scheme, k) in sum); return has ? of(metric, scheme, k) : 0 }
function value(metric, scheme, k, format) { return (metric, scheme, k) in sum ? sprintf(format, of(metric, scheme, k)) : "" }

function table_of_kernels(   i, k, s, n, list) {
	n = split("chimera chimera-dirty pep pep-in-place", list, " ")
	print "Latency in us, means over the points:\n\n| kernel | block us | drain | switch | chimera | chimera-dirty | pep | pep-in-place |\n|---|---|---|---|---|---|---|---|"
	print "kernel,chimera,chimera-dirty,pep,pep-in-place" >(out "/latency.csv")
	print "kernel,drain,switch,one,two" >(out "/choices.csv")
	print "kernel,chimera,chimera-dirty,pep,pep-in-place" >(out "/context.csv")
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (!(k in block_us)) continue
		printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", k, block_us[k], value("latency", "drain", k, "%.2f"), value("latency", "switch", k, "%.2f"),
			value("latency", "chimera", k, "%.2f"), value("latency", "chimera-dirty", k, "%.2f"), value("latency", "pep", k, "%.2f"), value("latency", "pep-in-place", k, "%.2f")
		printf "%s", k >(out "/latency.csv")
		for (s = 1; s <= n; s++) printf ",%s", value("latency", list[s], k, "%.4f") >(out "/latency.csv")
		print "" >(out "/latency.csv")
		printf "%s,%s,%s,%s,%s\n", k, value("share_of_drain", "pep", k, "%.4f"), value("share_of_switch", "pep", k, "%.4f"), value("share_of_one", "pep", k, "%.4f"), value("share_of_two", "pep", k, "%.4f") >(out "/choices.csv")
		if (!in_group(k, "long")) continue
		printf "%s", k >(out "/context.csv")
		for (s = 1; s <= n; s++) printf ",%s", (("context", list[s], k) in sum ? of("context", list[s], k) : "NaN") >(out "/context.csv")
		print "" >(out "/context.csv")
	}
	print ""
}

function table_of_choices(   i, k) {
	print "What pep does (figure 4.8), shares of the 24 points, and the stall of an SM in us where blocks were saved (figure 4.15):\n\n| kernel | drain | no base, switch | one | two | chimera's stall | base | pep | pep-in-place |\n|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (!(("share_of_drain", "pep", k) in sum)) continue
		printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", k, value("share_of_drain", "pep", k, "%.2f"), value("share_of_switch", "pep", k, "%.2f"), value("share_of_one", "pep", k, "%.2f"),
			value("share_of_two", "pep", k, "%.2f"), value("stall", "chimera", k, "%.2f"), value("base stall", "pep", k, "%.2f"), value("stall", "pep", k, "%.2f"), value("stall", "pep-in-place", k, "%.2f")
	}
	print ""
}

function variant_row(what, v,   x, y) {
	x = mean("latency", v "chimera", "all"); if (!count) return
	printf "| %s | %.2f | %.2f | ", what, x, mean("latency", v "pep", "all")
	printf "%.2f | ", mean("latency", v "pep", "long")
	printf "%.3f | ", quotient("latency", v "chimera-dirty", "latency", v "chimera", "long")
	printf "%.3f | ", quotient("latency", v "pep", "latency", v "chimera", "long")
	printf "%.2f | %.2f | ", mean("latency", v "chimera", "short"), mean("latency", v "pep", "short")
	printf "%.3f | %.3f |\n", quotient("base stall", v "pep", "stall", v "chimera", "long"), quotient("stall", v "pep", "stall", v "chimera", "long")
}
function table_of_variants(   i, n, list) {
	print "Settings of the device:\n\n| | chimera us, all | pep us, all | long | chimera-dirty / chimera, long | pep / chimera, long | chimera us, short | pep us, short | base stall / chimera | pep stall / chimera |\n|---|---|---|---|---|---|---|---|---|---|"
	print "| the paper | 8.9 | 4.5 |  | 0.682 | 0.415 | 3.4 | 3.4 | 0.621 | 0.937 |"
	variant_row("as above", "")
	n = split("bandwidth=205.44;pipeline=0.31;both;printed;signal=0;run=0;blocks vary by a tenth;by three tenths;sms=32;sms=32 bandwidth=174", list, ";")
	for (i = 1; i <= n; i++) variant_row(list[i], list[i] " ")
	print ""
	print "Latency in us by parameter, and the share of two checkpoints of those over 100 us:\n\n| | all | long | short | two |\n|---|---|---|---|---|"
	for (i = 5; i <= 15; i += 5) point_row("chimera, deadline " i " us", "chimera at " i)
	for (i = 20; i <= 30; i += 10) point_row("pep, P " i " us", "pep at " i)
	for (i = 5; i <= 35; i += 10) point_row("pep, launch " i " us", "pep launch " i)
	point_row("pep-in-place, switches as printed", "printed pep-in-place")
	print ""
}
function point_row(what, s,   x) {
	x = mean("latency", s, "all"); if (!count) return
	printf "| %s | %.2f | %.2f | %.2f | ", what, x, mean("latency", s, "long"), mean("latency", s, "short")
	x = mean("share_of_two", s, "over 100 us")
	printf "%s |\n", cell(x, "%.2f")
}

function table_of_rooms(   i, s) {
	if (!room_count) return
	print "pep-in-place, by what the next kernel leaves free of an SM:\n\n| | latency us, all | latency / chimera, long | KS us | increment / base, long | increment KB |\n|---|---|---|---|---|---|"
	print "| the paper | 3.6 | 0.297 | 0 | 0.294 | 3.34 |"
	print "room,latency" >(out "/room.csv")
	for (i = 1; i <= room_count; i++) {
		s = "room " room[i]
		printf "| %s | %.2f | ", room[i], mean("latency", s, "all")
		printf "%.3f | ", quotient("latency", s, "latency", "chimera", "long")
		printf "%s | ", value("latency", s, "KS", "%.2f")
		printf "%.3f | %.2f |\n", quotient("increment", s, "base", s, "long"), mean("increment", s, "long")
		printf "%d,%.4f\n", room[i], quotient("latency", s, "latency", "chimera", "long") >(out "/room.csv")
	}
	x = mean("latency", "pep-in-place", "all")
	if (count) printf "| each other kernel | %.2f | %.3f | %s | %.3f | %.2f |\n", x, quotient("latency", "pep-in-place", "latency", "chimera", "long"),
		value("latency", "pep-in-place", "KS", "%.2f"), quotient("increment", "pep-in-place", "base", "pep-in-place", "long"), mean("increment", "pep-in-place", "long")
	print ""
}

function table_of_deadlines(   i, s) {
	if (!way_count) return
	print "Requests for an SM that are late, and throughput lost, means of the 16 kernels:\n\n| mechanism | idempotent | later than 5 us | 10 us | 15 us | mean us | lost |\n|---|---|---|---|---|---|---|"
	print "way,late5,late10,late15,lost" >(out "/deadlines.csv")
	for (i = 1; i <= way_count; i++) {
		s = way[i]
		printf "| %s | %s | %.2f %% | %.2f %% | %.2f %% | %.2f | %.2f %% |\n", (s ~ / idem/ ? substr(s, 1, index(s, " idem") - 1) : s), (s ~ / idem/ ? substr(s, index(s, "nt ") + 3) : s ~ /=/ ? "all three" : "any"),
			100 * mean("share_late_5_us", s, "all"), 100 * mean("share_late_10_us", s, "all"), 100 * mean("share_late_15_us", s, "all"), mean("mean_us", s, "all"), 100 * mean("lost", s, "all")
		if (s ~ /=/) continue
		sub(/ idempotent/, "", s)
		printf "%s,%.4f,%.4f,%.4f,%.4f\n", s, mean("share_late_5_us", way[i], "all"), mean("share_late_10_us", way[i], "all"), mean("share_late_15_us", way[i], "all"), mean("lost", way[i], "all") >(out "/deadlines.csv")
	}
	print ""
}

function table_of_split(   i) {
	if (!most) return
	print "Of nine blocks of LBM on an SM some are switched, and the others drain (figure 4.3), us:\n\n| switched | a block's switch | a block's drain |\n|---|---|---|"
	print "switched,switch,drain" >(out "/split.csv")
	for (i = 0; i <= most; i++) {
		printf "| %d | %s | %s |\n", i, value("switch of a block", i, "split", "%.2f"), value("drain of a block", i, "split", "%.2f")
		printf "%d,%s,%s\n", i, (("switch of a block", i, "split") in sum ? of("switch of a block", i, "split") : "NaN"),
			(("drain of a block", i, "split") in sum ? of("drain of a block", i, "split") : "NaN") >(out "/split.csv")
	}
	print ""
}

function table_of_late(   i, list) {
	if (!way_count) return
	print "The kernels of which SMs are late with chimera and 15 us:\n\n| kernel | late | the same with 448 GB/s |\n|---|---|---|"
	for (i = 1; i <= names; i++)
		if (("share_late_15_us", "chimera 15", name[i]) in sum && of("share_late_15_us", "chimera 15", name[i]) > 0)
			printf "| %s | %.2f %% | %s |\n", name[i], 100 * of("share_late_15_us", "chimera 15", name[i]),
				(("share_late_15_us", "bandwidth=448 chimera 15", name[i]) in sum ? sprintf("%.2f %%", 100 * of("share_late_15_us", "bandwidth=448 chimera 15", name[i])) : "")
	print ""
}

function table_of_programs(   i, k) {
	print "Compiled programs: registers that a block has written, of all it has, and Chimera's estimates, real by estimated:\n\n| program | block us | registers KB | in the first 25 % | 25 to 50 % | 25 to 75 % | context written | drained | switched | both |\n|---|---|---|---|---|---|---|---|---|---|"
	print "program,initial,dirty1,dirty2" >(out "/dirty.csv")
	for (i = 1; i <= names; i++) {
		k = name[i]
		if (k in block_us) continue
		printf "| %s | %.1f | %.1f | %s | %s | %s | %s | %s | %s | %s |\n", k, mean_us[k], registers[k] / 1024, value("dirty 25 %", "compiled", k, "%.2f"), value("dirty 50 %", "compiled", k, "%.2f"),
			value("dirty 75 %", "compiled", k, "%.2f"), (("written", "compiled", k) in sum ? sprintf("%.2f", of("written", "compiled", k) / of("context", "compiled", k)) : ""),
			value("real", "drained", k, "%.2f"), value("real", "switched", k, "%.2f"), value("real", "both", k, "%.2f")
		printf "%s,%s,%s,%s\n", k, nan("dirty 25 %", k), nan("dirty 50 %", k), nan("dirty 75 %", k) >(out "/dirty.csv")
	}
	print ""
}
function nan(metric, k) { return (metric, "compiled", k) in sum ? of(metric, "compiled", k) : "NaN" }
