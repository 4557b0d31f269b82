#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tutorial.sh: the steps of docs/writing-a-policy.md that need the driver, as they stand there. As root, where vgpu.ko is loaded with
# preset k20c and nobody else uses the device; that of BPF on Linux 6.12. TAP on stdout.
# usage: tests/kselftest/tutorial.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
top=$PWD
. tests/kselftest/check.bash
trap 'rm -rf "$dir"' EXIT
. tests/docs/pages.bash

sed "s,build/6.1/policy-module/vgpu_edf.ko,$(module vgpu_edf)," docs/writing-a-policy.md >"$dir/writing-a-policy.md"
ln -s "$top"/* "$dir/" && cd "$dir" || exit 1
export LD_LIBRARY_PATH=$top/build
page writing-a-policy.md '### 2\.' '### 3\.'
case $(uname -r) in 6.12.*)
	umount /sys/fs/bpf 2>/dev/null
	page writing-a-policy.md '### 3\.' '### 4\.' ;;
esac
if [ -x /usr/bin/python3 ]; then page writing-a-policy.md '### 4\.' '## One header'; fi
echo "1..$count"
exit $failed
