#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The pages of docs/start, and what of docs/writing-a-policy.md needs no guest, in a copy of the sources (pages.bash). The policy
# of the second page is built into vgpu-sim, and shares SMs as the page says.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
top=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset "${!VGPU_@}"
. tests/docs/pages.bash

mkdir -p "$dir/build/native" "$dir/build/tools"
cp -a Makefile sim-device uapi "$dir/" && cp -a build/native/sim-device "$dir/build/native/"
ln -s "$top"/{docs,tests,kmod,runtime,tools} "$dir/" && ln -s "$top"/build/tools/* "$dir/build/tools/" && ln -s "$top"/build/gen "$dir/build/"
ln -s "$top"/build/native/{tools,runtime,gen,libtools.a,libvgpu.a} "$dir/build/native/"
cd "$dir" || exit 1

for file in "$top"/docs/start/[1-9]-*.md; do page "$file"; done
[ "$(wc -l <sim-device/policy/even.c)" -gt 40 ]
ok "the second page has a policy" $?
ok "it compiles without a warning" "$(grep -c 'warning:' make.log)" "$(cat make.log)"

page docs/writing-a-policy.md '## Earliest deadline first' '### 2\.'
[ -s edf.svg ]
ok "there is a picture" $?

# Three processes of one long kernel each on 12 SMs: four SMs each, so all take three times as long, and end together.
cat >job.ini <<'JOB'
[global]
repeat=1
[a]
phase=kernel tbs=1200 tb_us=100 threads=1024 regs_per_tb=65536
[b]
phase=kernel tbs=1200 tb_us=100 threads=1024 regs_per_tb=65536
[c]
phase=kernel tbs=1200 tb_us=100 threads=1024 regs_per_tb=65536
JOB
for mechanism in drain switch; do
	build/tools/vgpu-sim --policy even --preempt "$mechanism" --set sms=12 --csv job.ini >out.csv 2>&1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ntt") c = i; next } { if ($c < 2.7 || $c > 3.1) bad = 1 } END { exit bad || NR != 4 }' out.csv
	ok "three processes share evenly, $mechanism" $? "$(cat out.csv)"
done
echo "1..$count"
exit $failed
