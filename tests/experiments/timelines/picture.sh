#!/bin/bash
# SPDX-License-Identifier: MIT
#
# picture.sh: how many SMs hold blocks of each of two processes, over the first milliseconds, a panel a policy.
#
# usage: tests/experiments/timelines/picture.sh JOB POLICY:MECHANISM... >PICTURE.svg
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."
job=$1 until=8000
shift
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT

# Bins of 20 us; a bin has an SM if a block of the process is there at its middle.
panel() { # POLICY INDEX
	awk -v policy="$1" -v index_="$2" -v until=$until '
	BEGIN { bins = until / 20 }
	/"thread_name"/ {
		if (match($0, /"tid":[0-9]+/)) tid = substr($0, RSTART + 6, RLENGTH - 6)
		if (match($0, /"SM [0-9]+/)) { sm = substr($0, RSTART + 4, RLENGTH - 4); of[tid] = sm + 0; if (of[tid] >= sms) sms = of[tid] + 1 }
		next
	}
	/"block":/ {
		match($0, /"ts":[0-9.]+/); ts = substr($0, RSTART + 5, RLENGTH - 5)
		match($0, /"dur":[0-9.]+/); end = ts + substr($0, RSTART + 6, RLENGTH - 6)
		match($0, /"tid":[0-9]+/); sm = of[substr($0, RSTART + 6, RLENGTH - 6)]
		match($0, /"process":"[^"]*/); p = substr($0, RSTART + 11, RLENGTH - 11)
		if (!(p in number)) { number[p] = ++count; name[count] = p }
		p = number[p]
		for (b = int((ts + 10) / 20); b * 20 + 10 < end; b++)
			if (b * 20 + 10 >= ts && !((p, b, sm) in seen)) { seen[p, b, sm] = 1; held[p, b]++ }
	}
	# The area of process p lies on those before it.
	function area(p, colour, b, q, low, up, down, x) {
		for (b = 0; b < bins; b++) {
			low = 0
			for (q = 1; q < p; q++) low += held[order[q], b]
			x = 100 + 780 * b / bins
			up = up sprintf("%s%.1f %.1f", b ? "L" : "M", x, top + 120 - 120 * (low + held[order[p], b]) / sms)
			down = sprintf("L%.1f %.1f", x, top + 120 - 120 * low / sms) down
		}
		printf "<path d=\"%s%sZ\" fill=\"%s\"/>\n", up, down, colour
	}
	END {
		top = 40 + 160 * index_
		order[1] = number["training"]; order[2] = number["inference"]
		printf "<text x=\"90\" y=\"%d\" text-anchor=\"end\">%s</text><text x=\"90\" y=\"%d\" text-anchor=\"end\" fill=\"#444\">%d SMs</text>\n", top + 66, policy, top + 10, sms
		area(1, "#9db8d2"); area(2, "#d2691e")
		printf "<path d=\"M100 %dV%dH880\" fill=\"none\" stroke=\"#444\"/>\n", top, top + 120
		for (ms = 0; ms <= until / 1000; ms += 2)
			printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#444\">%d ms</text>\n", 100 + 780 * ms * 1000 / until, top + 134, ms
	}' "$trace"
}

echo "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"$((50 + 160 * $#))\" font-family=\"sans-serif\" font-size=\"12\">"
echo '<rect width="100%" height="100%" fill="white"/><text x="100" y="20">SMs with blocks of <tspan fill="#5a7fa5">training</tspan> and <tspan fill="#d2691e">inference</tspan></text>'
index=0
for policy; do
	# 1: it was stopped
	build/tools/vgpu-sim --policy "${policy%%:*}" --preempt "${policy##*:}" --until $until --trace "$trace" "$job" >/dev/null 2>&1 || [ $? -eq 1 ]
	panel "${policy%%:*}" $index
	index=$((index + 1))
done
echo '</svg>'
