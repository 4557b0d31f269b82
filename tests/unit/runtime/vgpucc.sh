# SPDX-License-Identifier: MIT
#
# What tests of vgpucc begin with: a folder to work in, the device in the process, lines of TAP. To be sourced.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
vgpucc=$top/tools/vgpucc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export VGPU_TRANSPORT=embedded
count=0 failed=0

report() { # RESULT NAME
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/#   /' log
	fi
}
# A command that must work, and print PATTERN.
works() { # NAME PATTERN COMMAND...
	local name=$1 pattern=$2 status=0
	shift 2
	"$@" >log 2>&1 || status=1
	[ $status -ne 0 ] || [ -z "$pattern" ] || grep -qE -- "$pattern" log || status=1
	report $status "$name"
}
# One that must be refused, and say PATTERN.
refused() { # NAME PATTERN COMMAND...
	local name=$1 pattern=$2 status=0
	shift 2
	"$@" >log 2>&1 && status=1
	grep -qE -- "$pattern" log || status=1
	report $status "$name"
}
