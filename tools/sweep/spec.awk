# SPDX-License-Identifier: MIT
#
# spec.awk: reads the SPEC of vgpu-sweep (docs/sweep.md), refuses what is wrong in it with file, line and key, and writes the grid.
#
# usage: awk -v work=FOLDER -f spec.awk SPEC. Environment: SWEEP_AXES, SWEEP_DEFINES: lines "NAME=TEXT" of the command line.
# Writes into FOLDER, fields separated by tabs:
#   settings   a line for each key of [sweep], and for axes, variables, metrics, expressions
#   grid       a line for each cell: its name, the values of its axes, the texts of its variables
#   plan       a line for each cell: its name, its command, "NAME=TEXT" of its environment; in order of the grid
#   inputs     "inputs NAME..." and "programs NAME...": a line for each different one of [sweep]

function refuse(line, text) {
	printf "vgpu-sweep: %s:%s %s\n", FILENAME, line ? line ":" : "", text >"/dev/stderr"
	refused = 1
	exit 2
}

function trim(text) { gsub(/\t/, " ", text); sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

function is_name(text) { return text ~ /^[a-z][a-z0-9_]*$/ }

# "AXIS=PATTERN ..." of section or line WHAT becomes pattern_axis[what, n], pattern_text[what, n], patterns[what]
function read_patterns(what, text, line,    count, word, n, at) {
	count = split(text, word, " ")
	if (!count) refuse(line, "needs AXIS=PATTERN")
	for (n = 1; n <= count; n++) {
		at = index(word[n], "=")
		if (at < 2) refuse(line, "'" word[n] "': must be AXIS=PATTERN")
		pattern_axis[what, n] = substr(word[n], 1, at - 1)
		pattern_text[what, n] = substr(word[n], at + 1)
	}
	patterns[what] = count
	pattern_line[what] = line
}

function check_patterns(what,    n) {
	for (n = 1; n <= patterns[what]; n++)
		if (!(pattern_axis[what, n] in axis_number))
			refuse(pattern_line[what], "'" pattern_axis[what, n] "': no axis; there are:" axis_list)
}

# A pattern as a regular expression, once each
function expression_of(pattern) {
	if (!(pattern in expression_cache)) {
		expression_cache[pattern] = pattern
		gsub(/[].+?(){}^$\\[]/, "\\\\&", expression_cache[pattern])
		gsub(/\*/, ".*", expression_cache[pattern])
		expression_cache[pattern] = "^(" expression_cache[pattern] ")$"
	}
	return expression_cache[pattern]
}

function matches(what,    n, pattern, wrong) {
	for (n = 1; n <= patterns[what]; n++) {
		pattern = pattern_text[what, n]
		wrong = 0
		if (substr(pattern, 1, 1) == "!") { wrong = 1; pattern = substr(pattern, 2) }
		if ((value[pattern_axis[what, n]] ~ expression_of(pattern)) == wrong) return 0
	}
	return 1
}

# TEXT with {NAME} as the axis or the variable
function fill(text, line,    out, at, end, name, depth) {
	for (depth = 0; depth < 20; depth++) {
		out = ""
		found = 0
		while (match(text, /{[a-z][a-z0-9_]*}/)) {
			name = substr(text, RSTART + 1, RLENGTH - 2)
			out = out substr(text, 1, RSTART - 1)
			if (name in value) { out = out value[name]; found = 1 }
			else if (name in variable) { out = out variable[name]; found = 1 }
			else if (name == "cell") out = out "{cell}"
			else refuse(line, "{" name "}: no axis or variable; there are:" axis_list variable_list)
			text = substr(text, RSTART + RLENGTH)
		}
		text = out text
		if (!found) return text
	}
	refuse(line, "a variable has itself in its text")
}

function add_axis(name, text, line,    count, word, n, m, range, from, to, total) {
	count = split(text, word, " ")
	for (n = 1; n <= count; n++) {
		if (word[n] ~ /^[0-9]+\.\.[0-9]+$/) {
			split(word[n], range, "..")
			at = index(word[n], "..")
			from = substr(word[n], 1, at - 1) + 0
			to = substr(word[n], at + 2) + 0
			if (from > to || to - from >= 100000) refuse(line, name ": " word[n] ": must be FROM..TO, at most 100000 numbers, the lesser one first")
			for (m = from; m <= to; m++) axis_value[name, ++total] = m
		} else {
			axis_value[name, ++total] = word[n]
		}
	}
	if (!total) refuse(line, name ": an axis needs a value")
	for (n = 1; n <= total; n++) {
		if ((name, axis_value[name, n]) in known) refuse(line, name ": " axis_value[name, n] " twice")
		known[name, axis_value[name, n]]
	}
	axis_values[name] = total
}

function number_of(key, most) {
	if (setting[key] !~ /^[0-9]+$/ || setting[key] + 0 > most) refuse(setting_line[key], key ": must be a number from 0 to " most)
}

# The texts of the command line in place of SPEC's
function overrides(text, of, what,    count, line, n, at, name) {
	count = split(text, line, "\n")
	for (n = 1; n <= count; n++) {
		if (line[n] == "") continue
		at = index(line[n], "=")
		name = substr(line[n], 1, at ? at - 1 : 0)
		if (!at || !(name in of)) {
			printf "vgpu-sweep: --%s '%s': must be NAME=%s of %s; there are:%s\n", what, line[n], what == "axis" ? "VALUES" : "TEXT", FILENAME,
				what == "axis" ? axis_list : variable_list >"/dev/stderr"
			refused = 1
			exit 2
		}
		of[name] = trim(substr(line[n], at + 1))
	}
}

BEGIN {
	keys = " title command tool env inputs programs output key metrics over baseline x pictures at_once timeout slurm "
	setting["tool"] = "vgpu-sim"; setting["pictures"] = "svg"; setting["at_once"] = 0; setting["timeout"] = 0
	reserved = " cell state seconds version error command row "
}

{
	sub(/\r$/, "")
	if (joined != "") { $0 = joined " " trim($0); joined = "" } else first_line = FNR
	if ($0 ~ /^[ \t]*[;#]/) next
	if (sub(/\\$/, "")) { joined = trim($0); next }
	$0 = trim($0)
	if ($0 == "") next
	if ($0 ~ /^\[.*\]$/) {
		section = trim(substr($0, 2, length($0) - 2))
		if (section ~ /^when /) {
			when = ++whens
			read_patterns("when" when, substr(section, 6), FNR)
			section = "when"
		} else if (section !~ /^(sweep|axes|variables|exclude|metrics)$/) {
			refuse(FNR, "[" section "]: no such section; there are: [sweep] [axes] [variables] [when AXIS=PATTERN] [exclude] [metrics]")
		}
		next
	}
	if (section == "") refuse(FNR, "a line before the first section")
	if (section == "exclude") { read_patterns("exclude" (++excludes), $0, first_line); next }
	at = index($0, "=")
	if (at < 2) refuse(first_line, "'" $0 "': must be KEY=VALUE")
	key = trim(substr($0, 1, at - 1))
	text = trim(substr($0, at + 1))
	if (section == "sweep") {
		if (index(keys, " " key " ") == 0) refuse(first_line, key ": no such key in [sweep]; there are:" substr(keys, 1, length(keys) - 1))
		if (key == "env") {
			if (text !~ /^[A-Za-z_][A-Za-z0-9_]*=/) refuse(first_line, "env: must be NAME=TEXT")
			env[++envs] = text; env_line[envs] = first_line
			next
		}
		if (key in setting_line) refuse(first_line, key ": again, it is in line " setting_line[key] " already")
		setting[key] = text; setting_line[key] = first_line
		next
	}
	if (!is_name(key)) refuse(first_line, key ": a name has lower-case letters, digits and _")
	if (section == "when") {
		when_name[when, ++when_count[when]] = key
		when_text[when, when_count[when]] = text
		when_line[when, when_count[when]] = first_line
		next
	}
	if (index(reserved, " " key " ")) refuse(first_line, key ": the results have a column of that name")
	if (key in name_line) refuse(first_line, key ": again, it is in line " name_line[key] " already")
	name_line[key] = first_line
	if (section == "axes") { axis[++axes] = key; axis_number[key] = axes; axis_text[key] = text; axis_list = axis_list " " key }
	if (section == "variables") { variable_name[++variables] = key; default_text[key] = text; variable_list = variable_list " " key }
	if (section == "metrics") {
		if (text !~ /\\\(.*\\\)/) refuse(first_line, key ": must be a regular expression with a group \\(...\\)")
		if (index(text, "\001")) refuse(first_line, key ": a character that is none")
		metric_name[++metrics] = key; metric_text[metrics] = text
	}
}

# Without a command: what the axes say
function default_command(    n, name, sets) {
	known_default = 1
	for (n = 1; n <= axes; n++) {
		name = axis[n]
		if (name == "job" || name == "program" && !("job" in axis_number)) continue
		if (name ~ /^(gpu|policy|preempt|seed)$/ && "job" in axis_number) { options = options " --" name " {" name "}"; continue }
		if (name == "gpu") continue
		if ("job" in axis_number) options = options " --set " name "={" name "}"
		else sets = sets (sets == "" ? "" : ",") (name == "preempt" ? "preemption" : name) "={" name "}"
	}
	if ("job" in axis_number) {
		if (!("output" in setting)) setting["output"] = "csv"
		if (!("metrics" in setting)) setting["metrics"] = "antt stp fairness"
		return setting["tool"] " --csv" options " {job}"
	}
	if (!("program" in axis_number)) refuse(0, "no command in [sweep], and no axis job or program that would say one")
	env[++envs] = "VGPU_TRANSPORT=embedded"
	if ("gpu" in axis_number) env[++envs] = "VGPU_PRESET={gpu}"
	if (sets != "") env[++envs] = "VGPU_SET=" sets
	return "{program}"
}

function check_settings(    n, count, word) {
	if (!axes) refuse(0, "no axis: [axes] has to have one at least")
	number_of("at_once", 10000)
	number_of("timeout", 1000000000)
	if (setting["tool"] !~ /^vgpu-(sim|run)$/) refuse(setting_line["tool"], "tool: must be vgpu-sim or vgpu-run")
	if (!("command" in setting)) setting["command"] = default_command()
	if (setting["command"] == "") refuse(setting_line["command"], "command: is empty")
	if (!("output" in setting)) setting["output"] = metrics ? "text" : "csv"
	if (setting["output"] !~ /^(csv|text)$/) refuse(setting_line["output"], "output: must be csv or text")
	if (metrics && setting["output"] == "csv") refuse(setting_line["output"], "output: csv names its metrics with the key metrics; [metrics] is for text")
	if (setting["output"] == "text" && ("key" in setting || "metrics" in setting))
		refuse(setting_line["key"] + 0 ? setting_line["key"] : setting_line["metrics"], "key and metrics are for output=csv; for text there is the section [metrics]")
	if (!("over" in setting)) setting["over"] = "seed" in axis_number ? "seed" : ""
	else if (setting["over"] != "" && !(setting["over"] in axis_number)) refuse(setting_line["over"], "over: '" setting["over"] "' is no axis; there are:" axis_list)
	if ("x" in setting && !(setting["x"] in axis_number) && !index(" " setting["key"] " ", " " setting["x"] " "))
		refuse(setting_line["x"], "x: '" setting["x"] "' is no axis and no key; there are:" axis_list " " setting["key"])
	if (setting["pictures"] !~ /^(none|svg|png|svg png|png svg)$/) refuse(setting_line["pictures"], "pictures: must be svg, png, svg png or none")
	if ("baseline" in setting) {
		count = split(setting["baseline"], word, " ")
		for (n = 1; n <= count; n++) {
			at = index(word[n], "=")
			if (at < 2 || !(substr(word[n], 1, at - 1) in axis_number)) refuse(setting_line["baseline"], "baseline: '" word[n] "': must be AXIS=VALUE")
			if (substr(word[n], 1, at - 1) == setting["over"]) refuse(setting_line["baseline"], "baseline: " setting["over"] " is what pairs are made of")
			# an axis given on the command line may lack it: then there is no ratio
			if (!((substr(word[n], 1, at - 1), substr(word[n], at + 1)) in known) && !overridden)
				refuse(setting_line["baseline"], "baseline: '" word[n] "': no such value of that axis")
		}
	}
}

function put(key, text) { printf "%s\t%s\n", key, text >(work "/settings") }

function once(kind, text) {
	if (text == "" || (kind, text) in written) return
	written[kind, text]
	printf "%s\t%s\n", kind, text >(work "/inputs")
}

function escaped(text) { gsub(/%/, "%25", text); gsub(/\//, "%2F", text); gsub(/,/, "%2C", text); return text }

# The cell of the present values
function cell(    n, w, m, name, line) {
	for (n = 1; n <= excludes; n++) if (matches("exclude" n)) return
	for (n = 1; n <= variables; n++) variable[variable_name[n]] = default_text[variable_name[n]]
	for (w = 1; w <= whens; w++)
		if (matches("when" w)) for (m = 1; m <= when_count[w]; m++)
			if (!(when_name[w, m] in defined)) variable[when_name[w, m]] = when_text[w, m]
	for (n = 1; n <= axes; n++) {
		name = name (n > 1 ? "," : "") axis[n] "=" escaped(value[axis[n]])
		line = line "\t" value[axis[n]]
	}
	if (length(name) > 240) refuse(0, "the name of a cell is longer than 240 characters, give its axes shorter values: " name)
	for (n = 1; n <= variables; n++) line = line "\t" fill(variable[variable_name[n]], name_line[variable_name[n]])
	print name line >(work "/grid")
	line = name "\t" fill(setting["command"], setting_line["command"])
	for (n = 1; n <= envs; n++) line = line "\t" fill(env[n], env_line[n])
	print line >(work "/plan")
	once("inputs", fill(setting["inputs"], setting_line["inputs"]))
	once("programs", fill(setting["programs"], setting_line["programs"]))
	cells++
}

function grid(n,    m) {
	if (n > axes) { cell(); return }
	for (m = 1; m <= axis_values[axis[n]]; m++) {
		value[axis[n]] = axis_value[axis[n], m]
		grid(n + 1)
	}
}

END {
	if (refused) exit 2
	if (joined != "") refuse(first_line, "nothing follows the \\ at the end of the file")
	overridden = ENVIRON["SWEEP_AXES"] != ""
	overrides(ENVIRON["SWEEP_AXES"], axis_text, "axis")
	overrides(ENVIRON["SWEEP_DEFINES"], default_text, "define")
	# what the command line defines holds for all cells
	count = split(ENVIRON["SWEEP_DEFINES"], word, "\n")
	for (n = 1; n <= count; n++) defined[substr(word[n], 1, index(word[n], "=") - 1)]
	product = 1
	for (n = 1; n <= axes; n++) {
		add_axis(axis[n], axis_text[axis[n]], name_line[axis[n]])
		product *= axis_values[axis[n]]
	}
	if (product > 1000000) refuse(0, product " combinations of the axes: at most 1000000 can be")
	for (n = 1; n <= excludes; n++) check_patterns("exclude" n)
	for (n = 1; n <= whens; n++) {
		check_patterns("when" n)
		for (m = 1; m <= when_count[n]; m++)
			if (!(when_name[n, m] in default_text))
				refuse(when_line[n, m], when_name[n, m] ": no such variable; [variables] has:" variable_list)
	}
	check_settings()
	printf "" >(work "/inputs")
	grid(1)
	if (!cells) refuse(0, "the grid has no cell: [exclude] leaves all of them out")
	for (key in setting) put(key, setting[key])
	put("axes", substr(axis_list, 2))
	put("variables", substr(variable_list, 2))
	for (n = 1; n <= metrics; n++) { put("metric", metric_name[n]); put("expression", metric_text[n]) }
}
