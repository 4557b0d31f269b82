# SPDX-License-Identifier: MIT
#
# report.awk: figures of SMK from the lines of runs (smk --csv), and the verdict.
# usage: awk -v out=FOLDER -v table2=table2.csv -f report.awk expected.csv runs.csv     prints the verdict in Markdown; FOLDER gets figures.csv, and for gnuplot
#        bars-*.csv (groups), pairs.csv (STP of each pair by policy), stalls.csv (figure 14)
#
# A number of the paper is judged by its effect, as in chapter 5: of STP, ANTT and quotients what they differ from 1 by.
#   yes        within a third of the paper's effect; fairness, which lies between 0 and 1: within 0.1
#   direction  it has the paper's sign, and is more than its standard error
#   no         neither
# An ordering needs a difference of half a per cent.

function fail(text) { print "report.awk: " FILENAME ":" FNR ": " text >"/dev/stderr"; failed = 1; exit 1 }

# A value of one mix is in group @group of @figures; sums for means and for quotients of means
function add(metric, policy, group, mix, x) {
	value[metric, policy, group, mix] = x
	if (!((group, mix) in member)) { member[group, mix] = 1; mixes[group, ++size[group]] = mix }
}

function mean(metric, policy, group,   i, n, x, sum, squares) {
	n = sum = squares = 0
	for (i = 1; i <= size[group]; i++) {
		if (!((metric, policy, group, mixes[group, i]) in value)) continue
		x = value[metric, policy, group, mixes[group, i]]
		n++; sum += x; squares += x * x
	}
	count = n
	error = n > 1 ? (squares - sum * sum / n) / (n - 1) / n : 0
	error = error > 0 ? sqrt(error) : 0
	return n ? sum / n : 0
}

# Mean of @policy divided by that of @other, over mixes that have both; the error is that of a quotient of means
function quotient(metric, policy, other, group,   i, n, a, b, x, y, r, squares) {
	n = a = b = squares = 0
	for (i = 1; i <= size[group]; i++) {
		if (!((metric, policy, group, mixes[group, i]) in value) || !((metric, other, group, mixes[group, i]) in value)) continue
		n++
		a += value[metric, policy, group, mixes[group, i]]
		b += value[metric, other, group, mixes[group, i]]
	}
	count = n
	error = 0
	if (!n || !b) { count = 0; return 0 }
	r = a / b
	for (i = 1; i <= size[group]; i++) {
		if (!((metric, policy, group, mixes[group, i]) in value) || !((metric, other, group, mixes[group, i]) in value)) continue
		x = value[metric, other, group, mixes[group, i]]
		y = value[metric, policy, group, mixes[group, i]]
		squares += (y - r * x) ^ 2
	}
	if (n > 1) error = sqrt(squares / n / (n - 1)) / (b / n)
	return r
}

function extreme(metric, policy, other, group, largest,   i, x, best) {
	count = error = 0
	for (i = 1; i <= size[group]; i++) {
		if (!((metric, policy, group, mixes[group, i]) in value) || !((metric, other, group, mixes[group, i]) in value)) continue
		x = value[metric, policy, group, mixes[group, i]] / value[metric, other, group, mixes[group, i]]
		if (!count++ || (largest ? x > best : x < best)) best = x
	}
	return best
}

# A number by the name that it has in expected.csv; count: of how many mixes
function number(metric, policy, group) {
	if (metric ~ /^largest_.*_over_spart$/) return extreme(substr(metric, 9, length(metric) - 19), policy, "spart", group, 1)
	if (metric ~ /^least_.*_over_spart$/) return extreme(substr(metric, 7, length(metric) - 17), policy, "spart", group, 0)
	if (metric ~ /_over_spart$/) return quotient(substr(metric, 1, length(metric) - 11), policy, "spart", group)
	if (metric ~ /_over_ideal$/) return quotient(substr(metric, 1, length(metric) - 11), policy "-ideal", policy, group)
	return mean(metric, policy, group)
}

function judge(metric, paper, ours, err,   effect, got) {
	if (metric ~ /fairness$/) return (ours - paper <= 0.1 && paper - ours <= 0.1) ? "yes" : "no"
	effect = paper - 1
	got = ours - 1
	if (effect < 0) { effect = -effect; got = -got }
	if (got <= err) return "no"
	return (got - effect <= effect / 3 && effect - got <= effect / 3) ? "yes" : "direction"
}

function swapped(mix,   at) { at = index(mix, "+"); return substr(mix, at + 1) "+" substr(mix, 1, at - 1) }

