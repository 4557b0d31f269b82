#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ci.sh: build a repository's CUDA tests and run them on vgpu, with the device inside each test's process and then behind /dev/vgpu
# in a guest. The last lines are what each step cost, in seconds.
#
# usage: ci.sh SOURCE BUILD       in the container of Containerfile
#
# Exit status: not 0 when the build or a test has failed, or there is none.
set -u
[ $# -eq 2 ] || { sed -n '7s/^# //p' "$0" >&2; exit 2; }
costs=$(cat /etc/vgpu-ci.cost 2>/dev/null)
failed=0

step() { # NAME COMMAND...
	name=$1 start=$(date +%s.%N)
	shift
	echo "== $name: $*"
	"$@" || { failed=1 name="$name (FAILED)"; }
	costs="$costs
$name: $(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')"
}

tests="ctest --test-dir $2 --no-tests=error --output-on-failure"
step build sh -c 'cmake -S "$1" -B "$2" && cmake --build "$2" -j"$(nproc)"' - "$1" "$2"
if [ $failed -eq 0 ]; then
	# shellcheck disable=SC2086
	step 'tests in the process' env VGPU_TRANSPORT=embedded $tests
	step 'boot of a guest' vgpu-vm --out "$2/guest" -- true
	# shellcheck disable=SC2086
	step 'tests in the guest, with its boot' vgpu-vm --out "$2/guest" -- $tests
fi
echo "== seconds"
echo "$costs" | sed '/^$/d; s/^\(.*\): \(.*\)/\2 \1/' | awk '{ seconds = $1; sub(/^[^ ]* /, ""); printf "%8s  %s\n", seconds, $0 }'
exit $failed
