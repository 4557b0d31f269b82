# SPDX-License-Identifier: MIT
#
# where.awk: from the console of a guest that panicked with panic_print=0x1, a line for each process (and each kernel
# thread that runs, is stuck or is in a module of ours): name[pid], state, and the functions it is in, innermost first.
# usage: awk -v module=vgpu -f where.awk CONSOLE

function show() {
	if (name != "" && path != "" && (parent != 2 && pid != 2 || state ~ /^[RD]/ || ours))
		printf "%s[%d] %s: %s\n", name, pid, state, path
	name = path = ""
	deep = ours = other = 0
}
{ sub(/^\[ *[0-9.]+\] /, "") }
/^task:/ {
	show()
	for (i = 1; i <= NF; i++) {
		if ($i ~ /^task:/) name = substr($i, 6)
		if ($i ~ /^state:/) state = substr($i, 7)
		if ($i ~ /^pid:/) pid = substr($i, 5)
		if ($i ~ /^ppid:/) parent = substr($i, 6)
	}
	next
}
# The interrupt that asked is not what the processor was doing.
$1 == "<NMI>" || $1 == "<#DF>" { other = 1 }
$1 == "</NMI>" || $1 == "</#DF>" { other = 0 }
name != "" && !other && $1 ~ /^[A-Za-z_][A-Za-z0-9_.]*\+0x/ {
	if ($2 == "[" module "]") ours = 1
	if ($1 !~ /^((__)?schedule|do_syscall_64|entry_SYSCALL_64_after_hwframe|ret_from_fork)\+/ && ++deep <= 8) { sub(/\/.*/, "", $1); path = path (path == "" ? "" : " < ") $1 }
}
/^Kernel Offset|^---\[ end/ { show() }
END { show() }