FILENAME ~ /expected/ && /^[^#]/ {
	if (split($0, f, ",") != 5 || f[5] !~ /^[0-9.]+$/) fail("five columns are needed: figure,metric,policy,group,paper")
	expected[++expectations] = $0
	next
}
/^mix,/ {
	if (split($0, f, ",") != 14) fail("a line of a mix has 14 columns")
	small = sub(/^small /, "", f[2])
	if (f[3] == "alone") {
		if (!small) { alone_stalls[f[2]] = f[10] + f[11] + f[12]; l1[f[2]] = f[13]; l2[f[2]] = f[14] }
		next
	}
	groups = small ? "small" : f[5] > 2 ? f[5] : f[4] == "CM" ? "C+M all" : f[4] == "C" ? "C+C all" : "M+M all"
	groups = groups " " f[2] (small || f[5] > 2 ? "" : " " swapped(f[2]))
	if (small) groups = "small"
	if (!small && f[5] == 2 && !(f[2] in seen)) { seen[f[2]] = 1; pair[++pairs] = f[2]; class[f[2]] = f[4] == "CM" ? "C+M" : f[4] == "C" ? "C+C" : "M+M" }
	n = split(groups, of, " ")
	for (i = 1; i <= n; i++) {
		add("stp", f[3], of[i], f[2], f[6])
		add("antt", f[3], of[i], f[2], f[7])
		add("fairness", f[3], of[i], f[2], f[8])
		add("resource_fairness", f[3], of[i], f[2], f[9])
		add("issue_stalls", f[3], of[i], f[2], f[10])
		add("control_stalls", f[3], of[i], f[2], f[11])
		add("data_stalls", f[3], of[i], f[2], f[12])
		add("stalls", f[3], of[i], f[2], f[10] + f[11] + f[12])
	}
	if (!(f[3] in policy_seen)) { policy_seen[f[3]] = 1; policy[++policies] = f[3] }
	next
}
/^run,/ {
	if (split($0, f, ",") != 15) fail("a line of a run has 15 columns")
	if (f[3] == "alone" && f[2] !~ /^small / && !(f[4] in registers)) {
		program[++alone] = f[4]
		registers[f[4]] = f[12]; shared[f[4]] = f[13]; threads[f[4]] = f[14]
		issued[f[4]] = f[7]; ipc[f[4]] = f[6] / f[5]; cycles[f[4]] = f[5]
	}
}

function figure_row(figure, metric, policy, group,   x) {
	x = number(metric, policy, group)
	if (count) printf "%s,%s,%s,%s,%.4f,%.4f,%d\n", figure, metric, policy, group, x, error, count >(out "/figures.csv")
}

# @larger is more than @smaller, by half a per cent
function more(what, larger, smaller, known) {
	if (!known) return
	printf "| %s | %.3f > %.3f | %s |\n", what, larger, smaller, (larger > 1.005 * smaller ? "yes" : "no")
	if (larger > 1.005 * smaller) right++
	else wrong++
}
function ordered(what, metric, a, b, group,   x, y, known) {
	x = mean(metric, a, group); known = count
	y = mean(metric, b, group)
	more(what, x, y, known && count)
}

