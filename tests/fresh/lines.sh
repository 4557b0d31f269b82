# SPDX-License-Identifier: MIT
#
# readme_line demo|test: the command that README.md prints for this goal, as a reader would paste it.
readme_line() {
	sed -n "/^## Two commands/,/^## /s/^    \(.*make $1\) *#.*/\1/p" README.md
}
