#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The second scene of vgpu-demo, in the guest: Tanasic figure 5.1 with real programs (priority.job) under three policies, the last of
# them with each mechanism that frees an SM, by vgpu-run, whose clock makes it the same every time. Prints what became of each program;
# leaves priority-POLICY-MECHANISM.svg in /out.
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

printf '%-15s %-17s %16s %16s %16s\n' policy mechanism background-1 background-2 interactive
while read -r policy mechanism transfer; do
	build/tools/vgpu-run --policy "$policy" --preempt "$mechanism" --set "transfer_policy=$transfer" --csv \
		--svg "/out/priority-$policy-$mechanism.svg" tools/demo/priority.job >/tmp/priority.csv || exit 1
	awk -F, -v policy="$policy" -v mechanism="$mechanism" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ us[++n] = sprintf("%.1f us", $column["turnaround_us"]) }
		END { printf "%-15s %-17s %16s %16s %16s\n", policy, mechanism, us[1], us[2], us[3] }' /tmp/priority.csv
done <<'POLICIES'
fcfs none fcfs
npq none npq
ppq-exclusive drain npq
ppq-exclusive switch npq
ppq-exclusive drain-then-switch npq
ppq-exclusive flush npq
ppq-exclusive chimera npq
ppq-exclusive pep npq
POLICIES
