#!/bin/bash
# SPDX-License-Identifier: MIT
#
# devices.sh: a program that uses every device it sees, on /dev/vgpu0 and two made through configfs, of other shapes.
#
# usage: devices.sh FOLDER        FOLDER holds the built programs; root, in the guest
set -uo pipefail
program=${1:?usage: devices.sh FOLDER}/features/several_devices
made=/sys/kernel/config/vgpu
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - devices: $1"; else echo "not ok $count - devices: $1"; failed=1; fi
}

# TEXT: it verifies, and says how many devices it saw
sees() {
	local said
	said=$("$program" 2>&1) && grep -qx "  $1" <<<"$said"
	ok "$1${VGPU_DEVICE:+ of VGPU_DEVICE=$VGPU_DEVICE}" $?
	grep -qx "  $1" <<<"$said" || sed 's/^/# /' <<<"$said"
}

sees "1 device"
mkdir "$made/devices-a" "$made/devices-b" &&
	echo gtx980 >"$made/devices-a/preset" && echo 2 >"$made/devices-b/sms" &&
	echo 67108864 >"$made/devices-a/vram_bytes" && echo 67108864 >"$made/devices-b/vram_bytes" &&
	echo 1 >"$made/devices-a/live" && echo 1 >"$made/devices-b/live"
ok "two more are made" $?
sees "3 devices"
VGPU_DEVICE=2,0 sees "2 devices"
VGPU_DEVICE=1 sees "1 device"
rmdir "$made/devices-a" "$made/devices-b"
ok "and taken away" $?
sees "1 device"
echo "1..$count"
exit $failed
