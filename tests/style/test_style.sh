#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a script can see of how the sources are written: columns, licences, opening comments, words.
# shellcheck disable=SC2317
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
count=0 failed=0

rooms=(kmod runtime sim-device tests tools uapi)
c_files() { find "${rooms[@]}" -name '*.[ch]' -o -name '*.cu' | LC_ALL=C sort; }
c_sources() { c_files | grep '\.c$'; }

# Fails when the command printed anything, and shows that.
nothing() { # NAME COMMAND...
	local name=$1 found
	shift
	count=$((count + 1))
	found=$("$@")
	if [ -z "$found" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		head -n 20 <<<"$found" | cut -c1-160 | sed 's/^/# /'
		failed=1
	fi
}

long_lines() {
	local file
	c_files | while read -r file; do
		expand -t8 "$file" | awk -v file="$file" 'length > 100 { print file ":" FNR ": " length " columns" }'
	done
}

# File-scope functions whose name says nothing in a backtrace.
vague_names() {
	c_sources | grep -v '^tests/' | xargs grep -nE '^static [a-z_ *0-9]*\b(take|keep|say|look|find|tell|ask|give)\('
}

no_licence() {
	local file
	c_files | while read -r file; do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file"
	done
}

wrong_licence() {
	find kmod -name '*.[ch]' -exec grep -L 'SPDX-License-Identifier: GPL-2.0-only\( \*/\)\?$' {} +
	find uapi -name '*.h' -exec grep -L 'SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note' {} +
	find sim-device -name '*.[ch]' -exec grep -L 'SPDX-License-Identifier: GPL-2.0-only OR MIT' {} +
	find runtime tools tests/unit -name '*.[ch]' -exec grep -L 'SPDX-License-Identifier: MIT' {} +
}

block_licence() { c_sources | xargs grep -l '^/\* SPDX'; }

no_opening_comment() {
	local file
	c_files | while read -r file; do
		sed -n 2,3p "$file" | grep -q '/\*' || echo "$file"
	done
}

# Words that readers had to guess at, beside what a kernel developer writes.
coined() {
	grep -rniE --include='*.[chylsS]' --include='*.md' --include='*.sh' --include='*.[1-9]' --exclude=test_style.sh \
		'\blooks? on\b|\bsits? down\b|\bunasked\b|\bwants? to hear\b|\b(begins?|begun|starts?|started) anew\b' \
		"${rooms[@]}" docs README.md
}

nothing "lines have at most 100 columns" long_lines
nothing "files have a licence" no_licence
nothing "it is that of their folder" wrong_licence
nothing ".c files begin with // SPDX" block_licence
nothing "files open with what they are" no_opening_comment
nothing "functions have names that grep finds" vague_names
nothing "plain words" coined
echo "1..$count"
exit $failed
