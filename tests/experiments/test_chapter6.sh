#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The evaluation of chapter 6: a small run of it and what must hold there, and report.awk with runs made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/chapter6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME TEST: an awk expression of ns["PROGRAM LINK READING MODE"] that must be true of the small run
holds() {
	awk -F, "NR > 1 { ns[\$1 \" \" \$2 \" \" \$3 \" \" \$4] = \$5 } END { exit !($2) }" "$dir/a/runs.csv"
	ok "$1" $?
}

# NAME STATUS TEXT COMMAND...: the command ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

report() { # EXPECTED RUNS: the verdict
	mkdir -p "$dir/report"
	awk -v out="$dir/report" -f "$here/report.awk" "$1" "$2"
}

OUT=$dir/a "$here/run.sh" --all-readings histo heap-points >"$dir/log" 2>&1
ok "a small run" $?
# 8 and 4 runs for each of three readings, and one without costs
[ "$(awk -F, 'NR > 1 && $5 > 0' "$dir/a/runs.csv" | wc -l)" -eq $((25 + 13)) ] && [ "$(sort -u "$dir/a/runs.csv" | wc -l)" -eq 39 ]
ok "every configuration of every program" $?
# in 64 KB: 4 MB in, 84 blocks' 24 KB out, of 14 parts each contiguous, and what is outside or overflows; 2 MB of the heap
awk -F, 'NR > 1 { n[$1] = $2 } END { exit !(n["histo"] >= 64 + 14 * 3 && n["histo"] <= 64 + 14 * 4 + 100 && n["heap-points"] >= 32 && n["heap-points"] <= 64) }' \
	"$dir/a/programs.csv"
ok "so many page faults" $?

holds "faults cost time" 'ns["histo none none stall"] < ns["histo nvlink paths stall"] && ns["histo nvlink paths stall"] < ns["histo pcie paths stall"]'
holds "what occupies the interconnect costs time" \
	'ns["histo pcie paths stall"] > ns["histo pcie latency stall"] && ns["histo nvlink paths stall"] > ns["histo nvlink latency stall"]'
holds "a host that is busy for longer costs time" \
	'ns["histo pcie round-trip stall"] > ns["histo pcie paths stall"] && ns["heap-points pcie round-trip stall"] > ns["heap-points pcie paths stall"]'
holds "block switching hides faults of histo, more over NVLink" 'ns["histo nvlink paths stall"] > 1.03 * ns["histo nvlink paths switch"] &&
	ns["histo nvlink paths stall"] * ns["histo pcie paths switch"] > ns["histo pcie paths stall"] * ns["histo nvlink paths switch"]'
holds "the ideal switch is not slower there" \
	'ns["histo pcie paths ideal"] <= ns["histo pcie paths switch"] && ns["histo nvlink paths ideal"] <= ns["histo nvlink paths switch"]'
holds "SMs handle the output pages of histo in less time than the host" 'ns["histo pcie paths gpu"] < 0.97 * ns["histo pcie paths stall"]'
holds "where SMs handle all faults, neither host nor interconnect has a part in it" 'ns["heap-points pcie paths gpu"] == ns["heap-points nvlink round-trip gpu"] &&
	ns["heap-points pcie paths gpu"] == ns["heap-points nvlink paths gpu"] && ns["heap-points pcie paths gpu"] == ns["heap-points pcie latency gpu"]'
OUT=$dir/b "$here/run.sh" heap-points-halloc >"$dir/log" 2>&1
ok "memory as Halloc places it" $?
gpu() { sed -n "s/^heap-points-halloc,pcie,paths,$2,//p" "$dir/$1/runs.csv"; }
# one fault after the other on the host, all at the same time on the SMs
[ "$(gpu b gpu)" -lt "$(gpu b stall)" ]
ok "SMs handle many faults at a time in less time than the host" $?
OUT=$dir/b SET=fault_gpu_ps=1000000 "$here/run.sh" histo >"$dir/log" 2>&1
cmp -s <(grep '^histo,.*,paths,[a-z]*[^u],[0-9]*$' "$dir/a/runs.csv") <(grep '^histo,.*,paths,[a-z]*[^u],[0-9]*$' "$dir/b/runs.csv")
ok "the same again where nothing has changed" $?
gpu() { sed -n 's/^histo,pcie,paths,gpu,//p' "$dir/$1/runs.csv"; }
[ "$(gpu b)" -lt "$(gpu a)" ]
ok "SET changes the device" $?

