# SPDX-License-Identifier: MIT
#
# report.awk: what runs.csv means. Writes figures.csv and figure-*.csv (for gnuplot) into folder `out', and to standard output the
# verdict: every number of expected.csv, and what the text says about which is larger.
# usage: awk -v out=FOLDER -f report.awk expected.csv runs.csv
#
#   yes        within a third of the gain or loss that the paper reports; for none: within 2 %
#   direction  a gain or a loss as the paper's, of another size
#   no         a loss instead of a gain, the other way round, or neither (less than half a per cent)
#
# An ordering that says that a program gains means more than 2 %; less is not visible in a figure.

BEGIN {
	FS = ","
	links = split("nvlink pcie", link, " ")
	title["paths"] = "ways occupy the interconnect"
	title["latency"] = "ways are latency"
	title["round-trip"] = "host busy for the round trip"
}

function fail(text) {
	print "report.awk: " text >"/dev/stderr"
	failed = 1
	exit 1
}

FNR == 1 { file++ }
/^#/ || /^figure,/ || /^program,/ || /^$/ { next }
file == 1 {
	if (NF < 6 || $5 !~ /^[0-9]+\.[0-9]+$/ || $1 !~ /^6\.1[345]$/) fail("expected.csv:" FNR ": not FIGURE,LINK,MODE,PROGRAM,SPEEDUP,NOTE")
	papers++
	paper_key[papers] = $1 "," $2 "," $3 "," $4
	paper[papers] = $5
	next
}
{
	if (NF != 5 || $5 !~ /^[0-9]+$/ || $5 == 0) fail("runs.csv:" FNR ": not PROGRAM,LINK,READING,MODE,NS")
	if ($3 != "none" && !($3 in read)) { read[$3]; host[++hosts] = $3 }
	if (!($1 in known)) { known[$1]; programs++; program[programs] = $1 }
	ns[$1, $2, $3, $4] = $5
}

function is_heap(name) { return name ~ /^heap-/ }

# Table 4.2: the programs of figure 6.14, on their allocator. Other patterns, and malloc(), stand beside them.
function is_halloc(name) { return name ~ /^heap-(strings|graph|points)-halloc$/ }

# The speedup of a figure's program; 0: not measured.
function speedup(figure, h, l, mode, name) {
	return ((figure, h, l, mode, name) in value) ? value[figure, h, l, mode, name] : 0
}

# One bar: PROGRAM of FIGURE with MODE.
function bar(figure, h, l, mode, name,    base) {
	if (!((name, l, h, "stall") in ns) || !((name, l, h, mode) in ns)) fail(name " was not run with " l ", " h ", " mode)
	base = ns[name, l, h, "stall"]
	value[figure, h, l, mode, name] = base / ns[name, l, h, mode]
	printf "%s,%s,%s,%s,%s,%.4f\n", figure, h, l, mode, name, value[figure, h, l, mode, name] >(out "/figures.csv")
}

function geomean(figure, h, l, mode,    p, sum, count) {
	for (p = 1; p <= programs; p++) {
		if (!speedup(figure, h, l, mode, program[p]) || figure == "6.14" && !is_halloc(program[p])) continue
		sum += log(value[figure, h, l, mode, program[p]])
		count++
	}
	if (!count) return
	value[figure, h, l, mode, "geomean"] = exp(sum / count)
	printf "%s,%s,%s,%s,geomean,%.4f\n", figure, h, l, mode, exp(sum / count) >(out "/figures.csv")
}

# What gnuplot draws: a line for each program, a column for each link and mode.
function table(figure, h, modes,    p, l, m, mode, count, name, path, line) {
	count = split(modes, mode, " ")
	path = out "/figure-" figure "-" h ".csv"
	line = "program"
	for (l = 1; l <= links; l++)
		for (m = 1; m <= count; m++) line = line "," link[l] (mode[m] == "ideal" ? " ideal switch" : "")
	print line >path
	for (p = 1; p <= programs + 1; p++) {
		name = p > programs ? "geomean" : program[p]
		if (!speedup(figure, h, link[1], mode[1], name)) continue
		line = name
		sub(/^heap-/, "", line)
		for (l = 1; l <= links; l++)
			for (m = 1; m <= count; m++) line = line sprintf(",%.4f", value[figure, h, link[l], mode[m], name])
		print line >path
	}
	close(path)
}

