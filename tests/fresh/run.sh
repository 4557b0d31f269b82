#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the README's commands on a machine that has nothing: a minimal Debian 12 (git beyond the base system, no compiler,
# no make, no package lists), a clone of what is committed, and the line as README.md prints it.
#
# usage: tests/fresh/run.sh [demo|test]...     without a name both
#
# Needs root, mmdebstrap and the network's package mirror. KERNEL goes through. Exit status: that of the first that failed.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
. tests/fresh/lines.sh
command -v mmdebstrap >/dev/null || { echo "run.sh: mmdebstrap is not there: apt-get install mmdebstrap" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "run.sh: a new root file system is made: run it as root" >&2; exit 2; }
for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [ -f "$sources" ] && break; done
root=''
trap '[ -z "$root" ] || rm -rf --one-file-system "$root"' EXIT
[ $# -gt 0 ] || set -- demo test
for goal; do
	line=$(readme_line "$goal")
	[ -n "$line" ] || { echo "run.sh: README.md has no line for make $goal" >&2; exit 2; }
	root=$(mktemp -d "${TMPDIR:-/var/tmp}/vgpu-fresh.XXXXXX")
	mmdebstrap --quiet --variant=minbase --include=git,ca-certificates bookworm "$root" "$sources" >/dev/null
	rm -rf "$root"/var/lib/apt/lists/*
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	git clone -q . "$root/srv/vgpu"
	echo "== $line"
	status=0
	unshare --mount --pid --fork --kill-child bash -euc '
		mount --rbind /dev "$0/dev"
		mount --rbind /sys "$0/sys"
		mount -t proc proc "$0/proc"
		exec env -i HOME=/srv TERM=dumb LANG=C.UTF-8 ${KERNEL:+KERNEL="$KERNEL"} \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			chroot "$0" bash -c "cd /srv/vgpu && $1" </dev/null' "$root" "$line" || status=$?
	echo "== exit $status: $line"
	rm -rf --one-file-system "$root"
	root=''
	[ "$status" -eq 0 ] || exit "$status"
done
