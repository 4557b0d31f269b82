# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What scripts that test policies of a device share; to be sourced where the sources are, with $script set to their name. $dir is a
# folder of theirs that goes with them; $count and $failed are those of the test.
sysfs=/sys/class/vgpu/vgpu0
dir=$(mktemp -d)
count=0 failed=0

check() { # NAME COMMAND...
	local name=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/log" 2>&1; then echo "ok $count - $script: $name"; return; fi
	failed=1
	echo "not ok $count - $script: $name"
	head -n 30 "$dir/log" | sed 's/^/# /'
}
not() { ! "$@"; }
selected() { grep -qF "[$1]" "$sysfs/${2:-policy}"; }
listed() { tr -d '[]' <"$sysfs/${2:-policy}" | grep -qw -- "$1"; }
dropped() { grep -q -- "$1" "$sysfs/dropped" || { cat "$sysfs/dropped"; return 1; }; }
says() { # STATUS TEXT COMMAND...
	local status=0 expected=$1 text=$2
	shift 2
	"$@" >"$dir/said" 2>&1 || status=$?
	[ $status -eq "$expected" ] && grep -q -- "$text" "$dir/said" || { echo "status $status"; cat "$dir/said"; return 1; }
}
# The module that was built for this kernel
module() { # NAME
	local file
	for file in "$PWD"/build/*/*/"$1".ko; do
		case $(modinfo -F vermagic "$file") in "$(uname -r) "*) echo "$file"; return ;; esac
	done
	echo "no $1.ko for $(uname -r): make modules" >&2
}
