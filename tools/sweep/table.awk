# SPDX-License-Identifier: MIT
#
# table.awk: means over the axis of repetitions, their 95 % confidence intervals, ratios to the baseline (docs/sweep.md, "Statistics").
#
# usage: awk -v work=FOLDER -v metrics="A B" -f table.awk settings rows
# rows: as collect.awk writes them. Writes table.txt, table.md, table.csv, and for each metric METRIC.data (for gnuplot) into work.

BEGIN { FS = "\t" }

FILENAME == ARGV[1] { setting[$1] = $2; next }

FNR == 1 {
	axes = split(setting["axes"], label, " ")
	labels = axes
	keys = split(setting["key"], key, " ")
	for (n = 1; n <= keys; n++) label[++labels] = key[n]
	metric_count = split(metrics, metric, " ")
	for (n = 1; n <= axes; n++) if (label[n] == setting["over"]) over = n
}

{
	stale += $1 == "stale"
	group = ""
	for (n = 1; n <= labels; n++) if (n != over) group = group SUBSEP $(n + 1)
	if (!(group in number)) {
		number[group] = ++groups
		name[groups] = group
		for (n = 1; n <= labels; n++) text[groups, n] = $(n + 1)
	}
	g = number[group]
	sample = over ? $(over + 1) : ""
	if (!((g, sample) in seen)) { seen[g, sample]; sample_of[g, ++samples[g]] = sample }
	for (m = 1; m <= metric_count; m++) if ($(1 + labels + m) != "") value[g, sample, m] = $(1 + labels + m)
	for (n = 1; n <= labels; n++) {
		if (n != over && !((n, $(n + 1)) in known)) { known[n, $(n + 1)]; if (++distinct[n] > 1) varies[n] = 1; last_value[n] = $(n + 1); of_axis[n, distinct[n]] = $(n + 1) }
	}
}

# P(|T| < t) of Student's distribution with v degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4)
function within(t, v,    angle, c, s, term, sum, k) {
	angle = atan2(t, sqrt(v))
	c = cos(angle); s = sin(angle)
	if (v % 2) {
		sum = 0; term = c
		for (k = 1; k <= v - 2; k += 2) { sum += term; term *= c * c * (k + 1) / (k + 2) }
		return 2 / 3.14159265358979323846 * (angle + s * sum)
	}
	sum = 0; term = 1
	for (k = 0; k <= v - 2; k += 2) { sum += term; term *= c * c * (k + 1) / (k + 2) }
	return s * sum
}

# The 0.975 quantile, by bisection
function quantile(v,    low, high, middle, n) {
	if (v in quantile_of) return quantile_of[v]
	if (v > 100000) return 1.95996398454005
	low = 1.9; high = 13
	for (n = 0; n < 60; n++) { middle = (low + high) / 2; if (within(middle, v) < 0.95) low = middle; else high = middle }
	return quantile_of[v] = low
}

# Mean, standard error and half of the interval of x[1..n]
function estimate(x, n,    k, sum, squares) {
	sum = squares = 0
	for (k = 1; k <= n; k++) sum += x[k]
	mean = n ? sum / n : 0
	for (k = 1; k <= n; k++) squares += (x[k] - mean) ^ 2
	stderr_ = n > 1 ? sqrt(squares / (n - 1) / n) : 0
	half = n > 1 ? quantile(n - 1) * stderr_ : 0
}

# The samples of metric M of group G, over those of group B if there is one
function gather(g, b, m, x,    k, n, s) {
	n = 0
	for (k = 1; k <= samples[g]; k++) {
		s = sample_of[g, k]
		if (!((g, s, m) in value)) continue
		if (b && (!((b, s, m) in value) || value[b, s, m] == 0)) continue
		x[++n] = b ? value[g, s, m] / value[b, s, m] : value[g, s, m] + 0
	}
	return n
}

function baseline_of(g,    group, n, v, count, word, k) {
	if (setting["baseline"] == "") return 0
	count = split(setting["baseline"], word, " ")
	group = ""
	for (n = 1; n <= labels; n++) {
		if (n == over) continue
		v = text[g, n]
		for (k = 1; k <= count; k++) if (n <= axes && substr(word[k], 1, index(word[k], "=") - 1) == label[n]) v = substr(word[k], index(word[k], "=") + 1)
		group = group SUBSEP v
	}
	return group in number ? number[group] : 0
}

function shown(n) {
	if (!n) return "-"
	return n > 1 ? sprintf("%.4g ± %.3g", mean, half) : sprintf("%.4g", mean)
}

# What a table shows of characters, which mawk counts as bytes
function width(text) { gsub(/±/, "+", text); return length(text) }

function line_of_csv(g, what, n,    k, line) {
	for (k = 1; k <= labels; k++) if (k != over) line = line text[g, k] ","
	if (n > 1) printf "%s%s,%d,%.9g,%.9g,%.9g,%.9g\n", line, what, n, mean, stderr_, mean - half, mean + half >(work "/table.csv")
	else if (n) printf "%s%s,%d,%.9g,,,\n", line, what, n, mean >(work "/table.csv")
	else printf "%s%s,0,,,,\n", line, what >(work "/table.csv")
}

