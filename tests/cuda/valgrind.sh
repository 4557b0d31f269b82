#!/bin/bash
# SPDX-License-Identifier: MIT
#
# valgrind.sh: memcheck runs a program whose managed memory goes to and fro, finds nothing in it, and can be ended.
#
# usage: valgrind.sh FOLDER        FOLDER holds the built programs
set -uo pipefail
program=${1:?usage: valgrind.sh FOLDER}/features/managed_reuse
command -v valgrind >/dev/null || { echo "# there is no valgrind"; exit 4; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export VGPU_TRANSPORT=embedded VGPU_NATIVE=off
timeout -k 5 "${CUDA_TEST_TIMEOUT:-300}" valgrind -q --error-exitcode=9 "$program" >"$log" 2>&1 </dev/null
status=$?
if [ $status -eq 0 ] && grep -qx "managed_reuse: verified" "$log"; then
	echo "ok 1 - valgrind: managed memory"
else
	echo "not ok 1 - valgrind: managed memory: exit status $status"
	tail -n 30 "$log" | sed 's/^/# /'
fi
echo "1..1"
[ $status -eq 0 ]
