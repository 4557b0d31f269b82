#!/bin/bash
# SPDX-License-Identifier: MIT
#
# each.sh: run the programs of folders, several at once, and say in TAP how each ended; logs are kept.
#
# usage: each.sh LOGS FOLDER...      EMULATOR is the command that executes them, if they are not this machine's own
#
# JOBS programs run at once [processors]; TEST_TIMEOUT is the limit of one in seconds [1800].
set -uo pipefail
logs=${1:?usage: each.sh LOGS FOLDER...}
shift
mkdir -p "$logs"
find "$@" -type f -executable ! -name '*.o' ! -path '*/libraries/*' | LC_ALL=C sort >"$logs/programs"
export EMULATOR=${EMULATOR:-} limit=${TEST_TIMEOUT:-1800} logs
xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
	log=$logs/$(echo "$0" | tr / -).log
	timeout -k 5 "$limit" $EMULATOR "$0" >"$log" 2>&1 </dev/null
	echo "$?" >"$log.status"' {} <"$logs/programs"
count=0 failed=0
while read -r program; do
	log=$logs/${program//\//-}.log status=''
	read -r status <"$log.status" || :
	count=$((count + 1))
	case $status in
	0)	echo "ok $count - $program" ;;
	4)	echo "ok $count - $program # SKIP $(tail -n 1 "$log")" ;;
	*)	failed=1
		echo "not ok $count - $program: exit status ${status:-unknown}"
		tail -n 12 "$log" | sed 's/^/#   /' ;;
	esac
done <"$logs/programs"
echo "1..$count"
[ $count -gt 0 ] && exit $failed