function judge(paper, ours,    gain) {
	gain = paper - 1
	if (gain < 0.005 && gain > -0.005) return ours <= 1.02 && ours >= 0.98 ? "yes" : "no"
	if (gain > 0 ? ours < 1.005 : ours > 0.995) return "no"
	gain = gain < 0 ? -gain / 3 : gain / 3
	return ours - paper <= gain + 1e-9 && paper - ours <= gain + 1e-9 ? "yes" : "direction"
}

# An ordering, under all readings: a[h] > b[h]. A number that was not measured is 0.
function more(what, a, b,    h, line) {
	line = "| " what " |"
	for (h = 1; h <= hosts; h++) {
		if (!a[h] || !b[h]) return
		line = line sprintf(" %.3f > %.3f | %s |", a[h], b[h], a[h] > b[h] ? "yes" : "no")
	}
	for (h = 1; h <= hosts; h++) right[h] += a[h] > b[h]
	orders++
	print line
}

# FIGURE LINK MODE PROGRAM of both sides; without a second figure the number l2 is the other side.
function order(what, f1, l1, m1, n1, f2, l2, m2, n2,    h, a, b) {
	for (h = 1; h <= hosts; h++) {
		a[h] = speedup(f1, host[h], l1, m1, n1)
		b[h] = f2 == "" ? l2 : speedup(f2, host[h], l2, m2, n2)
	}
	more(what, a, b)
}

# The least speedup of all but mri-gridding.
function least(h, l, mode,    p, found, v) {
	for (p = 1; p <= programs; p++) {
		v = speedup("6.13", h, l, mode, program[p])
		if (v && program[p] != "mri-gridding" && (!found || v < found)) found = v
	}
	return found
}

# The ideal switch over the real one.
function ideal_gain(h, l, name) {
	return speedup("6.13", h, l, "switch", name) ? speedup("6.13", h, l, "ideal", name) / speedup("6.13", h, l, "switch", name) : 0
}

# The most of that of all programs but one.
function most_ideal(h, l, but,    p, found, v) {
	for (p = 1; p <= programs; p++) {
		v = program[p] == but ? 0 : ideal_gain(h, l, program[p])
		if (v > found) found = v
	}
	return found
}

function orderings(    l, h, a, b) {
	for (l = 1; l <= links; l++) {
		order("6.13: sgemm gains, " link[l], "6.13", link[l], "switch", "sgemm", "", 1.02)
		order("6.13: stencil gains, " link[l], "6.13", link[l], "switch", "stencil", "", 1.02)
		order("6.13: histo gains, " link[l], "6.13", link[l], "switch", "histo", "", 1.02)
	}
	order("6.13: sgemm gains more than histo, nvlink", "6.13", "nvlink", "switch", "sgemm", "6.13", "nvlink", "switch", "histo")
	order("6.13: histo gains more than stencil, nvlink", "6.13", "nvlink", "switch", "histo", "6.13", "nvlink", "switch", "stencil")
	order("6.13: histo gains more than sgemm, pcie", "6.13", "pcie", "switch", "histo", "6.13", "pcie", "switch", "sgemm")
	order("6.13: histo gains more than stencil, pcie", "6.13", "pcie", "switch", "histo", "6.13", "pcie", "switch", "stencil")
	order("6.13: sgemm gains more over nvlink", "6.13", "nvlink", "switch", "sgemm", "6.13", "pcie", "switch", "sgemm")
	order("6.13: stencil gains more over nvlink", "6.13", "nvlink", "switch", "stencil", "6.13", "pcie", "switch", "stencil")
	order("6.13: histo gains more over nvlink", "6.13", "nvlink", "switch", "histo", "6.13", "pcie", "switch", "histo")
	for (l = 1; l <= links; l++) {
		for (h = 1; h <= hosts; h++) { a[h] = least(host[h], link[l], "switch"); b[h] = 0.98 }
		more("6.13: nobody but mri-gridding loses more than 2 %, " link[l], a, b)
	}
	for (l = 1; l <= links; l++) {
		for (h = 1; h <= hosts; h++) { a[h] = 1.05; b[h] = ideal_gain(host[h], link[l], "geomean") }
		more("6.13: on average the ideal switch gains less than 5 % over the real one, " link[l], a, b)
	}
	for (h = 1; h <= hosts; h++) { a[h] = ideal_gain(host[h], "pcie", "sgemm"); b[h] = most_ideal(host[h], "pcie", "sgemm") }
	more("6.13: sgemm gains most by the ideal switch, pcie", a, b)
	order("6.13: mri-gridding is slower with the ideal switch, nvlink", "6.13", "nvlink", "switch", "mri-gridding", "6.13", "nvlink", "ideal", "mri-gridding")
	order("6.14: more gain over pcie", "6.14", "pcie", "gpu", "geomean", "6.14", "nvlink", "gpu", "geomean")
	order("6.15: more gain over pcie", "6.15", "pcie", "gpu", "geomean", "6.15", "nvlink", "gpu", "geomean")
	for (l = 1; l <= links; l++) {
		order("6.15: lbm gains more than the mean, " link[l], "6.15", link[l], "gpu", "lbm", "6.15", link[l], "gpu", "geomean")
		order("6.15: histo gains more than the mean, " link[l], "6.15", link[l], "gpu", "histo", "6.15", link[l], "gpu", "geomean")
	}
}