# A program whose values are wrong ends the run.
mkdir -p "$dir/fake/experiments/chapter6"
printf '#!/bin/sh\necho histo: kernel 1000 ns\necho histo: WRONG at out[3]\nexit 1\n' >"$dir/fake/experiments/chapter6/histo"
chmod +x "$dir/fake/experiments/chapter6/histo"
! OUT=$dir/c BIN=$dir/fake "$here/run.sh" histo >"$dir/said" 2>&1 && grep -q 'WRONG at out' "$dir/said" && [ ! -e "$dir/c/verdict.md" ]
ok "wrong values" $?
# With --pipeline the baseline stalls on a fault, and what can be preempted does not.
printf '#!/bin/sh\necho "$VGPU_SET" >>%s/settings\necho histo: kernel 1000 ns\n' "$dir" >"$dir/fake/experiments/chapter6/histo"
OUT=$dir/c BIN=$dir/fake "$here/run.sh" --pipeline histo >"$dir/said" 2>&1 || :
[ "$(grep -c 'timing=pipeline,fault_scheme=stall,sm_on_fault=stall' "$dir/settings")" -ge 3 ] &&
	[ "$(grep -c 'timing=pipeline,fault_scheme=operand-log,\(block_switching=1\|fault_handler=gpu\)' "$dir/settings")" -eq 6 ] &&
	! grep -q 'fault_scheme=operand-log,sm_on_fault=stall\|fault_scheme=stall,[^s]' "$dir/settings"
ok "with the pipeline, each mode has its scheme" $?
says "no such program" 2 "no program 'fft'" "$here/run.sh" fft

# PROGRAM STALL SWITCH IDEAL GPU: its runs under all configurations
by_hand() {
	local link host
	for link in nvlink pcie; do
		for host in latency paths; do
			printf "$1,$link,$host,%s\n" "stall,$2" "switch,$3" "ideal,$4" "gpu,$5"
		done
	done
}
{
	echo "program,link,reading,mode,ns"
	by_hand sgemm 1136000 1000000 1000000 1000000
	by_hand stencil 1076 538 538 1076
	by_hand histo 1000 1100 1100 250
} >"$dir/runs.csv"
report "$here/expected.csv" "$dir/runs.csv" >"$dir/verdict"
grep -q '^| 6.13 | sgemm | switch | nvlink | 1.136 | 1.136 | yes | 1.136 | yes |$' "$dir/verdict" &&
	grep -q '^| 6.13 | stencil | switch | nvlink | 1.076 | 2.000 | direction | 2.000 | direction |$' "$dir/verdict" &&
	grep -q '^| 6.13 | histo | switch | pcie | 1.046 | 0.909 | no | 0.909 | no |$' "$dir/verdict" &&
	grep -q '^| 6.13 | mri-gridding | switch | nvlink | 0.860 | - | not run | - | not run |$' "$dir/verdict"
ok "verdicts" $?
# 1.136 * 2 * (1 / 1.1), its cube root; 1.136 * 1 * 4
grep -q '^6.13,latency,pcie,switch,geomean,1.2735$' "$dir/report/figures.csv" && grep -q '^6.15,latency,pcie,gpu,geomean,1.6563$' "$dir/report/figures.csv"
ok "geometric means" $?
grep -q '^| 6.13: histo gains more than stencil, nvlink | 0.909 > 2.000 | no | 0.909 > 2.000 | no |$' "$dir/verdict" &&
	grep -q '^| 6.15: histo gains more than the mean, pcie | 4.000 > 1.656 | yes | 4.000 > 1.656 | yes |$' "$dir/verdict" &&
	! grep -q '6.14: \|lbm' "$dir/verdict"
ok "orderings" $?

judged() { # PAPER STALL SWITCH VERDICT
	{ echo "program,link,reading,mode,ns"; by_hand sgemm "$2" "$3" "$3" "$3"; } >"$dir/one.csv"
	echo "6.13,pcie,switch,sgemm,$1," >"$dir/expected.csv"
	report "$dir/expected.csv" "$dir/one.csv" | grep -q "| $4 | [0-9.]* | $4 |\$"
	ok "$1 against $2 / $3: $4" $?
}
judged 1.300 1400 1000 yes
judged 1.300 1401 1000 direction
judged 1.300 1199 1000 direction
judged 1.300 1004 1000 no
judged 0.700 800 1000 yes
judged 0.700 801 1000 direction
judged 0.700 1001 1000 no
judged 1.000 1020 1000 yes
judged 1.000 1021 1000 no

grep -v '^histo,pcie,latency,gpu' "$dir/runs.csv" >"$dir/less.csv"
says "a configuration is missing" 1 "histo was not run with pcie, latency, gpu" report "$here/expected.csv" "$dir/less.csv"
sed 's/^\(histo,pcie,latency,gpu\),.*/\1,/' "$dir/runs.csv" >"$dir/less.csv"
says "a run without a time" 1 "runs.csv:" report "$here/expected.csv" "$dir/less.csv"
echo "6.16,pcie,gpu,histo,1.0," >"$dir/expected.csv"
says "no such figure" 1 "expected.csv:1" report "$dir/expected.csv" "$dir/runs.csv"
echo "1..$count"
exit $failed
