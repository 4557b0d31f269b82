#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Page faults and scheduling: a small run, times in it that are known on paper, what must hold, and report.awk with runs made by hand.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
here=tests/experiments/faults
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

# NAME STATUS TEXT COMMAND...: the command ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	"$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}

# NAME FILE TEST: an awk condition that must be true of all lines of the small run; n counts those that it looks at
all() {
	awk -F, "function near(a, b) { return a > b * 0.9999 && a < b * 1.0001 }
		NR > 1 && !($3) { bad = 1; print \"# \" \$0 } END { exit bad || NR < 2 }" "$dir/a/$2.csv"
	ok "$1" $?
}

# NAME FILE TEST: the same of v["RATE HOW COLUMN"] for how: stall, preemptible, switching, drain
holds() {
	awk -F, "NR == 1 { for (i = 1; i <= NF; i++) name[i] = \$i; next }
		{ for (i = 5; i <= NF; i++) v[\$2 \" \" (\$4 == \"drain\" ? \$4 : \$3) \" \" name[i]] = \$i }
		END { exit !($3) }" "$dir/a/$2.csv"
	ok "$1" $?
}

OUT=$dir/a "$here/run.sh" --quick >"$dir/log" 2>&1
ok "a small run" $?
[ "$(wc -l <"$dir/a/ppq.csv")" -eq $((1 + 3 * 3 * 2)) ] && [ "$(wc -l <"$dir/a/dss.csv")" -eq $((1 + 3 * 4)) ]
ok "every configuration" $?
# 1 us on its way, 0.1 us for the registers of the SMs, 50 us
all "the kernel with priority alone: 51.1 us" ppq '$7 == "51.100"'
# 0.2 us for the pipeline, and 4 blocks of 64 KB on each of 16 SMs at 250 GB/s: 262144 * 16 / 250e9 s = 16.777 us
all "preemptible SMs are there after 16.977 us" ppq '$3 != "preemptible" || $4 != "switch" || (near($11, 16.977216) && near($12, 16.977216))'
all "... and under DSS" dss '$3 != "preemptible" || $4 != "switch" || (near($12, 16.977216) && near($13, 16.977216))'
all "so the kernel takes no longer than (51.1 + 16.977) / 51.1" ppq '$3 != "preemptible" || $4 != "switch" || ($9 > 1.28 && $9 < 1.3324)'
# 64 blocks fault at a time: 64 * 65536 / 15.75e9 s = 266.3 us over the interconnect, 25 us at least, and the save
all "an SM that stalls waits for at most 64 faults" ppq '$3 != "stall" || $12 < 266.305 + 25 + 16.978'
# 640 * 8 granules over the interconnect: 21304.4 us; one block after the last of them, and what comes before the first
all "who pages alone takes as long as its data" dss '$2 != 8 || ($5 > 21304.4 && $5 < 21304.4 + 100 + 25)'
grep '^pcie,0,stall' "$dir/a/ppq.csv" | sed 's/stall/preemptible/' | cmp -s - <(grep '^pcie,0,preemptible,switch' "$dir/a/ppq.csv") &&
	grep '^pcie,0,stall' "$dir/a/dss.csv" | sed 's/stall/preemptible/' | cmp -s - <(grep '^pcie,0,preemptible,switch' "$dir/a/dss.csv")
ok "without faults no SM stalls" $?
holds "SMs that stall delay the kernel with priority, draining more" ppq \
	'v["8 stall ntt"] > 3 * v["8 preemptible ntt"] && v["8 drain ntt"] > 3 * v["8 stall ntt"] && v["1/2 stall ntt"] > 1.1 * v["1/2 preemptible ntt"]'
holds "others pay for an SM that stalls, and more for draining" dss \
	'v["8 stall plain_ntt"] > 1.05 * v["8 preemptible plain_ntt"] && v["8 drain plain_ntt"] > 1.3 * v["8 stall plain_ntt"]'
holds "... but not for one that is preemptible" dss \
	'v["8 preemptible plain_ntt"] < 1.03 * v["0 preemptible plain_ntt"] && v["8 switching plain_ntt"] < 1.03 * v["0 switching plain_ntt"]'
grep -q '^| data, PCI Express | 0 | 1.3[0-9] | 17.0 | 17.0 | 1.3[0-9] | 17.0 | 17.0 | ' "$dir/a/tables.md" && [ "$(grep -c '^| data, PCI' "$dir/a/tables.md")" -eq $((3 + 12)) ]
ok "the tables" $?
OUT=$dir/b "$here/run.sh" --quick >"$dir/log" 2>&1
cmp -s "$dir/a/ppq.csv" "$dir/b/ppq.csv" && cmp -s "$dir/a/dss.csv" "$dir/b/dss.csv"
ok "the same again" $?
OUT=$dir/c SET="fault_data_round_trip_ps=50000000 link_bandwidth=8000000000" "$here/run.sh" --quick >"$dir/log" 2>&1
! cmp -s <(grep '^pcie,8' "$dir/a/ppq.csv") <(grep '^pcie,8' "$dir/c/ppq.csv") && cmp -s <(grep '^pcie,0' "$dir/a/ppq.csv") <(grep '^pcie,0' "$dir/c/ppq.csv")
ok "SET changes the device" $?

report() { mkdir -p "$dir/report" && awk -v out="$dir/report" -f "$here/report.awk" "$1" "$2"; }
{
	echo head
	printf 'new-gpu,2,%s,3,all,50.000,%s\n' stall,switch 100.000,2.0000,16,40.000,50.000 preemptible,switch 60.000,1.2000,16,10.000,11.000 \
		preemptible,drain 200.000,4.0000,16,150.000,160.123
	printf 'pcie,8,%s,7,one,50.000,%s\n' stall,switch 75.000,1.5000,16,25.000,25.000 preemptible,switch 60.000,1.2000,16,10.000,11.000 \
		preemptible,drain 50.000,1.0000,16,0.000,0.000
} >"$dir/ppq.csv"
{
	echo head
	echo "nvlink,1/8,switching,switch,1000.000,2500.000,2.5000,25.00%,2.0000,0.8000,16,10.000,11.000"
} >"$dir/dss.csv"
report "$dir/ppq.csv" "$dir/dss.csv" >"$dir/tables"
grep -qx '| no data, SMs | 2 | 2.00 | 40.0 | 50.0 | 1.20 | 10.0 | 11.0 | 4.00 | 150.0 | 160.1 |' "$dir/tables" &&
	grep -qx '| 7 | one | 1.50 | 25.0 | 25.0 | 1.20 | 10.0 | 11.0 | 1.00 | 0.0 | 0.0 |' "$dir/tables" &&
	grep -qx '| data, NVLink | 1/8 | switch, block switching | 1000 | 2500 | 2.50 | 25.00% | 2.00 | 0.800 | 10.0 | 11.0 |' "$dir/tables" &&
	[ "$(grep -c '^|' "$dir/tables")" -eq 9 ]
ok "tables of runs made by hand" $?
[ "$(cat "$dir/report/ppq-new-gpu.csv")" = "$(printf 'faults,switch; stall,switch; preemptible,drain\n0,NaN,NaN,NaN\n1/8,NaN,NaN,NaN\n1/2,NaN,NaN,NaN\n2,2.0000,1.2000,4.0000\n8,NaN,NaN,NaN')" ]
ok "what the figures are drawn from" $?
echo "pcie,8,stall,switch,1,all,50.000,,,16,10.000,11.000" >>"$dir/ppq.csv"
says "a run without a time" 1 "ppq.csv:8" report "$dir/ppq.csv" "$dir/dss.csv"
says "no such option" 2 "no option '--fast'" "$here/run.sh" --fast
says "a device that cannot be" 1 "sms" env OUT="$dir/d" SET=sms=0 "$here/run.sh" --quick
echo "1..$count"
exit $failed
