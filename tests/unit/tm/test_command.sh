#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One exploration of transactions by hand (command.h): the published defect of GETM as docs/transactions.md shows it, and what is wrong is named.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

# NAME STATUS LINE ARGUMENTS...: it ends so, and says this line
says() {
	local name=$1 expected=$2 line=$3 status=0
	shift 3
	timeout 300 build/explore-tm "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	count=$((count + 1))
	if [ "$status" -eq "$expected" ] && grep -qFx -e "$line" "$dir/said"; then
		echo "ok $count - $name"
	else
		failed=1
		sed 's/^/# /' "$dir/said"
		echo "not ok $count - $name (status $status)"
	fi
}

says "GETM as published is not serialisable" 0 "r0=0 r1=0 A=2 B=1 C=0   not serialisable" write-skew as_published=1
says "with unique timestamps it is" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" write-skew
says "with the strict store test, too" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" write-skew strict=1
says "a lock of the last attempt is not its own" 0 "5 outcomes, 3 of serial orders, 2 not serialisable; 4 ends out of order" one-after-the-other fault=5 times=4
says "a rollover in flight" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" transfers times=0 limit=2 delays=1 partitions=2
says "a program that there is not" 2 \
	"usage: build/explore-tm PROGRAM [OPTION=NUMBER ...]; PROGRAM is one of write-skew transfers 3-cycle increments read-both-write-one reader mixture figure-4.7 three-locations twice one-after-the-other two-and-a-reader blind-writers queue" luck
says "an option that there is not" 2 \
	"luck=1: no such option; OPTION=NUMBER, where OPTION is as_published strict fault times limit rollovers delays partitions ways rows stash overflow probes evict_percent approximate_ways approximate_rows stall_lines stall_entries commit_regions" \
	write-skew luck=1
says "a table that there is not" 2 "precise_ways and approximate_ways: 1 to 4" write-skew ways=5
says "times without an end" 2 "times or limit: 1 to 200, else there is no end" write-skew times=0
says "times that are too late" 2 "times, limit and rollovers: 200 at most" write-skew limit=201
says "two partitions at most" 2 "partitions: 1 or 2" write-skew partitions=3
says "tables that the explorer has no room for" 2 "tables: a unit has more than 512 bytes" write-skew rows=100
says "temporal conflict detection as published is not serialisable" 0 "r0=1 r1=0 A=1 B=1 C=0   not serialisable" reader tm=warptm tcd_as_published=1
says "corrected it is" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" reader tm=warptm
says "EAPG is serialisable, too" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" transfers tm=eapg
says "WarpTM-EL lets nobody see what never was there" 0 "0 silent, 0 failed, 0 hazards, 70 aborted early, 0 paused, 0 inconsistent views" transfers tm=warptm-el
says "GETM by its name" 0 "2 outcomes, 2 of serial orders, 0 not serialisable; 0 ends out of order" write-skew tm=getm
says "a protocol that there is not" 2 "tm=luck: getm, warptm, eapg or warptm-el" write-skew tm=luck
says "an option that WarpTM does not have" 2 \
	"strict=1: no such option; OPTION=NUMBER, where OPTION is tcd_as_published tcd_off fault commits ticks delays partitions entries words log_words lwhr_ways lwhr_sets filter_ways filter_rows tcd_ways tcd_rows tcd_bytes count_ways conflict_ways" \
	write-skew tm=warptm strict=1
says "a defect of GETM" 2 "fault: 0, or 10 to 14" write-skew tm=warptm fault=1
says "commit ids without an end" 2 "commits: 1 to 200" write-skew tm=warptm commits=0
says "two partitions at most of WarpTM" 2 "partitions: 1 or 2" write-skew tm=warptm partitions=3
says "logs that the explorer's transactions do not fit in" 2 "log_words: 4 at least" write-skew tm=warptm log_words=3
says "conflict tables that the explorer has no room for" 2 "conflict_ways: 1 to 4" write-skew tm=eapg conflict_ways=5
says "a unit that the explorer has no room for" 2 "tables: a unit has more than 1280 bytes" write-skew tm=warptm lwhr_sets=100
echo "1..$count"
exit $failed
