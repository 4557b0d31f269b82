# SPDX-License-Identifier: MIT
#
# plan.awk: what decides the result of each cell, and in which state it is (docs/sweep.md, "What is run").
#
# usage: awk -v out=RESULTS -v work=FOLDER -v head=LINES -f plan.awk FILES PLAN
# FILES: lines "WORD KIND SHA256 STAMP PATH" of programs and files, several of a word, separated by tabs; word "*": of all cells.
# PLAN: as spec.awk writes it. Writes work/inputs-of (a line "N STATE NAME WHY"), and with write=FOLDER FOLDER/N for each cell.

BEGIN { FS = "\t" }

FILENAME == ARGV[1] {
	n = ++of_word[$1]
	line_of[$1, n] = $2 " " ($2 == "file" || $2 == "module" ? $5 : $6) " " $3
	check_of[$1, n] = $2 == "module" ? "" : "check " $2 "\t" $3 "\t" $4 "\t" $5
	next
}

function add(word,    n) {
	for (n = 1; n <= of_word[word]; n++) {
		if (line_of[word, n] in had) continue
		had[line_of[word, n]]
		text[++lines] = line_of[word, n]
		if (check_of[word, n] != "") check[++checks] = check_of[word, n]
	}
}

# The first line in which cell NAME was made otherwise, as words; empty: none
function differs(name,    path, n, line, why) {
	path = out "/cells/" name "/inputs"
	for (n = 1; (getline line < path) > 0; n++)
		if (why == "" && (n > lines || line != text[n])) why = what(n > lines ? line : text[n], line)
	close(path)
	if (why == "" && n <= lines) why = what(text[n], "")
	return why
}

function what(now, before,    word) {
	split(now, word, " ")
	if (word[1] == "command") return "another command: " substr(before, 9)
	if (word[1] == "env") return "another environment: " (before ~ /^env / ? substr(before, 5) : "without " word[2])
	if (word[1] == "file") return "file " word[2] " has changed"
	return "another version: " word[1] " " word[2] " has changed"
}

{
	split("", had)
	lines = checks = 0
	text[++lines] = "command " $2
	for (n = 3; n <= NF; n++) text[++lines] = "env " $n
	add("*")
	count = split($2, word, " ")
	for (n = 1; n <= count; n++) add(word[n])
	state = "missing"
	why = error = ""
	path = out "/cells/" $1 "/state"
	while ((getline line < path) > 0) {
		if (line ~ /^state=/) state = substr(line, 7)
		if (line ~ /^error=/) error = substr(line, 7)
	}
	close(path)
	if (state == "done") {
		why = differs($1)
		if (why != "") state = "stale"
	} else if (state == "failed") {
		why = error
	} else {
		path = out "/cells/" $1 "/running"
		if ((getline line < path) >= 0) { state = "begun"; why = line }
		close(path)
	}
	printf "%d\t%s\t%s\t%s\n", FNR, state, $1, why >(work "/states")
	if (write != "") {
		path = write "/" FNR
		printf "cell %s\n%s", $1, head >path
		for (n = 1; n <= checks; n++) print check[n] >path
		for (n = 1; n <= lines; n++) print text[n] >path
		close(path)
	}
}
