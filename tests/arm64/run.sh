#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: what is compiled for arm64 works, and computes what x86-64 computes: unit tests and CUDA programs emulated by QEMU,
# traces of both that are the same in every byte, a CUDA program on the module's device in an arm64 guest. In TAP.
#
# usage: tests/arm64/run.sh [PART]...     the parts: unit cuda traces guest [all]
#
# Not a part of `make test`: it takes a processor an hour, most of it to compile. JOBS programs run at once [processors].
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
[ $# -gt 0 ] || set -- unit cuda traces guest
foreign=build/arm64 sysroot=build/sysroot/arm64 logs=out/arm64
export EMULATOR="qemu-aarch64 -L $PWD/$sysroot"
# An emulated program is many times as slow as one of this machine.
limit=${TEST_TIMEOUT:-1800}
jobs=${JOBS:-$(nproc)}
count=0 failed=0
mkdir -p "$logs"

ok() { # NAME STATUS [LOG]
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1: exit status $2"
		failed=1
		[ -z "${3:-}" ] || tail -n 20 "$3" | sed 's/^/#   /'
	fi
}

# Each line of the input is a program and its name, run with the limit; a line of the result for each in its log's place.
each() { # FOLDER COMMAND...: programs of FOLDER, below it
	local folder=$1 name
	shift
	mkdir -p "$logs/$part"
	find "$folder" -type f -executable ! -name '*.o' ! -path '*/libraries/*' -printf '%P\n' | LC_ALL=C sort >"$logs/$part/names"
	xargs -P "$jobs" -I{} sh -c '
		log=$1/$(echo "$3" | tr / -).log
		shift
		timeout -k 5 "$1" $EMULATOR "$0/$2" >"$log" 2>&1 </dev/null
		echo "$?" >"$log.status"' "$folder" "$logs/$part" "$limit" {} <"$logs/$part/names"
	while read -r name; do
		log=$logs/$part/${name//\//-}.log
		ok "$part/$name" "$(<"$log.status")" "$log"
	done <"$logs/$part/names"
}

build() { # GOAL...
	local log=$logs/build-$part.log status=0
	# shellcheck disable=SC2086
	${MAKE:-make} -k -j"$(nproc)" --no-print-directory "$@" >"$log" 2>&1 || status=$?
	ok "$part: build" $status "$log"
}

# All programs but those of the mathematics libraries
cuda_goals() { find tests/cuda -name '*.cu' ! -path '*/libraries/*' -printf "$1/cuda/%P\n" | sed 's/\.cu$//'; }

for part; do
	case $part in
	unit)
		build ARCH=arm64 unit-programs
		each $foreign/native/unit ;;
	cuda)
		# shellcheck disable=SC2046
		build ARCH=arm64 $(cuda_goals $foreign)
		VGPU_TRANSPORT=embedded each $foreign/cuda ;;
	traces)
		# shellcheck disable=SC2046
		build $(cuda_goals build) build/tools/vgpu-sim
		# shellcheck disable=SC2046
		build ARCH=arm64 $(cuda_goals $foreign) $foreign/tools/vgpu-sim
		tests/arm64/traces.sh >"$logs/traces.tap"
		ok traces $? "$logs/traces.tap" ;;
	guest)
		build KERNEL=arm64-6.1 modules
		build ARCH=arm64 $foreign/cuda/saxpy $foreign/cuda/reduce $foreign/cuda/features/math_f32
		VGPU_TRANSPORT=ioctl tools/vgpu-vm --kernel arm64-6.1 --out "$logs/guest" -- tests/cuda/run.sh --quick $foreign/cuda guest \
			>"$logs/guest.log" 2>&1
		ok guest $? "$logs/guest.log" ;;
	*)	echo "run.sh: no part '$part'; there are unit, cuda, traces and guest" >&2; exit 2 ;;
	esac
done
echo "1..$count"
exit $failed
