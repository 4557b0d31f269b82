# SPDX-License-Identifier: MIT
#
# collect.awk: what the cells have printed, as rows (docs/sweep.md, "The result folder").
#
# usage: awk -v out=RESULTS -v work=FOLDER [-v columns=A,B] [-v lines=1] -f collect.awk settings grid states values
# The first three as spec.awk and plan.awk write them; values: lines "METRIC PATH VALUE" of cells that print text. Tabs are between. Writes
# into work: cells.csv, cells.jsonl; rows for table.awk; columns with the columns of cells that can be read; outputs, their texts (SWEEP_LINES);
# unreadable: lines "NAME WHY". SWEEP_LINES is the text before each line, if lines is given.

BEGIN { FS = "\t"; OFS = "," }

FILENAME == ARGV[1] {
	if ($1 == "metric") metric[++metrics] = $2
	else setting[$1] = $2
	next
}

FILENAME == ARGV[2] {
	cells++
	name[cells] = $1
	for (n = 2; n <= NF; n++) field[cells, n - 1] = $n
	next
}

FILENAME == ARGV[3] { state[$1] = $2; error[$1] = $4; next }

{ found[$1, $2] = $3 }

function quoted(text) {
	if (text ~ /[",\n]/) { gsub(/"/, "\"\"", text); return "\"" text "\"" }
	return text
}

function json(text) {
	if (text ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/) return text
	return string(text)
}

function string(text) {
	gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, "\\t", text); gsub(/[\001-\037]/, "?", text)
	return "\"" text "\""
}

function is_number(text) { return text ~ /^-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }

# What cell C has left besides its output
function facts(c,    path, line, word, hex) {
	split("", fact)
	path = out "/cells/" name[c] "/state"
	while ((getline line < path) > 0) fact[substr(line, 1, index(line, "=") - 1)] = substr(line, index(line, "=") + 1)
	close(path)
	path = out "/cells/" name[c] "/inputs"
	while ((getline line < path) > 0) {
		if (line ~ /^command /) fact["command"] = substr(line, 9)
		if (line ~ /^(program|module) / && split(line, word, " ") >= 3)
			fact["version"] = fact["version"] (fact["version"] == "" ? "" : "+") substr(word[3], 1, 8)
	}
	close(path)
}

function unreadable(c, why) {
	if (is_unreadable) return
	is_unreadable = 1
	state[c] = "unreadable"
	error[c] = why
	rows = 0
	print name[c] "\t" why >(work "/unreadable")
}

# rows and row[] of cell C: its data columns
function read_text(c,    m, path) {
	rows = 1
	path = out "/cells/" name[c] "/stdout"
	for (m = 1; m <= metrics; m++) {
		if (!((m, path) in found)) { unreadable(c, "nothing that it printed matches the metric " metric[m]); return }
		row[1, m] = found[m, path]
		if (!is_number(row[1, m])) { unreadable(c, "metric " metric[m] ": '" row[1, m] "' is not a number"); return }
	}
}

function read_csv(c,    path, line, count, word, n, m, header, which, id) {
	path = out "/cells/" name[c] "/stdout"
	rows = 0
	header = ""
	split("", seen_key)
	while ((getline line < path) > 0) {
		sub(/\r$/, "", line)
		if (line == "") continue
		count = split(line, word, ",")
		if (header == "") {
			header = line
			if (!data_columns && !first_header) set_header(line)
			if (header != first_header) { unreadable(c, "its header is not that of the cells before it: " header); break }
			continue
		}
		if (rows && !keys) break
		if (count != header_fields) { unreadable(c, "a line has " count " fields and the header " header_fields ": " line); break }
		rows++
		id = ""
		for (n = 1; n <= data_columns; n++) row[rows, n] = word[data_at[n]]
		for (n = 1; n <= keys; n++) id = id "\t" row[rows, key_column[n]]
		if (id in seen_key && keys) { unreadable(c, "two lines have the same key:" id); break }
		seen_key[id]
		for (m = 1; m <= metrics; m++)
			if (row[rows, metric_column[m]] != "" && !is_number(row[rows, metric_column[m]])) {
				unreadable(c, "metric " metric[m] ": '" row[rows, metric_column[m]] "' is not a number")
				break
			}
	}
	close(path)
	if (!rows && !is_unreadable) unreadable(c, header == "" ? "it printed no header" : "it printed a header and no line")
	if (missing_column != "" && !is_unreadable) unreadable(c, missing_column)
}

# The columns of the output, from the first cell that has some: without those that are axes
# Of several lines without a key the first one counts: then those that are metrics, as others may be of that line alone.
function set_header(line,    word, n, count, m, at, list) {
	first_header = line
	header_fields = split(line, word, ",")
	count = split(setting["metrics"], list, " ")
	for (m = 1; m <= count; m++) is_metric[list[m]]
	for (n = 1; n <= header_fields; n++) {
		if (word[n] in is_axis || count && setting["key"] == "" && !(word[n] in is_metric)) continue
		data[++data_columns] = word[n]
		data_at[data_columns] = n
		at[word[n]] = data_columns
	}
	keys = split(setting["key"], key, " ")
	for (n = 1; n <= keys; n++) {
		if (!(key[n] in at)) missing_column = "key: it printed no column " key[n]
		key_column[n] = at[key[n]]
		is_key[key[n]]
	}
	metrics = split(setting["metrics"], metric, " ")
	if (!metrics) for (n = 1; n <= data_columns; n++) if (!(data[n] in is_key)) metric[++metrics] = data[n]
	for (m = 1; m <= metrics; m++) {
		if (!(metric[m] in at)) missing_column = "metrics: it printed no column " metric[m]
		metric_column[m] = at[metric[m]]
	}
}

