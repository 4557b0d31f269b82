#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Links between the documents: each leads to a file that is there, and to a heading of it; docs/README.md lists every page.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
count=0 failed=0

nothing() { # NAME FOUND
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		head -n 20 <<<"$2" | sed 's/^/# /'
		failed=1
	fi
}

pages() { echo README.md && find docs -name '*.md' | LC_ALL=C sort; }

# The anchors of a page's headings, as GitHub makes them.
anchors() { # PAGE
	awk '/^ *```/ { code = !code } !code && /^#+ /' "$1" | sed -E 's/^#+ //; s/\[([^]]*)\]\([^)]*\)/\1/g' |
		tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# A line for each relative link of all pages: PAGE TARGET
links() {
	pages | while read -r page; do
		awk '/^ *```/ { code = !code } !code && !/^    /' "$page" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)]+\)' |
			sed -E 's/^\]\(//; s/\)$//' | grep -v '^https\?:' | sed "s|^|$page |"
	done
}

broken() {
	local page target file
	links | while read -r page target; do
		file=${target%%#*}
		if [ -n "$file" ]; then file=$(dirname "$page")/$file; else file=$page; fi
		if [ ! -e "$file" ]; then
			echo "$page: $target: no such file"
		elif [[ $target == *#* ]] && ! anchors "$file" | grep -qxF -- "${target#*#}"; then
			echo "$page: $target: no such heading"
		fi
	done
}

unlisted() {
	find docs -name '*.md' ! -path docs/README.md -printf '%P\n' | while read -r page; do
		grep -qF "($page)" docs/README.md || echo "$page"
	done
}

nothing "there are links to look at" "$([ "$(links | wc -l)" -gt 100 ] || links)"
nothing "links lead to files and headings that exist" "$(broken)"
nothing "docs/README.md lists every page" "$(unlisted)"
for page in docs/start/[1-5]-*.md; do
	nothing "README.md and docs/README.md have ${page##*/}" "$(for index in README.md docs/README.md; do
		grep -qF "start/${page##*/})" "$index" || echo "$index has not"; done)"
done
echo "1..$count"
exit $failed
