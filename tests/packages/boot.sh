#!/bin/bash
# SPDX-License-Identifier: MIT
#
# boot.sh: what the machine does when systemd has started it, as the unit vgpu-test: what there is of vgpu goes to /srv/boot.
{
	echo "systemd: process $(cat /proc/1/comm) of Linux $(uname -r)"
	echo "unit: $(systemctl is-active vgpu)"
	udevadm settle
	stat -L -c 'device %U:%G %a' /dev/vgpu0
	echo "alice: $(runuser -u alice -- /srv/sum 2>&1)"
	systemctl stop vgpu
	[ -e /sys/module/vgpu ] || echo "stopped"
} >/srv/boot 2>&1
sync
systemctl reboot --force --force
