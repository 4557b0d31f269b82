#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Policies in files of their own (vgpu-sim --policy PATH): the one of the documentation compiles with the documentation's
# command, meets its deadlines where fcfs does not, and one that is wrong is ejected or refused with a reason.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
sim=$PWD/build/tools/vgpu-sim
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; return; fi
	echo "not ok $count - $1"
	failed=1
	[ -e "$dir/said" ] && sed 's/^/# /' "$dir/said" | head -n 20
}
# NAME STATUS TEXT ARGUMENT...: vgpu-sim ends so and says that
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	timeout 60 "$sim" "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	grep -qF -- "$text" "$dir/said" && [ "$status" -eq "$expected" ]
	ok "$name" $?
}
policy() { gcc -Wall -Wextra -Werror -shared -fPIC -Isim-device -Iuapi -o "$dir/$1.so" "$2"; }

cat >"$dir/mix.ini" <<'JOB'
[global]
gpu=k20c
repeat=1
[long]
phase=kernel tbs=5200 tb_us=100 threads=1024 regs_per_tb=16384
[short]
arrival_us=500
priority=4
phase=kernel tbs=52 tb_us=20 threads=1024 regs_per_tb=16384
JOB
turnaround() { sed -n "s/^$1  *[-0-9]*  *[0-9]*  *[0-9.]*  *\([0-9]*\)\..*/\1/p" "$dir/said"; }

policy edf docs/examples/policy-module/edf.c
ok "edf.c of the documentation compiles" $?
says "edf runs" 0 "policy edf, preemption switch" --policy "$dir/edf.so" --preempt switch "$dir/mix.ini"
# alone it takes 41 us; it has to be done in 10 ms / 16 = 625 us, and fcfs has it wait for 19541
[ "$(turnaround short)" -lt 100 ]
ok "edf meets the deadline" $?
says "fcfs does not" 0 "policy fcfs" "$dir/mix.ini"
[ "$(turnaround short)" -gt 19000 ]
ok "which is as hand-computed" $?
says "without preemption it makes progress" 0 "policy edf, preemption none" --policy "$dir/edf.so" "$dir/mix.ini"

# The README's policy is the file that it names, behind its opening comment.
tail -n +5 docs/examples/policy-module/fewest.c | sed 's/^./    &/' >"$dir/shown"
awk -v lines="$(wc -l <"$dir/shown")" '/#include "vgpu_policy_file.h"/ { on = 1 } on && n++ < lines' README.md | diff - "$dir/shown" >"$dir/said"
ok "the README shows fewest.c" $?
says "fewest runs" 0 "policy fewest, preemption none" --policy build/policies/fewest.so "$dir/mix.ini"

says "a file that there is not" 2 "none.so: cannot open shared object file" --policy "$dir/none.so" "$dir/mix.ini"
echo 'int nothing;' >"$dir/empty.c"
policy empty "$dir/empty.c"
says "a file without a policy" 2 'has no policy; one ends with VGPU_POLICY() (vgpu_policy_file.h)' --policy "$dir/empty.so" "$dir/mix.ini"
sed 's/VGPU_POLICY(edf,/VGPU_POLICY(dss,/' docs/examples/policy-module/edf.c >"$dir/same.c"
policy same "$dir/same.c"
says "a name that is taken" 2 'has the name of a policy that vgpu-sim has' --policy "$dir/same.so" "$dir/mix.ini"
sed 's/struct vgpu_policy {/struct vgpu_policy { long older;/' sim-device/vgpu_policy.h >"$dir/vgpu_policy.h"
gcc -w -shared -fPIC -include "$dir/vgpu_policy.h" -I"$dir" -Isim-device -Iuapi -o "$dir/old.so" docs/examples/policy-module/edf.c
says "one for another header" 2 'was compiled with another vgpu_policy.h; compile it again' --policy "$dir/old.so" "$dir/mix.ini"
cat >"$dir/calls.c" <<'C'
#include "vgpu_policy_file.h"
void vgpu_exec_nothing(struct vgpu_exec *exec);
VGPU_POLICY(calls, .schedule = vgpu_exec_nothing);
C
policy calls "$dir/calls.c"
says "one that calls what there is not" 2 'undefined symbol: vgpu_exec_nothing' --policy "$dir/calls.so" "$dir/mix.ini"
cat >"$dir/never.c" <<'C'
#include "vgpu_policy_file.h"
static void never_schedule(struct vgpu_exec *exec)
{
	(void)exec;
}
VGPU_POLICY(never, .schedule = never_schedule);
C
policy never "$dir/never.c"
says "one that never schedules is ejected, and it is said" 1 \
	'vgpu-sim: policy never: context 1 has had work and no SM for 10000000 us; fcfs has followed it' --policy "$dir/never.so" "$dir/mix.ini"

# What vgpu_policy.h declares is what policies from outside can call.
sed '/---- the lists/q; /^static inline/d' sim-device/vgpu_policy.h | sed -n 's/^[a-z].*[ *]\(vgpu_[a-z_]*\)(.*/\1/p' | LC_ALL=C sort >"$dir/declared"
sed -n 's/^\tX(\(.*\)).*/\1/p' sim-device/vgpu_policy_services.h | LC_ALL=C sort >"$dir/listed"
diff "$dir/declared" "$dir/listed" >"$dir/said" && [ -s "$dir/listed" ]
ok "vgpu_policy_services.h lists all of vgpu_policy.h" $?
echo "1..$count"
exit $failed
