#!/bin/bash
# SPDX-License-Identifier: MIT
#
# VGPU_TIMING: which launches have which timing model, as the trace has it (trace_lines: a launch of
# the pipeline has issues and stalls), what is said on stderr, and the tables of vgpu-trace.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export VGPU_TRANSPORT=embedded VGPU_PRESET=k20c VGPU_SET=trace_lines=1
count=0 failed=0

ok() { # NAME STATUS REASON
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1: $3"; failed=1; fi
}

[ -x build/cuda/nbody ] || { echo "1..0 # build/cuda/nbody is not built: make cuda-programs"; exit 4; }

# Numbers of the launches that have records of type LINE (46), of 48 bytes behind 8: the type is at
# byte 8, the launch at byte 20 of each.
launches() { # TRACE
	tail -c +9 "$1" | od -An -v -w48 -t u2 | awk -v type="$line_type" '
		$5 == type && !seen[$11]++ { print $11 }' | sort -n | tr '\n' ' '
}
line_type=$(awk '/enum vgpu_trace_type/ { on = 1 } on && /^\tVGPU_TRACE_[A-Z_]*,/ {
	if (/VGPU_TRACE_LINE,/) { print n; exit } n++ }' uapi/vgpu_trace.h)

run() { # TIMING: nbody launches accelerate and move in turn: launches 1, 3, 5 and 2, 4, 6
	VGPU_TIMING=$1 VGPU_TRACE=$dir/trace VGPU_CODE=$dir/trace.code timeout 300 build/cuda/nbody 256 \
		>"$dir/out" 2>"$dir/err"
}

check() { # TIMING LAUNCHES STDERR
	rm -f "$dir/trace.code"
	run "$1"
	ok "$1: the program is right" $? "$(cat "$dir/err")"
	got=$(launches "$dir/trace")
	[ "$got" = "$2" ]
	ok "$1: launches $2" $? "those of the pipeline were $got"
	if [ -z "$3" ]; then [ ! -s "$dir/err" ]; else grep -q "$3" "$dir/err"; fi
	ok "$1: what is said" $? "$(cat "$dir/err")"
}

run ''
total=$(build/tools/vgpu-trace "$dir/trace" | awk '$1 ~ /nbody|context/ { print ($1 == "context") ? $4 : $3 }')
all=$(seq -s ' ' 1 "$total")' '
odd=$(seq -s ' ' 1 2 "$total")' '
check 'accelerate:pipeline' "$odd" ''
check 'acc*@1:pipeline' '1 ' ''
check 'accelerate@2-3:pipeline,move@1:pipeline' '2 3 ' ''
check '*:pipeline' "$all" ''
check 'accelerate:interval,*:pipeline' "$(seq -s ' ' 2 2 "$total") " ''
check 'accelerate@1:pipeline,nothing:pipeline' '1 ' "no kernel .nothing. was launched"
check 'accelerate@900-:pipeline' '' "no launch of .accelerate. had a rule"

for wrong in accelerate pipeline 'accelerate:fast' ':pipeline' 'a@0:pipeline' 'a@3-2:pipeline' 'a@x:pipeline' 'a:pipeline,'; do
	run "$wrong"
	[ $? -ne 0 ] && grep -q "VGPU_TIMING=$wrong: must be a list" "$dir/err"
	ok "$wrong is refused" $? "$(cat "$dir/err")"
done

# tables: by instruction, and with -lineinfo by line
run 'accelerate@1:pipeline'
build/tools/vgpu-trace -q --lines "$dir/lines" --listing "$dir/listing" "$dir/trace"
ok "tables" $? "vgpu-trace failed"
grep -q '^accelerate, of .* instruction' "$dir/lines" || grep -q 'instruction$' "$dir/lines"
ok "by instruction" $? "$(head -3 "$dir/lines")"
grep -Eq '[0-9]+: .*(LDG|LDS|FFMA|FMA)' "$dir/lines"
ok "instructions have their text" $? "$(head -5 "$dir/lines")"
grep -q '100.0%.*in all' "$dir/lines"
ok "all stalls" $? "$(tail -3 "$dir/lines")"
if tools/vgpucc -O2 -lineinfo -Itests/cuda tests/cuda/nbody.cu -o "$dir/nbody" 2>"$dir/err"; then
	rm -f "$dir/trace.code"
	VGPU_TIMING='accelerate@1:pipeline' VGPU_TRACE=$dir/trace VGPU_CODE=$dir/trace.code "$dir/nbody" 256 >"$dir/out" 2>&1
	build/tools/vgpu-trace -q --lines "$dir/lines" --listing "$dir/listing" "$dir/trace"
	grep -Eq 'tests/cuda/nbody.cu:[0-9]+$' "$dir/lines"
	ok "by line" $? "$(head -5 "$dir/lines")"
	grep -q '__global__ void accelerate' "$dir/listing" && grep -Eq '^ +[0-9.]+% +[0-9]+ +[0-9]+ +[0-9]+  .*\[' "$dir/listing"
	ok "the listing has the source" $? "$(head -5 "$dir/listing")"
else
	ok "vgpucc -lineinfo" 1 "$(cat "$dir/err")"
fi

# a device that has one model says so
VGPU_SET=timing_by_kernel=0 VGPU_TIMING='accelerate:pipeline' timeout 300 build/cuda/nbody 256 >"$dir/out" 2>&1
[ $? -ne 0 ] && grep -q 'timing_by_kernel=1' "$dir/out"
ok "a device with one model" $? "$(cat "$dir/out")"

echo "1..$count"
exit $failed
