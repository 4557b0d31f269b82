#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: run fuzz targets one after the other, each for its share of the time, and print for each
# what it executed and how much of the files it is about its corpus covers.
#
# usage: tests/fuzz/run.sh [--seconds N] [--build FOLDER] [--kernel KERNEL] [--input FILE]... TARGET...
#   --seconds N       real time of all targets together           [600]
#   --build FOLDER    where `make fuzz-programs` built them       [build]
#   --kernel KERNEL   of the guest in which uapi runs             [debug]
#   --input FILE      uapi executes this one, and searches nothing
#
# The target uapi is the module in a guest, the others are programs of this machine.
# out/fuzz/TARGET/corpus is kept and grows from run to run; the seeds are made again at each run.
# An input that a target does not stand is in out/fuzz/TARGET/findings, and the exit status is 1.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

seconds=600 build=build kernel=debug inputs=()
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) seconds=$2; shift 2 ;;
	--build) build=$2; shift 2 ;;
	--kernel) kernel=$2; shift 2 ;;
	--input) inputs+=("$(realpath "$2")"); shift 2 ;;
	-*) sed -n '4,15s/^# \{0,1\}//p' "$0"; exit 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || { echo "run.sh: no target" >&2; exit 2; }
out=$PWD/out/fuzz

# The files that a target is about.
files_of() {
	case $1 in
	vass) echo sim-device/sm/{module,verify,warps,block_compiled,block_access}.c runtime/compile/disasm.c ;;
	ptx) find "$build/gen/runtime/ptx" runtime/ptx runtime/compile -name '*.[cly]' ;;
	fatbin) echo runtime/cuda/registry.c runtime/api/{module,launch}.c ;;
	jobfile) echo tools/workload/{jobfile,phase,number,parboil,replay,walk}.c ;;
	import) find tools/import -name '*.c' ! -name command.c ;;
	config) echo sim-device/device/{config,presets,knobs}.c runtime/transport/embedded_config.c ;;
	esac
}

# One file for each kernel, with what stands outside of kernels in front of it.
split_kernels() { # FOLDER FILE...
	local folder=$1
	shift
	awk -v folder="$folder" '
		function flush_file(n) {
			for (n = 1; n <= count; n++) {
				path = folder "/" name "-" n ".ptx"
				printf "%s%s", common, body[n] >path
				close(path)
			}
			count = 0; common = ""
		}
		FNR == 1 { flush_file(); name = FILENAME; gsub(/.*\/|\.ptx$/, "", name) }
		/^[ \t]*\/\// { next }
		/^(\.visible )?\.entry/ { inside = 1; body[++count] = "" }
		inside { body[count] = body[count] $0 "\n" }
		!inside { common = common $0 "\n" }
		/^}/ { inside = 0 }
		END { flush_file() }' "$@"
}

