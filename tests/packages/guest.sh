#!/bin/bash
# SPDX-License-Identifier: MIT
#
# guest.sh: in the guest whose root has the packages: udev's daemon, the module as modprobe finds it, and /srv/sum as three users.
set -u
/lib/systemd/systemd-udevd --daemon
modprobe vgpu || exit 1
udevadm trigger --settle --subsystem-match=vgpu
echo "module $(cat /sys/module/vgpu/version 2>/dev/null) of $(modinfo -n vgpu)"
stat -L -c 'device %U:%G %a' /dev/vgpu /dev/vgpu0
for user in alice bob root; do
	said=$(runuser -u "$user" -- /srv/sum 2>&1)
	echo "$user: $? $said"
done
vgpu-smi -L
modprobe -r vgpu && echo "unloaded"
udevadm control --exit
