#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Litmus tests as CUDA programs: the short form of run.sh, and that the generator and the program say what is wrong.
set -u
cd "$(dirname "$0")/../.." || exit
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 failed=0

ok() { # name, status
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=1; fi
}

export VGPU_TRANSPORT=embedded VGPU_PRESET=tanasic-ch6
base=sms=4,block_placement=breadth,timing=pipeline

# The conditions were written by hand: exists is what PTX allows, ~exists what it forbids.
build/litmus --allowed tests/litmus/*.litmus >"$dir/allowed"
ok "PTX's axioms agree with all conditions" $?
[ "$(grep -c '^Test' "$dir/allowed")" -ge 40 ] && ! grep -q '^No' "$dir/allowed"
ok "... of forty tests" $?
# numbers of outcomes that sequential consistency has are known: 3 of two threads and lines, 7 of WRC, 15 of IRIW
! grep -E '^Test (MP|SB|LB|S|R|2\+2W)[+:]' "$dir/allowed" | grep -vq ': 3 sc' && ! grep -E '^Test WRC' "$dir/allowed" | grep -vq ': 7 sc' &&
	! grep -E '^Test IRIW' "$dir/allowed" | grep -vq ': 15 sc'
ok "so does sequential consistency" $?
printf 'PTX a\n{ x=0; y=0; }\n P0 | P1 ;\n st x,1 | ld r0,y ;\n st y,1 | ld r1,x ;\n~exists (1:r0=1 /\\ 1:r1=0)\n' >"$dir/wrong.litmus"
build/litmus --allowed "$dir/wrong.litmus" >"$dir/said"
[ $? -eq 1 ] && grep -q '^No$' "$dir/said"
ok "a condition that is not so is found" $?
printf 'PTX a\n P0 ;\n st x,1 ;\nexists (x=1)\n\nPTX b\n P0 ;\n jump x ;\n' >"$dir/bad.litmus"
build/litmus "$dir/bad.litmus" >"$dir/cu" 2>"$dir/said"
[ $? -eq 1 ] && grep -q "bad.litmus, test from line 6: line 3: 'jump x' is none of" "$dir/said"
ok "what cannot be read is named" $?
build/litmus >"$dir/cu" 2>"$dir/said"
[ $? -eq 2 ] && grep -q usage "$dir/said"
ok "... and how it is called" $?

OUT=$dir/out tests/litmus/run.sh --quick >"$dir/run"
status=$?
cat "$dir/run"
ok "nothing forbidden under gpu, tcw, mesi and rcc" $status
# weak outcomes of gpu and tcw are seen: old lines in an L1
awk '$1 == "MP" && $2 == "gpu" && $5 == "-" { found = 1 } END { exit !found }' "$dir/out/gpu.0.seen"
ok "gpu shows a stale line" $?
awk '$1 == "MP" && $5 == "-" { found = 1 } END { exit !found }' "$dir/out/tcw.0.seen"
ok "so does tcw" $?
! awk '$5 == "-" { found = 1 } END { exit !found }' "$dir/out/rcc.1.seen"
ok "rcc does not" $?
[ "$(grep -c '^| ' "$dir/out/table.md")" -ge 41 ]
ok "all of them are in a table" $?

# RCC as published: a line leaves L2 while an L1 has a lease, and writes that miss are given a time in the lease. A reader sees the
# second write and hits the old line. A release and an acquire, which this defect passes by, forbid it under PTX, too.
evicts=$base,coherence=rcc,sc_core=1,l2_partitions=1,l2_ways=4,l2_bytes=8192
VGPU_SET=$evicts,rcc_as_published=1 build/litmus-all -n 200 -e 4 -p gpu -t MP >"$dir/said"
[ $? -eq 0 ] && grep -q '^MP gpu 1:r0=1,1:r1=0,x=1,y=1 [0-9]* - ptx$' "$dir/said"
ok "rcc as published shows a stale line when one is evicted" $?
VGPU_SET=$evicts,rcc_as_published=1 build/litmus-all -n 200 -e 4 -p gpu -t MP+rel+acq >"$dir/said"
[ $? -eq 1 ] && grep -q '^MP+rel+acq gpu 1:r0=1,1:r1=0,x=1,y=1 [0-9]* - - FORBIDDEN$' "$dir/said"
ok "... behind a release and an acquire" $?
VGPU_SET=$evicts build/litmus-all -n 60 -e 4 -p gpu -s >"$dir/said"
status=$?
grep FORBIDDEN "$dir/said"
[ $(wc -l <"$dir/said") -ge 120 ] && [ $status -eq 0 ]
ok "rcc does not, in any test" $?
for test in MP MP+rel+acq; do
	VGPU_SET=$evicts build/litmus-all -n 200 -e 4 -p gpu -t $test -s >"$dir/said"
	ok "... in as many runs of $test" $?
done
VGPU_SET=$evicts build/litmus-all -e 0 2>"$dir/said"
[ $? -eq 2 ] && grep -q usage "$dir/said"
ok "a number of lines that is none is refused" $?

OUT=$dir/out tests/litmus/policies.sh --quick >"$dir/run"
status=$?
cat "$dir/run"
ok "nor under any policy, beside kernels for which blocks leave" $status

# With -s what is not sequentially consistent is an error: the program can tell.
VGPU_SET=$base,coherence=gpu build/litmus-all -n 60 -p gpu -t MP -s >"$dir/said"
[ $? -eq 1 ] && grep -q '^MP gpu 1:r0=1,1:r1=0,x=1,y=1 [0-9]* - ptx FORBIDDEN$' "$dir/said"
ok "an outcome that is forbidden ends the program with 1" $?
VGPU_SET=$base,coherence=gpu build/litmus-all -t nothing 2>"$dir/said"
[ $? -eq 2 ] && grep -q "no test 'nothing' here" "$dir/said"
ok "a test that is not there is named" $?
VGPU_SET=sms=1,timing=pipeline build/litmus-all -n 2 -p gpu -t MP >"$dir/out1" 2>"$dir/said"
[ ! -s "$dir/out1" ] && grep -q '^MP: no such blocks here: gpu$' "$dir/said"
ok "a placement that the device has not is named" $?
echo "1..$n"
exit $failed
