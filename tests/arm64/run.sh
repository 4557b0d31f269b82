#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: what is compiled for arm64 works, and computes what x86-64 computes: unit tests and CUDA programs emulated by QEMU,
# traces of both that are the same in every byte, CUDA programs on the module's device in an arm64 guest. In TAP.
#
# usage: tests/arm64/run.sh [PART]...     the parts: unit cuda traces guest [all]
#
# Not a part of `make test`: it takes a processor an hour, most of it to compile. JOBS programs run at once [processors].
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
[ $# -gt 0 ] || set -- unit cuda traces guest
foreign=build/arm64 logs=out/arm64
export EMULATOR="qemu-aarch64 -L $PWD/build/sysroot/arm64"
# QEMU for programs has no process_vm_readv(), by which the runtime looks whether there is memory, and keeps a record of each page of
# the terabytes of addresses that contexts reserve: the runtime's own tests are for the guest, whose kernel is Debian's.
own_kernel='driver fatbin runtime'
# It starts no program of its own kind either, so neither do these.
start_others='environment error_codes killed_beside system_page'
count=0 failed=0
mkdir -p "$logs"

ok() { # NAME STATUS LOG
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1$(grep -c '^ok' "$3" | sed 's/^\([1-9].*\)/ (\1 passed)/; s/^0$//')"
	else
		echo "not ok $count - $1: exit status $2; $3"
		failed=1
		{ grep -A12 '^not ok' "$3" || tail -n 20 "$3"; } | head -n 60 | sed 's/^/#   /'
	fi
}

# LOG COMMAND...: named by PART and LOG
check() {
	local log=$logs/$part-$1.log name="$part: $1" status=0
	shift
	"$@" >"$log" 2>&1 </dev/null || status=$?
	ok "$name" $status "$log"
}

build() { # LOG GOAL...
	local log=$1
	shift
	check "$log" "${MAKE:-make}" -k -j"$(nproc)" --no-print-directory "$@"
}

in_guest() { # LOG COMMAND...
	local log=$1
	shift
	check "$log" env EMULATOR= tools/vgpu-vm --kernel arm64-6.1 --mem 3G --timeout 3600 --out "$PWD/$logs/guest" --env EMULATOR --env JOBS \
		--env TEST_TIMEOUT -- "$@"
}

# All programs but those of the mathematics libraries
cuda_goals() { find tests/cuda -name '*.cu' ! -path '*/libraries/*' -printf "$1/cuda/%P\n" | sed 's/\.cu$//'; }

for part; do
	case $part in
	unit)
		build build ARCH=arm64 unit-programs
		build module KERNEL=arm64-6.1 modules
		# shellcheck disable=SC2046
		check programs tests/arm64/each.sh "$logs/unit" $(find $foreign/native/unit -mindepth 1 -maxdepth 1 -type d |
			grep -vE "/(${own_kernel// /|})\$")
		# shellcheck disable=SC2046
		in_guest runtime tests/arm64/each.sh "$logs/guest/unit" $(printf "$foreign/native/unit/%s " $own_kernel) ;;
	cuda)
		# shellcheck disable=SC2046
		build build ARCH=arm64 $(cuda_goals $foreign)
		build module KERNEL=arm64-6.1 modules
		# shellcheck disable=SC2046
		VGPU_TRANSPORT=embedded check programs tests/arm64/each.sh "$logs/cuda" $(cuda_goals $foreign | grep -vE "/(${start_others// /|})\$")
		# shellcheck disable=SC2046
		VGPU_TRANSPORT=embedded in_guest others tests/arm64/each.sh "$logs/guest/others" $(printf "$foreign/cuda/features/%s " $start_others) ;;
	traces)
		# shellcheck disable=SC2046
		build here $(cuda_goals build) build/tools/vgpu-sim
		# shellcheck disable=SC2046
		build there ARCH=arm64 $(cuda_goals $foreign) $foreign/tools/vgpu-sim
		check same tests/arm64/traces.sh ;;
	guest)
		build module KERNEL=arm64-6.1 modules
		build build ARCH=arm64 $foreign/cuda/saxpy $foreign/cuda/reduce $foreign/cuda/features/math_f32
		VGPU_TRANSPORT=ioctl in_guest programs tests/arm64/each.sh "$logs/guest/cuda" $foreign/cuda/saxpy $foreign/cuda/reduce \
			$foreign/cuda/features/math_f32 ;;
	*)	echo "run.sh: no part '$part'; there are unit, cuda, traces and guest" >&2; exit 2 ;;
	esac
done
echo "1..$count"
exit $failed