function write_row(c, r,    n, csv, jsonl, tsv, text) {
	csv = quoted(name[c]) "," state[c]
	for (n = 1; n <= axes; n++) csv = csv "," quoted(field[c, n])
	for (n = 1; n <= data_columns; n++) csv = csv "," (r ? quoted(row[r, n]) : "")
	print csv "," fact["seconds"] "," fact["version"] >(work "/cells.csv.rows")

	jsonl = "{\"cell\": " string(name[c]) ", \"state\": " string(state[c])
	for (n = 1; n <= axes; n++) jsonl = jsonl ", " string(axis[n]) ": " json(field[c, n])
	if (r) for (n = 1; n <= data_columns; n++) jsonl = jsonl ", " string(data[n]) ": " (row[r, n] == "" ? "null" : json(row[r, n]))
	if (fact["seconds"] != "") jsonl = jsonl ", \"seconds\": " json(fact["seconds"])
	jsonl = jsonl ", \"version\": " string(fact["version"]) ", \"product\": " string(fact["product"]) ", \"host\": " string(fact["host"])
	jsonl = jsonl ", \"started\": " string(fact["started"]) ", \"command\": " string(fact["command"])
	if (state[c] != "done" && error[c] != "") jsonl = jsonl ", \"error\": " string(error[c])
	print jsonl "}" >(work "/cells.jsonl")

	if (!r) return
	tsv = state[c]
	for (n = 1; n <= axes; n++) tsv = tsv "\t" field[c, n]
	for (n = 1; n <= keys; n++) tsv = tsv "\t" row[r, key_column[n]]
	for (n = 1; n <= metrics; n++) tsv = tsv "\t" row[r, setting["output"] == "csv" ? metric_column[n] : n]
	print tsv >(work "/rows")

	if (columns == "") return
	text = ""
	for (n = 1; n <= wanted_count; n++) text = text (n > 1 ? "," : "") column(c, r, wanted[n])
	print text >(work "/columns")
}

function column(c, r, what,    n) {
	for (n = 1; n <= axes + variables; n++) if (what == (n <= axes ? axis[n] : variable[n - axes])) return quoted(field[c, n])
	for (n = 1; n <= data_columns; n++) if (what == data[n]) return quoted(row[r, n])
	if (what in fact) return quoted(fact[what])
	if (!(what in unknown_column)) { unknown_column[what]; print "--columns: " what ": no axis, variable or column of the output" >(work "/refused") }
}

function write_lines(c,    n, before, path, line) {
	before = ENVIRON["SWEEP_LINES"]
	before = filled(before, c)
	path = out "/cells/" name[c] "/stdout"
	while ((getline line < path) > 0) print before line >(work "/outputs")
	close(path)
}

# {NAME} of --lines
function filled(text, c,    result, what, n, known) {
	while (match(text, /{[a-z][a-z0-9_]*}/)) {
		what = substr(text, RSTART + 1, RLENGTH - 2)
		result = result substr(text, 1, RSTART - 1)
		known = 0
		for (n = 1; n <= axes + variables; n++) if (what == (n <= axes ? axis[n] : variable[n - axes])) { result = result field[c, n]; known = 1 }
		if (!known && !(what in unknown_column)) { unknown_column[what]; print "--lines: {" what "}: no axis or variable" >(work "/refused") }
		text = substr(text, RSTART + RLENGTH)
	}
	return result text
}

END {
	axes = split(setting["axes"], axis, " ")
	variables = split(setting["variables"], variable, " ")
	for (n = 1; n <= axes; n++) is_axis[axis[n]]
	wanted_count = split(columns, wanted, ",")
	if (setting["output"] == "text") for (n = 1; n <= metrics; n++) data[++data_columns] = metric[n]
	printf "" >(work "/rows"); printf "" >(work "/cells.csv.rows"); printf "" >(work "/cells.jsonl")
	for (c = 1; c <= cells; c++) {
		rows = is_unreadable = 0
		facts(c)
		if (state[c] == "done" || state[c] == "stale") {
			if (setting["output"] == "csv") read_csv(c)
			else if (metrics) read_text(c)
			else rows = 1
			if (lines) write_lines(c)
		}
		if (!rows) write_row(c, 0)
		for (r = 1; r <= rows; r++) write_row(c, r)
	}
	header = "cell,state"
	for (n = 1; n <= axes; n++) header = header "," axis[n]
	for (n = 1; n <= data_columns; n++) header = header "," data[n]
	print header ",seconds,version" >(work "/cells.csv")
	list = ""
	for (n = 1; n <= metrics; n++) list = list (n > 1 ? " " : "") metric[n]
	print list >(work "/metrics")
}
