#!/bin/bash
# SPDX-License-Identifier: MIT
#
# VGPU_CACHE: where compiled programs are kept, that they are used, that they are what would have been compiled (the trace
# is the same), and what is said of folders that cannot be used.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_THREADS=1
unset VGPU_CACHE VGPU_CACHE_SIZE XDG_CACHE_HOME CUDA_CACHE_DISABLE
program=build/cuda/libraries/cublas/calls
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

[ -x "$program" ] || { echo "1..0 # $program is not built: make cuda-programs"; exit 4; }

run() { # NAME VARIABLE=VALUE...
	local name=$1
	shift
	rm -f "$dir/trace"
	env "$@" VGPU_TRACE="$dir/trace" timeout 300 "$program" >"$dir/out" 2>"$dir/err"
	ok "$name: the program is right" $? "$(tail -n 3 "$dir/out" "$dir/err")"
	# the first record names the process
	cmp -i 48 "$dir/trace" "$dir/trace.off" >"$dir/differs" 2>&1
	ok "$name: the same trace as without a cache" $? "$(cat "$dir/differs")"
}
entries() { find "$1" -name '*.vgpu' 2>/dev/null | wc -l; }
has() { # NAME FOLDER WANT
	[ "$(entries "$2")" -"$3" 0 ]
	ok "$1: entries" $? "there are $(entries "$2") in $2"
}
says() { # NAME TEXT
	grep -qF "$2" "$dir/err"
	ok "$1: says so" $? "stderr: $(head -c 300 "$dir/err")"
}

mkdir -m 700 "$dir/home" "$dir/xdg"
HOME=$dir/home VGPU_CACHE=off VGPU_TRACE=$dir/trace.off "$program" >/dev/null 2>&1
has "VGPU_CACHE=off" "$dir/home" eq

run "a home" HOME="$dir/home"
has "a home" "$dir/home/.cache/vgpu" gt
ls -i "$dir/home/.cache/vgpu" >"$dir/before"
run "again" HOME="$dir/home"
ls -i "$dir/home/.cache/vgpu" | cmp - "$dir/before" >"$dir/differs" 2>&1
ok "again: no entry is written" $? "$(cat "$dir/differs")"
for file in "$dir"/home/.cache/vgpu/*.vgpu; do truncate -s 100 "$file"; done
run "damaged entries" HOME="$dir/home"
[ -z "$(find "$dir/home" -name '*.vgpu' -size -2)" ]
ok "damaged entries are made again" $? "some are as they were"

run "XDG_CACHE_HOME" HOME="$dir/home" XDG_CACHE_HOME="$dir/xdg"
has "XDG_CACHE_HOME" "$dir/xdg/vgpu" gt
run "VGPU_CACHE" HOME="$dir/home" VGPU_CACHE="$dir/own"
has "VGPU_CACHE" "$dir/own" gt
run "CUDA_CACHE_DISABLE" HOME="$dir/no" CUDA_CACHE_DISABLE=1
has "CUDA_CACHE_DISABLE" "$dir/no" eq
run "no home" HOME=
run "a home that is not there" HOME="$dir/nowhere"
[ ! -s "$dir/err" ] || ! grep -q CACHE "$dir/err"
ok "a home that is not there: nothing is said" $? "$(cat "$dir/err")"

run "a relative path" VGPU_CACHE=cache
says "a relative path" "VGPU_CACHE=cache: must be"
mkdir -m 777 "$dir/open"
chmod 777 "$dir/open"
run "a folder for all" VGPU_CACHE="$dir/open"
says "a folder for all" "VGPU_CACHE=$dir/open: it is not this user's, or others may write there: nothing is kept"
has "a folder for all" "$dir/open" eq
run "no folder" VGPU_CACHE=/dev/null
says "no folder" "VGPU_CACHE=/dev/null: it cannot be opened as a folder"
run "a wrong size" VGPU_CACHE="$dir/own" VGPU_CACHE_SIZE=12x
says "a wrong size" "VGPU_CACHE_SIZE=12x: must be a number of bytes"
run "a small size" VGPU_CACHE="$dir/small" VGPU_CACHE_SIZE=100K
[ "$(du -sb "$dir/small" | cut -f1)" -le $((100 * 1024 + 8192)) ]
ok "a small size is kept to" $? "$(du -sb "$dir/small")"

for i in 1 2 3 4; do
	VGPU_CACHE=$dir/shared timeout 300 "$program" >"$dir/out$i" 2>&1 &
	pids[i]=$!
done
for i in 1 2 3 4; do
	wait "${pids[i]}"
	ok "process $i of four with one new folder" $? "$(tail -n 2 "$dir/out$i")"
done
echo "1..$count"
exit $failed
