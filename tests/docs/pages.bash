# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Pages of the documentation as they stand there: files are put in their places, each line that begins with "$" is executed where
# one stands, and must print what follows it, whatever the number of spaces; "..." is what differs from run to run. To be sourced;
# $count and $failed are those of the test.
count=0 failed=0

ok() { # NAME STATUS [COMMENT]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' <<<"${3:-}" | head -n 40
		failed=1
	fi
}

# The command whose lines are in $lines prints the rest of them.
run() { # PAGE
	local command=${lines%%$'\n'*} want got
	want=$(tail -n +2 <<<"$lines" | sed 's/  */ /g; s/[][\\*?+@!()|]/\\&/g; s/\.\.\./*/g')
	got=$(eval "$command" 2>&1 | sed 's/  */ /g; s/ $//')
	# shellcheck disable=SC2053
	[[ $got == $want ]]
	ok "$1: $command" $? "$got"
}

# The whole of it, or from heading FROM to heading TO
page() { # FILE [FROM TO]
	local name=${1##*/} line before='' file='' lines='' blank='' commands=0
	while IFS= read -r line; do
		case $line in
		'```')
			if [ -n "$file" ]; then file=''; fi ;;
		'```'*)
			file=$(grep -o 'ut this into `[^`]*`' <<<"$before" | cut -d'`' -f2)
			if [ -n "$file" ]; then : >"$file"; fi ;;
		*)
			if [ -n "$file" ]; then printf '%s\n' "$line" >>"$file"; continue; fi ;;
		esac
		if [ -n "$lines" ]; then
			case $line in
			'    $ '* | [!\ ]*) run "$name"; lines='' blank='' ;;
			'') blank+=$'\n' ;;
			*) lines+=$blank$'\n'${line#    } blank='' ;;
			esac
		fi
		case $line in '    $ '*) lines=${line#    $ } commands=$((commands + 1)) ;; esac
		[ -z "$line" ] || before=$line
	done < <(sed -n "${2:+/^$2/,/^$3/}p" "$1")
	[ -z "$lines" ] || run "$name"
	[ "$commands" -gt 0 ] || ! grep -q '^    \$ ' "$1"
	ok "$name: $commands commands" $?
}
