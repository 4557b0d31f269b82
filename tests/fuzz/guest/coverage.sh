#!/bin/bash
# SPDX-License-Identifier: MIT
#
# coverage.sh: how much of each source file of vgpu.ko was reached, in places: calls of
# __sanitizer_cov_trace_pc, one in each basic block.
#
# usage: tests/fuzz/guest/coverage.sh MIRROR PLACES [FOLDER-OR-FILE...]
#   MIRROR              where the module was built     build/debug-kcov
#   PLACES              what the guest wrote           out/fuzz/uapi/places
#   FOLDER-OR-FILE...   of these only                  [kmod sim-device]
#
# The linker puts the files' sections one behind the other, and their relocations too: the first of the module's places
# belong to the file that is linked first, as many as that file has.
set -euo pipefail
mirror=$(realpath "$1") places=$2
shift 2
[ $# -gt 0 ] || set -- kmod sim-device

# SECTION OFFSET of each place of an object, in order: KCOV sees where the call returns to.
sites() { # OBJECT
	readelf -rW "$1" | awk '
		function number(hex, i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("123456789abcdef", substr(hex, i, 1))
			return n
		}
		/^Relocation section/ { section = $3; gsub(/\047/, "", section); sub(/^\.rela/, "", section) }
		/__sanitizer_cov_trace_pc/ { print section, number($1) + 4 }'
}

{
	# kbuild lists the objects in the order in which it links them
	tr ' ' '\n' <"$mirror/src/vgpu.mod" | grep '\.o$' | while read -r object; do
		object=${object#"$mirror/src/"}
		sites "$mirror/src/$object" | awk -v file="${object%.o}.c" '{ n[$1]++ } END { for (s in n) print "object", file, s, n[s] }'
	done
	sites "$mirror/vgpu.ko" | LC_ALL=C sort -s -k1,1 -k2,2n | sed 's/^/site /'
	sed 's/^\([0-9]\)/reached \1/' "$places"
} | awk -v wanted="$*" '
	$1 == "object" { file[$3, ++objects[$3]] = $2; has[$3, objects[$3]] = $4; total[$2] += $4; next }
	$1 == "site" {
		s = $2
		if (!(s in at)) at[s] = 1
		while (at[s] <= objects[s] && used[s] == has[s, at[s]]) { at[s]++; used[s] = 0 }
		if (at[s] > objects[s]) { print "coverage.sh: more places in " s " than in the objects" >"/dev/stderr"; exit 1 }
		used[s]++
		owner[s, $3] = file[s, at[s]]
		next
	}
	$1 == "section" { begin[$2] = $3; next }
	$1 == "reached" {
		found = 0
		for (s in begin)
			if ((s, $2 - begin[s]) in owner) { hit[owner[s, $2 - begin[s]]]++; found = 1; break }
		if (!found) strange++
	}
	END {
		count = split(wanted, want, " ")
		for (f in total) {
			listed = 0
			for (i = 1; i <= count; i++)
				if (f == want[i] || index(f, want[i] "/") == 1) {
					if (!listed++) printf "#   %-44s %5d of %5d places\n", f, hit[f], total[f] | "LC_ALL=C sort"
					part[want[i]] += hit[f]; all[want[i]] += total[f]
				}
		}
		close("LC_ALL=C sort")
		for (i = 1; i <= count; i++)
			printf "#   %-44s %5d of %5d places, %d%%\n", want[i], part[want[i]], all[want[i]], 100 * part[want[i]] / (all[want[i]] ? all[want[i]] : 1)
		if (strange) printf "#   %d places belong to no file\n", strange
	}'
