#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The policy of docs/writing-a-policy.md, as it stands there: it is put in its place in a copy of the sources, built into
# vgpu-sim, and shares SMs as the page says.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
top=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

mkdir -p "$dir/tools" "$dir/build/native"
cp -a Makefile sim-device uapi "$dir/" && cp -a tools/setup "$dir/tools/" && cp -a build/native/sim-device "$dir/build/native/"
cd "$dir" || exit 1
sed -n '/^```c$/,/^```$/p' "$top/docs/writing-a-policy.md" | sed '1d;$d' >sim-device/policy/even.c
[ "$(wc -l <sim-device/policy/even.c)" -gt 40 ]
ok "the page has a policy" $?
sed -i 's/^extern const struct vgpu_policy vgpu_policy_fcfs;/&\nextern const struct vgpu_policy vgpu_policy_even;/' sim-device/policy/common.h
sed -i 's/^\t&vgpu_policy_fcfs,/&\n\t\&vgpu_policy_even,/' sim-device/policy/list.c
make -j2 build/libvgpu-device.a >build.log 2>&1
ok "it compiles without a warning" $?
[ -e build/libvgpu-device.a ] || sed 's/^/# /' build.log | tail -n 20
gcc -o vgpu-sim "$top"/build/native/tools/vgpu-sim/*.o \
	$(find "$top/build/native/tools/vgpu-trace" -name '*.o' ! -name main.o) \
	"$top/build/native/libtools.a" build/libvgpu-device.a -Wl,--as-needed -ljansson -linih -lm -lpthread >>build.log 2>&1
ok "and links into vgpu-sim" $?
./vgpu-sim --list 2>/dev/null | grep -q 'policy .* even '
ok "it is on the list" $?

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
	./vgpu-sim --policy even --preempt "$mechanism" --set sms=12 --csv job.ini >out.csv 2>&1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ntt") c = i; next } { if ($c < 2.7 || $c > 3.1) bad = 1 } END { exit bad || NR != 4 }' out.csv
	ok "three processes share evenly, $mechanism" $?
done
echo "1..$count"
exit $failed