END {
	if (failed) exit 1
	print "figure,metric,policy,group,value,error,mixes" >(out "/figures.csv")
	ngroups = split("C+M C+C M+M all 3 4 small", group_name, " ")
	nmetrics = split("stp antt fairness resource_fairness", metric_name, " ")
	for (g = 1; g <= ngroups; g++)
		for (m = 1; m <= nmetrics; m++)
			for (p = 1; p <= policies; p++)
				figure_row(group_name[g] == "small" ? "16" : group_name[g] ~ /^[34]$/ ? "15" : policy[p] == "spart" ? "12" : "10",
					metric_name[m], policy[p], group_name[g])
	# what gnuplot draws as clusters of bars: a line for each group, a column for each policy
	nb = split("smk smk-p smk-pw spart smk-pw-2 smk-pw-ideal spart-ideal", bar, " ")
	for (m = 1; m <= 3; m++) {
		file = out "/bars-" metric_name[m] ".csv"
		printf "group" >file
		for (p = 1; p <= nb; p++) printf ",%s", bar[p] >file
		print "" >file
		for (g = 1; g <= ngroups; g++) {
			printf "%s", group_name[g] ~ /^[34]$/ ? group_name[g] " kernels" : group_name[g] >file
			for (p = 1; p <= nb; p++) {
				x = mean(metric_name[m], bar[p], group_name[g])
				printf ",%s", count ? x : "NaN" >file
			}
			print "" >file
		}
	}
	for (m = split("issue_stalls control_stalls data_stalls stalls", stall, " "); m; m--)
		figure_row("14", stall[m] "_over_spart", "smk-pw", "C+M")

	printf "class,mix" >(out "/pairs.csv")
	np = split("smk smk-p smk-pw spart", four, " ")
	for (p = 1; p <= np; p++) printf ",%s", four[p] >(out "/pairs.csv")
	print "" >(out "/pairs.csv")
	print "mix,issue,control,data,all" >(out "/stalls.csv")
	for (i = 1; i <= pairs; i++) {
		printf "%s,%s", class[pair[i]], pair[i] >(out "/pairs.csv")
		for (p = 1; p <= np; p++)
			printf ",%s", ((("stp", four[p], pair[i], pair[i]) in value) ? value["stp", four[p], pair[i], pair[i]] : "NaN") >(out "/pairs.csv")
		print "" >(out "/pairs.csv")
		all = number("stalls_over_spart", "smk-pw", pair[i])
		if (class[pair[i]] != "C+M" || !count) continue
		# of all stalls that spart has
		base = value["stalls", "spart", pair[i], pair[i]]
		printf "%s", pair[i] >(out "/stalls.csv")
		for (m = 1; m <= 4; m++) {
			name = m == 1 ? "issue_stalls" : m == 2 ? "control_stalls" : m == 3 ? "data_stalls" : "stalls"
			printf ",%.4f", (value[name, "spart", pair[i], pair[i]] - value[name, "smk-pw", pair[i], pair[i]]) / base >(out "/stalls.csv")
		}
		print "" >(out "/stalls.csv")
	}

	print "| figure | metric | policy | group | paper | ours | ours of the paper's effect | verdict |"
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
		effects = f[2] ~ /fairness$/ ? "" : sprintf("%.2f ± %.2f", (x - 1) / (f[5] - 1), error / (f[5] > 1 ? f[5] - 1 : 1 - f[5]))
		printf "| %s | %s | %s | %s | %.3f | %.3f ± %.3f | %s | %s |\n", f[1], f[2], f[3], f[4], f[5], x, error, effects, verdict
	}
	printf "\n%d yes, %d of the right direction only, %d no, %d not run\n\n", verdicts["yes"], verdicts["direction"], verdicts["no"], missing

	print "| ordering | ours | |"
	print "|---|---|---|"
	for (g = 1; g <= 4; g += 3) {
		name = group_name[g]
		ordered("10a: smk-p has more throughput than smk, " name, "stp", "smk-p", "smk", name)
		ordered("10a: smk-pw has more than smk-p, " name, "stp", "smk-pw", "smk-p", name)
	}
	ordered("10b: smk-pw is fairer than smk", "fairness", "smk-pw", "smk", "all")
	ordered("10b: smk is fairer than smk-p", "fairness", "smk", "smk-p", "all")
	ordered("10c: ANTT of smk is above that of smk-pw", "antt", "smk", "smk-pw", "all")
	ordered("10c: ANTT of smk-p is above that of smk-pw", "antt", "smk-p", "smk-pw", "all")
	for (g = 1; g <= 4; g++)
		ordered("12a: smk-pw has more throughput than spart, " group_name[g], "stp", "smk-pw", "spart", group_name[g])
	ordered("12b: smk-pw is fairer than spart", "fairness", "smk-pw", "spart", "all")
	ordered("12c: ANTT of spart is above that of smk-pw", "antt", "spart", "smk-pw", "all")
	a = number("stp_over_spart", "smk-pw", "C+M"); n = count
	b = number("stp_over_spart", "smk-pw", "M+M")
	more("12a: smk-pw gains more over spart in C+M than in M+M", a, b, n && count)
	ordered("14: spart has more stall cycles than smk-pw", "stalls", "spart", "smk-pw", "C+M")
	ordered("14: more of issue", "issue_stalls", "spart", "smk-pw", "C+M")
	ordered("14: more of control", "control_stalls", "spart", "smk-pw", "C+M")
	ordered("14: fewer of data", "data_stalls", "smk-pw", "spart", "C+M")
	for (g = 5; g <= 6; g++) {
		name = group_name[g]
		ordered("15a: smk-pw has more throughput than spart, " name " kernels", "stp", "smk-pw", "spart", name)
		ordered("15b: two kernels an SM are fairer than all, " name " kernels", "fairness", "smk-pw-2", "smk-pw", name)
		ordered("15b: spart is fairer than smk-pw with all, " name " kernels", "fairness", "spart", "smk-pw", name)
		ordered("15c: ANTT of smk-pw is above that with two kernels an SM, " name " kernels", "antt", "smk-pw", "smk-pw-2", name)
	}
	ordered("15a: all kernels on an SM have more throughput than two, 4 kernels", "stp", "smk-pw", "smk-pw-2", 4)
	ordered("16: smk-pw has more throughput than the ideal spart", "stp", "smk-pw", "spart-ideal", "small")
	a = number("stp_over_ideal", "spart", "small"); n = count
	b = number("stp_over_ideal", "smk-pw", "small")
	more("16: spart gains more by ideal preemption than smk-pw", a, b, n && count)
	printf "\n%d orderings right, %d wrong\n\n", right, wrong

	print "| alone | IPC | registers | paper | shared memory | paper | threads | paper | stalls | paper | L1 hits | L2 hits |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|"
	while ((getline line < table2) > 0) {
		if (line ~ /^#/) continue
		split(line, f, ",")
		for (i = 3; i <= 6; i++) paper[f[1], i] = sprintf("%.1f %%", 100 * f[i])
	}
	for (i = 1; i <= alone; i++) {
		name = program[i]
		slots = alone_stalls[name] + issued[name]
		printf "| %s | %.0f | %.1f %% | %s | %.1f %% | %s | %.1f %% | %s | %.1f %% | %s | %.0f %% | %.0f %% |\n", name, ipc[name], 100 * registers[name],
			paper[name, 3], 100 * shared[name], paper[name, 4], 100 * threads[name], paper[name, 5],
			(slots ? 100 * alone_stalls[name] / slots : 0), paper[name, 6], 100 * l1[name], 100 * l2[name]
	}
}
