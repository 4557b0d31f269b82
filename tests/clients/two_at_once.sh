#!/bin/bash
# SPDX-License-Identifier: MIT
#
# two_at_once.sh: two trainings of tinygrad on one /dev/vgpu, in a guest: both must learn, and vgpu-smi must see both.
#
# usage: two_at_once.sh PYTHON FOLDER
#
# PYTHON is one of an environment with tinygrad, FOLDER has libvgpu and its tools. Run by run.sh through tools/vgpu-vm. Prints
# the table of vgpu-smi in which both processes are, what each training says, and how often both were seen. Exit status: 0 both
# have learnt and were seen together, 1 not.
set -uo pipefail
python=$1 folder=$2
here=$(dirname "$(readlink -f "$0")")
dir=$(mktemp -d)
export CUDA=1

for i in 1 2; do
	"$python" "$here/train.py" "$i" "$dir" >"$dir/out.$i" 2>&1 &
	pids[i]=$!
done
seen=0
while kill -0 "${pids[1]}" 2>/dev/null && kill -0 "${pids[2]}" 2>/dev/null; do
	"$folder/tools/vgpu-smi" >"$dir/table"
	if grep -qw "${pids[1]}" "$dir/table" && grep -qw "${pids[2]}" "$dir/table"; then
		[ "$seen" -gt 0 ] || cat "$dir/table"
		seen=$((seen + 1))
		touch "$dir/seen"
	fi
	sleep 1
done
status=0
for i in 1 2; do
	wait "${pids[i]}" || status=1
	cat "$dir/out.$i"
done
echo "both seen $seen times"
[ "$seen" -gt 0 ] || status=1
exit $status