# A picture: a line for each value of x, two columns for each series
function picture(m,    x, g, n, series, count, row, c, numeric, path, values) {
	for (n = 1; n <= labels; n++) if (label[n] == setting["x"]) x = n
	for (n = 1; !x && n <= axes; n++) if (varies[n]) x = n
	if (!x) x = over == 1 && axes > 1 ? 2 : 1
	if (x == over) return
	numeric = 1
	for (g = 1; g <= groups; g++) {
		series = ""
		for (n = 1; n <= labels; n++) if (n != over && n != x && varies[n]) series = series (series == "" ? "" : " ") text[g, n]
		if (!(series in at)) { at[series] = ++count; title[count] = series == "" ? metric[m] : series }
		if (!((m, text[g, x]) in row_at)) { row_at[m, text[g, x]] = ++values; row_name[values] = text[g, x]; if (text[g, x] !~ /^-?[0-9.]+$/) numeric = 0 }
		n = gather(g, 0, m, sample_value)
		estimate(sample_value, n)
		point[row_at[m, text[g, x]], at[series]] = n ? sprintf("%.9g\t%.9g", mean, half) : "NaN\tNaN"
	}
	path = work "/" metric[m] ".data"
	form = numeric && values > 1 ? "lines" : "bars"
	printf "%s\t%s", form, label[x] >path
	for (c = 1; c <= count; c++) printf "\t\"%s\"\t\"%s\"", title[c], title[c] >path
	print "" >path
	for (row = 1; row <= values; row++) {
		printf "0\t%s", (form == "lines" ? row_name[row] : "\"" row_name[row] "\"") >path
		for (c = 1; c <= count; c++) printf "\t%s", ((row, c) in point ? point[row, c] : "NaN\tNaN") >path
		print "" >path
	}
	close(path)
	split("", at)
	split("", point)
}

END {
	if (!groups || !metric_count) exit
	# the heading: axes of which there is one value
	for (n = 1; n <= labels; n++) if (n != over && !varies[n]) heading = heading (heading == "" ? "" : ", ") label[n] ": " last_value[n]
	if (over) heading = heading (heading == "" ? "" : "; ") "95 % confidence, over " setting["over"]
	if (setting["baseline"] != "") {
		for (g = 1; g <= groups; g++) if (baseline_of(g)) pairs = 1
		if (!pairs) heading = heading (heading == "" ? "" : "; ") "no ratios, as no cell of the baseline has run"
	}
	if (stale) heading = heading (heading == "" ? "" : "; ") stale " lines of stale cells"
	columns = 0
	for (n = 1; n <= labels; n++) if (n != over && varies[n]) head[++columns] = label[n]
	first_number = columns + 1
	if (over) head[++columns] = "n"
	for (m = 1; m <= metric_count; m++) head[++columns] = metric[m]
	if (pairs) for (m = 1; m <= metric_count; m++) head[++columns] = metric[m] "/baseline"
	for (k = 1; k <= columns; k++) wide[k] = width(head[k])
	for (n = 1; n <= labels; n++) if (n != over) printf "%s,", label[n] >(work "/table.csv")
	print "metric,n,mean,standard_error,ci95_low,ci95_high" >(work "/table.csv")
	for (g = 1; g <= groups; g++) {
		k = 0
		for (n = 1; n <= labels; n++) if (n != over && varies[n]) cell[g, ++k] = text[g, n]
		if (over) k++
		least = most = 0
		for (m = 1; m <= metric_count; m++) {
			n = gather(g, 0, m, sample_value)
			if (m == 1 || n < least) least = n
			if (n > most) most = n
			estimate(sample_value, n)
			cell[g, ++k] = shown(n)
			line_of_csv(g, metric[m], n)
		}
		if (pairs) for (m = 1; m <= metric_count; m++) {
			b = baseline_of(g)
			n = b ? gather(g, b, m, sample_value) : 0
			if (n < least && b && b != g) least = n
			estimate(sample_value, n)
			cell[g, ++k] = b == g ? (n ? "1" : "-") : shown(n)
			if (b && b != g) line_of_csv(g, metric[m] "/baseline", n)
		}
		if (over) cell[g, first_number] = least == most ? most : least ".." most
		for (k = 1; k <= columns; k++) if (width(cell[g, k]) > wide[k]) wide[k] = width(cell[g, k])
	}
	if (heading != "") { print heading >(work "/table.txt"); print heading "\n" >(work "/table.md") }
	line = ""; rule = "|"
	for (k = 1; k <= columns; k++) { line = line sprintf("%-" (wide[k] + 2) "s", head[k]); rule = rule (k < first_number ? "---|" : "---:|") }
	sub(/ +$/, "", line)
	print line >(work "/table.txt")
	line = "|"
	for (k = 1; k <= columns; k++) line = line " " head[k] " |"
	print line "\n" rule >(work "/table.md")
	for (g = 1; g <= groups; g++) {
		line = ""; row = "|"
		for (k = 1; k <= columns; k++) {
			line = line cell[g, k] sprintf("%" (wide[k] + 2 - width(cell[g, k])) "s", "")
			row = row " " cell[g, k] " |"
		}
		sub(/ +$/, "", line)
		print line >(work "/table.txt")
		print row >(work "/table.md")
	}
	if (setting["pictures"] != "none") for (m = 1; m <= metric_count; m++) picture(m)
}
