#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the recipe for CI of docs/examples/ci as it is: buildah builds its Containerfile, on a Debian 12 that is made here in place of
# the registry's, and in the container ci.sh runs the example's tests, which is given a wrong one after that. Speaks TAP.
#
# usage: tests/ci/run.sh DIR       the folder of the packages, as `make deb` leaves it
#
# Needs root, buildah, mmdebstrap and the network's package mirror; no daemon, no registry, no KVM. Images are kept in a folder that goes.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
[ $# -eq 1 ] || { sed -n '7s/^# //p' tests/ci/run.sh >&2; exit 2; }
debs=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "run.sh: containers are built by chroot here: run it as root" >&2; exit 2; }
compgen -G "$debs/vgpu-dkms_*.deb" >/dev/null || { echo "run.sh: $debs has no packages: make deb" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/var/tmp}/vgpu-ci.XXXXXX")
export BUILDAH_ISOLATION=chroot
images() { buildah --root "$work/images" --runroot "$work/run" "$@"; }
trap 'images rm --all >/dev/null 2>&1; images rmi --all --force >/dev/null 2>&1; rm -rf --one-file-system "$work"' EXIT
count=0 failed=0
ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		tail -n 40 "$work/log" | sed 's/^/#   /'
	fi
}
says() { # NAME PATTERN [TIMES]: the log has it
	[ "$(grep -cE -- "$2" "$work/log")" -eq "${3:-1}" ]
	ok "$1" $?
}

base=docker.io/library/debian:bookworm
for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [ -f "$sources" ] && break; done
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$work/base.tar" "$sources" >"$work/log" 2>&1 &&
	container=$(images from scratch 2>>"$work/log") && images add -q "$container" "$work/base.tar" / >>"$work/log" 2>&1 &&
	images commit -q "$container" "$base" >>"$work/log" 2>&1 && images rm "$container" >>"$work/log" 2>&1
ok "a Debian 12 as $base" $?
rm -f "$work/base.tar"
images build -q --pull=never -t vgpu-ci -f docs/examples/ci/Containerfile "$debs" >"$work/log" 2>&1
ok "the Containerfile builds" $?
container=$(images from --pull=never vgpu-ci 2>"$work/log")
ok "a container of it" $?
[ $failed -eq 0 ] || { echo "Bail out! there is no container"; exit 1; }

cp -r docs/examples/ci "$work/project"
recipe() { images run -v "$work/project:/project" "$container" ./ci.sh . build >"$work/log" 2>&1; }
recipe
ok "the recipe runs" $?
sed -n '/^== seconds/,$s/^/# /p' "$work/log"
says "both tests pass, in the process and in the guest" '^100% tests passed, 0 tests failed out of 2$' 2
says "KVM was not used" 'KVM|/dev/kvm' 0
for step in 'install' 'install for the guest' 'build' 'tests in the process' 'boot of a guest' 'tests in the guest, with its boot'; do
	says "the cost of: $step" "^ +[0-9.]+  $step\$"
done
sed -i 's/5\.0f \* i/6.0f * i/' "$work/project/saxpy.cu"
! recipe
ok "a wrong test fails the recipe" $?
says "... and is named, in both" '^[[:space:]]*[0-9]+ - saxpy \(Failed\)' 2
says "... with what it says" '^99999 of 100000 elements are wrong$' 2

echo "1..$count"
[ $failed -eq 0 ]