function numbers(    p, h, key, ours, word, line) {
	for (p = 1; p <= papers; p++) {
		split(paper_key[p], key, ",")
		line = sprintf("| %s | %s | %s | %s | %.3f |", key[1], key[4], key[3], key[2], paper[p])
		for (h = 1; h <= hosts; h++) {
			ours = speedup(key[1], host[h], key[2], key[3], key[4])
			word = ours ? judge(paper[p], ours) : "not run"
			count[h, word]++
			line = line (ours ? sprintf(" %.3f", ours) : " -") " | " word " |"
		}
		print line
	}
}

END {
	if (failed) exit 1
	if (!papers || !programs || !hosts) fail("needs expected.csv and runs.csv, in this order")
	print "figure,host,link,mode,program,speedup" >(out "/figures.csv")
	for (h = 1; h <= hosts; h++) {
		for (l = 1; l <= links; l++) {
			for (p = 1; p <= programs; p++) {
				if (is_heap(program[p])) {
					bar("6.14", host[h], link[l], "gpu", program[p])
					continue
				}
				bar("6.13", host[h], link[l], "switch", program[p])
				bar("6.13", host[h], link[l], "ideal", program[p])
				bar("6.15", host[h], link[l], "gpu", program[p])
			}
			geomean("6.13", host[h], link[l], "switch")
			geomean("6.13", host[h], link[l], "ideal")
			geomean("6.14", host[h], link[l], "gpu")
			geomean("6.15", host[h], link[l], "gpu")
		}
		table("6.13", host[h], "switch ideal")
		table("6.14", host[h], "gpu")
		table("6.15", host[h], "gpu")
	}
	close(out "/figures.csv")

	printf "| figure | program | mode | interconnect | paper |"
	for (h = 1; h <= hosts; h++) printf " %s | within a third |", title[host[h]]
	printf "\n|---|---|---|---|---|"
	for (h = 1; h <= hosts; h++) printf "---|---|"
	print ""
	numbers()
	print ""
	for (h = 1; h <= hosts; h++)
		printf "%s: %d yes, %d of the right direction only, %d no\n\n", title[host[h]], count[h, "yes"], count[h, "direction"], count[h, "no"]
	printf "| ordering |"
	for (h = 1; h <= hosts; h++) printf " %s | |", title[host[h]]
	printf "\n|---|"
	for (h = 1; h <= hosts; h++) printf "---|---|"
	print ""
	orderings()
	print ""
	for (h = 1; h <= hosts; h++) printf "%s: %d orderings right, %d wrong\n%s", title[host[h]], right[h], orders - right[h], h < hosts ? "\n" : ""
}
