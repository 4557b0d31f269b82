#!/bin/bash
# SPDX-License-Identifier: MIT
#
# deb.sh: Debian's packages of this tree, in DIR, with what lintian has to say.
#
# usage: tools/packaging/deb.sh DIR
#
# They are built in a copy of the tree, DIR/source, from tools/packaging/debian; nothing is done when what they are made of is not newer. CC is
# the compiler. Exit status: not 0 when they cannot be built, or when lintian finds an error or a warning.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
say() { echo "deb.sh: $*" >&2; }
[ $# -eq 1 ] || { sed -n '6s/^# //p' tools/packaging/deb.sh >&2; exit 2; }

version=$(sed -n 's/^VERSION := //p' tools/packaging/install.mk)
changelog=$(dpkg-parsechangelog -l tools/packaging/debian/changelog -S Version)
[ "${changelog%-*}" = "$version" ] ||
	{ say "tools/packaging/debian/changelog is of $changelog, tools/packaging/install.mk of $version: they must be one version"; exit 1; }
mkdir -p "$1"
out=$(realpath "$1")
done=$out/vgpu_${changelog}_$(dpkg-architecture -q DEB_HOST_ARCH).changes
from='Kbuild LICENSES Makefile docs/man kmod runtime sim-device tools uapi'
# shellcheck disable=SC2086
if [ -e "$done" ] && [ -z "$(find $from -newer "$done" -print -quit)" ]; then
	exit 0
fi
# What lies there may be packages of another version.
rm -rf "$out/source"
rm -f "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
mkdir "$out/source"
tar -c --exclude=./build --exclude=./out --exclude=./.git . | tar -x -C "$out/source"
cp -r tools/packaging/debian "$out/source/debian"
# make's own variables are those of who called; the packages are always built in the same way.
cd "$out/source"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u O -u V CC="${CC:-gcc}" dpkg-buildpackage -b -us -uc -j"$(nproc)" >"$out/log" 2>&1 ||
	{ tail -n 40 "$out/log" >&2; say "dpkg-buildpackage failed: $out/log"; exit 1; }
cd "$out"
rm -rf source
lintian --allow-root --no-cfg --fail-on error,warning ./*.changes || { rm ./*.changes; exit 1; }
for file in *.deb; do echo "$out/$file"; done
