#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The README's two commands, taken from where they are printed, in a machine that has no package lists: what they call and
# in which order, with an apt-get that knows no package before its update. tests/fresh/run.sh runs them for real.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
. tests/fresh/lines.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
count=0 failed=0

check() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else failed=$((failed + 1)); echo "not ok $count - $1: $3"; fi
}

cat >"$work/apt-get" <<'END'
#!/bin/sh
here=${0%/*}
echo "apt-get $*" >>"$here/log"
case $1 in
update) touch "$here/lists" ;;
install) [ -e "$here/lists" ] || { echo "E: Unable to locate package make" >&2; exit 100; } ;;
*) exit 2 ;;
esac
END
cat >"$work/make" <<'END'
#!/bin/sh
echo "make $*" >>"${0%/*}/log"
END
chmod +x "$work/apt-get" "$work/make"
for goal in demo test; do
	line=$(readme_line $goal)
	check "the README has one line for make $goal" "$([ "$(grep -c . <<<"$line")" -eq 1 ]; echo $?)" "it has '$line'"
	rm -f "$work/lists" "$work/log"
	PATH=$work:$PATH bash -c "$line" >"$work/out" 2>&1
	check "'$line' works without package lists" $? "$(cat "$work/out")"
	printf '%s\n' 'apt-get update' 'apt-get install -y make' "make $goal" >"$work/want"
	check "it updates, installs make and makes $goal" "$(cmp -s "$work/log" "$work/want"; echo $?)" "$(paste -sd';' "$work/log")"
	check "there is a goal $goal" "$(grep -q "^$goal:" Makefile; echo $?)" "none in the Makefile"
done
echo "1..$count"
[ "$failed" -eq 0 ]
