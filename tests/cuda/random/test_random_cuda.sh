#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Random CUDA kernels from a fixed seed give what they must, at -O0 and -O3; and wrong values are seen. Where
# answers-SEED.txt holds a real GPU's answers, they are compared too.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
seed=20
random=build/random-cuda
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}

answers=tests/cuda/random/answers-$seed.txt
[ ! -e "$answers" ] || recorded=(--answers "$answers")
tests/cuda/random/run.sh --seed $seed --count 100 --keep "$dir" ${recorded[@]+"${recorded[@]}"} | sed 's/^/# /'
ok "a hundred kernels" $?
tests/cuda/random/run.sh --seed $seed --first 300 --count 40 --ftz ${recorded[@]+"${recorded[@]}"} | sed 's/^/# /'
ok "forty that flush subnormal numbers" $?
tests/cuda/random/run.sh --seed $seed --first 400 --count 50 --class int,flow,warp,branch | sed 's/^/# /'
ok "fifty of votes, matches and shuffles" $?

# One bit of the last kernel's values turned: its number, the variable, the thread, and exit status 1.
cp "$dir/k0-O3.out" "$dir/wrong.out"
printf '\x01' | dd of="$dir/wrong.out" bs=1 seek=$(($(stat -c %s "$dir/wrong.out") - 5)) conv=notrunc 2>/dev/null
"$random" --seed $seed --check "$dir/wrong.out" >"$dir/said"
[ $? -eq 1 ] && grep -q "^seed $seed kernel 99" "$dir/said" && grep -q 'row 2 thread [0-9]*: v[0-9]* is .*, expected' "$dir/said"
ok "a wrong value is found" $?

# Answers: recorded the first time, the same afterwards, and not those of other values or of another program.
"$random" --seed $seed --answers "$dir/answers" --check "$dir/k0-O3.out" >/dev/null && [ -s "$dir/answers" ] &&
	"$random" --seed $seed --answers "$dir/answers" --check "$dir/k0-O0.out" >/dev/null
ok "answers are kept and compared" $?
"$random" --seed $seed --answers "$dir/answers" --check "$dir/wrong.out" >"$dir/said"
[ $? -eq 1 ] && grep -q '^kernel 99: hash .*, recorded' "$dir/said"
ok "another answer is found" $?
sed -i '1s/ [0-9a-f]*:/ 00000000:/' "$dir/answers"
"$random" --seed $seed --answers "$dir/answers" --check "$dir/k0-O3.out" >"$dir/said" 2>&1
[ $? -eq 2 ] && grep -q 'another generator' "$dir/said"
ok "answers of another generator are not taken" $?

! "$random" --class colour --write "$dir/x.cu" 2>/dev/null && ! "$random" --seed 1x --write "$dir/x.cu" 2>/dev/null && [ ! -e "$dir/x.cu" ]
ok "wrong arguments" $?
echo "1..$count"
exit $failed