make_seeds() {
	rm -rf "$out/seeds"
	mkdir -p "$out"/seeds/{vass,ptx,fatbin,jobfile,config,import} || exit 1
	# shellcheck disable=SC2046
	split_kernels "$out/seeds/ptx" $(find "$build/fuzz/ptx" -name '*.ptx' | LC_ALL=C sort)
	"$build/fuzz/seeds" "$out/seeds" "$out"/seeds/ptx/*.ptx || exit 1
	cp tests/baseline/jobs/*.ini "$out/seeds/jobfile/"
	for kind in ptx jobfile import; do
		[ ! -d tests/fuzz/seeds/$kind ] || cp tests/fuzz/seeds/$kind/* "$out/seeds/$kind/"
	done
}

# Words of the language, from where the reader has them.
dictionary_of() {
	case $1 in
	ptx | fatbin)
		grep -oE '"[A-Za-z0-9_:]+"' runtime/ptx/words.h | LC_ALL=C sort -u
		printf '"%s"\n' .entry .func .visible .extern .reg .align .maxntid '%tid.x' '@%p1 ' '@!%p1 ' '%r1' '%rd1' '%f1' ;;
	jobfile)
		grep -hoE '"[a-z_0-9]+"' tools/workload/{jobfile,phase,parboil}.c | LC_ALL=C sort -u
		printf '"%s"\n' '[global]' '\x0a[a]\x0a' phase= app= cmd= ;;
	import)
		grep -hoE '"[A-Za-z_0-9 ]+"' tools/import/{pytorch,nsys,timeline}.c | LC_ALL=C sort -u
		printf '"%s"\n' traceEvents deviceProperties '"ph": "X"' '{' '}' '[' ']' ',' ;;
	config)
		grep -oE '(NUMBER|ARRAY|NAME)\([a-z0-9_, ]*' sim-device/vgpu_config.h | sed 's/.*[(, ]\([a-z_]*\), [0-9].*/\1/; s/.*(//' |
			grep -E '^[a-z_]+$' | sed 's/.*/"&="/' | LC_ALL=C sort -u
		grep -hoE '"[a-z_-]+"' sim-device/device/{knobs,presets}.c | LC_ALL=C sort -u ;;
	esac
}

export ASAN_OPTIONS=quarantine_size_mb=16:allocator_may_return_null=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-16

fuzz() { # TARGET SECONDS
	local target=$1 dir=$out/$1 size words=() status
	mkdir -p "$dir/corpus" "$dir/findings" || return 1
	rm -f "$dir"/findings/*
	dictionary_of "$target" >"$dir/words"
	[ ! -s "$dir/words" ] || words=(-dict="$dir/words")
	case $target in vass) size=4096 ;; ptx | fatbin) size=8192 ;; import) size=16384 ;; *) size=2048 ;; esac
	LLVM_PROFILE_FILE=/dev/null timeout $(($2 + 120)) "$build/fuzz/bin/$target" -max_total_time="$2" -max_len=$size -timeout=25 \
		-rss_limit_mb=1500 -malloc_limit_mb=512 "${words[@]}" -artifact_prefix="$dir/findings/" -print_final_stats=1 \
		-reload=0 "$dir/corpus" "$out/seeds/$target" >"$dir/log" 2>&1
	status=$?
	awk -v target="$target" '/stat::number_of_executed_units/ { runs = $2 } /stat::average_exec/ { rate = $2 }
		END { printf "%s: %d executions, %d a second\n", target, runs, rate }' "$dir/log"
	[ $status -ne 0 ] || return 0
	echo "not ok - $target: exit status $status; the end of $dir/log:"
	grep -aE -m 1 -A 25 'ERROR|runtime error|broken|DEDLYSIGNAL|fuzz_[a-z]*:' "$dir/log" | sed 's/^/# /'
	for file in "$dir"/findings/*; do
		[ ! -e "$file" ] || echo "# again: LLVM_PROFILE_FILE=/dev/null $build/fuzz/bin/$target $file"
	done
	return 1
}

coverage() { # TARGET
	local target=$1 dir=$out/$1
	LLVM_PROFILE_FILE=$dir/raw timeout 600 "$build/fuzz/bin/$target" -runs=0 -max_len=1048576 \
		-artifact_prefix="$dir/findings/" "$dir/corpus" "$out/seeds/$target" >"$dir/coverage.log" 2>&1 ||
		{ echo "# no coverage: see $dir/coverage.log"; return 1; }
	llvm-profdata-16 merge -sparse "$dir/raw" -o "$dir/profile" && rm -f "$dir/raw" || return 1
	# shellcheck disable=SC2046
	llvm-cov-16 report "$build/fuzz/bin/$target" -instr-profile="$dir/profile" -show-region-summary=0 -show-branch-summary=0 \
		$(files_of "$target") 2>/dev/null |
		awk '/^-/ || NF < 4 { next } /^Filename|^Files/ { next } { printf "#   %-44s functions %7s  lines %7s\n", $1, $4, $7 }'
}

# The last inputs of a guest that went wrong are findings/00 to 31, the newest last: some of them together are the cause.
fuzz_guest() { # SECONDS
	local dir=$out/uapi program=$PWD/$build/fuzz/uapi mirror=$build/$kernel-kcov status words=(--seconds "$1")
	mkdir -p "$dir"/{corpus,findings,slow} || return 1
	[ ${#inputs[@]} -eq 0 ] || words=("${inputs[@]}")
	[ ${#inputs[@]} -gt 0 ] || rm -f "$dir"/findings/*
	tools/vgpu-vm --kernel "$kernel" --module "$mirror/vgpu.ko" --out "$dir" --timeout $(($1 + 900)) --append panic_on_warn=1 \
		-- "$program" --out "$dir" "${words[@]}" >"$dir/log" 2>&1
	status=$?
	grep '^uapi: ' "$dir/log" | tail -n 1
	[ ${#inputs[@]} -gt 0 ] || tests/fuzz/guest/coverage.sh "$mirror" "$dir/places" kmod sim-device/sm/{verify,module}.c sim-device ||
		status=1
	[ $status -ne 0 ] || return 0
	echo "not ok - uapi: exit status $status; the end of $dir/log:"
	grep -v '^uapi: ' "$dir/log" | tail -n 40 | sed 's/^/# /'
	[ ${#inputs[@]} -eq 0 ] || return 1
	"$program" --split "$dir/recent" "$dir/findings"
	echo "# the kernel's log: $dir/dmesg.txt; again: make fuzz TARGET=uapi KERNEL=$kernel INPUT=$dir/findings/31"
	echo "# or with what was executed before it: INPUT=\"\$(echo $dir/findings/*)\""
	return 1
}

status=0
share=$(((seconds + $# - 1) / $#))
[ "$*" = uapi ] || make_seeds
for target; do
	if [ "$target" = uapi ]; then
		fuzz_guest $share || status=1
		continue
	fi
	[ -x "$build/fuzz/bin/$target" ] || { echo "run.sh: no target $target in $build/fuzz/bin" >&2; exit 2; }
	fuzz "$target" $share || status=1
	coverage "$target" || status=1
done
exit $status
