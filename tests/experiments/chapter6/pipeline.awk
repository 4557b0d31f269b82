# SPDX-License-Identifier: MIT
#
# pipeline.awk: what pipeline.sh has measured: performance against the baseline of each program, and the numbers of 6.5.2.
# usage: awk -v modes="..." -v programs="..." -f pipeline.awk expected-pipeline.csv pipeline.csv
#
# Verdicts are about what is lost: yes, if it is within a third of the loss that the text reports, or within 2 per cent where that
# is less than 2; direction, if at least half a per cent is lost; else no.

function verdict(paper, ours, loss) {
	loss = 1 - paper
	if (loss < 0.02) return ours >= paper - 0.02 && ours <= 1.02 ? "yes" : ours < 1 ? "direction" : "no"
	if (1 - ours > loss * 2 / 3 && 1 - ours < loss * 4 / 3) return "yes"
	return 1 - ours > 0.005 ? "direction" : "no"
}

function order(text, more, less) {
	printf("| %s | %.3f >= %.3f | %s |\n", text, more, less, (more >= less - 0.0005 ? "yes" : "no"))
}

BEGIN { FS = ","; count = split(modes, mode, " "); many = split(programs, program, " ") }
FNR == 1 { file++; next }
file == 1 { rows++; figure[rows] = $1; of[rows] = $2; how[rows] = $3; paper[rows] = $4; next }
{ ns[$1, $2] = $3 }
END {
	for (p = 1; p <= many; p++)
		for (m = 1; m <= count; m++) {
			x = ns[program[p], "baseline"] / ns[program[p], mode[m]]
			is[program[p], mode[m]] = x
			sum[mode[m]] += log(x)
		}
	for (m = 1; m <= count; m++) is["geomean", mode[m]] = exp(sum[mode[m]] / many)

	printf "| program |"
	for (m = 2; m <= count; m++) printf " %s |", mode[m]
	printf "\n|---|"
	for (m = 2; m <= count; m++) printf "---|"
	printf "\n"
	program[many + 1] = "geomean"
	for (p = 1; p <= many + 1; p++) {
		printf "| %s |", program[p]
		for (m = 2; m <= count; m++) printf " %.3f |", is[program[p], mode[m]]
		printf "\n"
	}

	printf "\n| figure | program | mode | paper | ours | verdict |\n|---|---|---|---|---|---|\n"
	for (r = 1; r <= rows; r++)
		if ((of[r], how[r]) in is)
			printf "| %s | %s | %s | %.3f | %.3f | %s |\n", figure[r], of[r], how[r], paper[r], is[of[r], how[r]],
				verdict(paper[r], is[of[r], how[r]])

	printf "\n| ordering | | |\n|---|---|---|\n"
	for (p = 1; p <= many + 1; p++) {
		n = program[p]
		order(n ": checked earlier is not slower (wd-lastcheck, wd-commit)", is[n, "wd-lastcheck"], is[n, "wd-commit"])
		order(n ": replay-queue, wd-commit", is[n, "replay-queue"], is[n, "wd-commit"])
		order(n ": operand-log-16, replay-queue", is[n, "operand-log-16"], is[n, "replay-queue"])
		order(n ": operand-log-32, operand-log-8", is[n, "operand-log-32"], is[n, "operand-log-8"])
		order(n ": in-order, in-order-commit", is[n, "in-order"], is[n, "in-order-commit"])
	}
}
