#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tests of tools/vgpu-vm itself, TAP on stdout: what carries over, what comes back, and
# that a run fails when its guest goes wrong. Needs no vgpu.ko: tests/vm/faulty.c goes
# wrong on demand. KERNEL=6.1|6.12|rt|debug|debug-6.12|kcsan.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
top=$PWD
kernel=${KERNEL:-6.1}
vm="$top/tools/vgpu-vm --kernel $kernel --timeout 300"
case $kernel in *6.12) version=6.12 ;; *) version=6.1 ;; esac
case $kernel in debug*) checks=debug ;; kcsan) checks=kcsan ;; *) checks='' ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

count=0 failed=0
check() { # NAME CONDITION...
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		echo "# wanted: $*"
		sed 's/^/# stdout: /' "$tmp/stdout" | head -20
		sed 's/^/# stderr: /' "$tmp/stderr" | head -40
		failed=$((failed + 1))
	fi
}
run() { # VGPU-VM ARGUMENTS...: leaves $status, stdout, stderr
	status=0
	$vm --out "$tmp/out" "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null || status=$?
}
# The same beside what follows, in a folder of its own: for runs that mostly wait. joined() waits for it, and it is then as
# if it had been run now.
beside() { # FOLDER VGPU-VM ARGUMENTS...
	local tmp=$tmp/$1
	shift
	mkdir -p "$tmp"
	(run "$@"; echo "$status" >"$tmp/status") &
	echo $! >"$tmp/pid"
}
joined() { # FOLDER
	wait "$(cat "$tmp/$1/pid")"
	status=$(cat "$tmp/$1/status")
	rm -rf "$tmp/out"
	cp -r "$tmp/$1/stdout" "$tmp/$1/stderr" "$tmp/$1/out" "$tmp/"
}
said() { grep -qE -e "$1" "$tmp/stderr"; }
is() { [ "$1" = "$2" ]; }

# A run that goes right: everything of it at once, a start takes seconds.
mkdir "$tmp/a folder"
cd "$tmp/a folder" || exit 1
export VGPU_VM_TEST='with space' OTHER_VARIABLE=listed UNLISTED=x
run --no-module --smp 3 --mem 700M --env OTHER_VARIABLE --env SET=here -- bash -c '
	echo "to stdout $1"; echo "to stderr" >&2; echo late >/dev/stderr
	pwd; nproc; grep MemTotal /proc/meminfo
	echo "$VGPU_VM_TEST,$OTHER_VARIABLE,$SET,${UNLISTED-none}"
	grep -c -w avx2 /proc/cpuinfo; grep -c -w fma /proc/cpuinfo; uname -r
	read -r line || echo "no stdin"
	ls -d /sys/kernel/tracing/events/sched /sys/kernel/debug/tracing
	echo kept >/out/result; echo too >'"$tmp"'/out/named; echo lost >here
	sleep 1000 & sleep 1000 &
	exit 42' _ "it's an argument"
cd "$top" || exit 1
lines() { sed -n "$1p" "$tmp/stdout"; }
check "exit status" is "$status" 42
check "stdout and an argument with a quote" is "$(lines 1)" "to stdout it's an argument"
# A start may have been repeated, which is said with what the guest was at.
check "stderr alone" is "$(grep -v -e '^vgpu-vm: a guest does not start' -e '^vgpu-vm: .*; again$' -e '^  ' "$tmp/stderr")" \
	$'to stderr\nlate'
check "working directory" is "$(lines 2)" "$tmp/a folder"
check "--smp" is "$(lines 3)" 3
check "--mem" [ "$(lines 4 | tr -dc 0-9)" -lt 720000 ]
check "environment: VGPU_*, listed, set, no other" is "$(lines 5)" "with space,listed,here,none"
check "AVX2 on every processor" is "$(lines 6)" 3
check "FMA on every processor" is "$(lines 7)" 3
check "--kernel" is "$(lines 8 | cut -d. -f1,2)" "$version"
check "with its checks, or none" is "$(lines 8 | sed -n 's/.*-vgpu-//p')" "$checks"
check "stdin is empty" is "$(lines 9)" "no stdin"
check "tracefs and debugfs" is "$(lines 10,11 | wc -w)" 2
check "/out comes back" is "$(cat "$tmp/out/result")" kept
check "the out folder under its own name comes back" is "$(cat "$tmp/out/named")" too
check "a write elsewhere does not" [ ! -e "$tmp/a folder/here" ]
check "the kernel's log comes back" grep -q "Linux version $version" "$tmp/out/dmesg.txt"
# shellcheck disable=SC2012
if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
	check "whether KVM works was tried and kept" \
		[ -e "build/vm/kvm-$(id -u)-$(cat /proc/sys/kernel/random/boot_id)" ]
else
	count=$((count + 1))
	echo "ok $count - whether KVM works was tried and kept # SKIP no /dev/kvm for this user"
fi

# An emulator that fails while the kernel boots, in the way and as often as the file says.
emulator() { # FOLDER WAY TIMES
	mkdir -p "$1"
	echo "$2 $3" >"$1/fails"
	cat >"$1/qemu-system-x86_64" <<-'TEXT'
		#!/bin/bash
		read -r way left <"${0%/*}/fails"
		echo "$way $((left - 1))" >"${0%/*}/fails"
		[ "$left" -gt 0 ] || exec /usr/bin/qemu-system-x86_64 "$@"
		for word; do
			case $word in file:*) echo "[    0.1] booting" >"${word#file:}"; [ "$way" = hangs ] || echo "Oops: int3: 0000 [#1]" >>"${word#file:}" ;; esac
		done
		[ "$way" = falls ] || exec sleep 1000
	TEXT
	chmod +x "$1/qemu-system-x86_64"
}
emulator "$tmp/hanging" hangs 1
PATH=$tmp/hanging:$PATH VGPU_VM_BOOT=80 beside hangs --no-module -- bash -c 'exit 6'
beside timeout --no-module --timeout 80 -- sh -c 'echo begun; sleep 1000'

# A lot of output, byte for byte.
run --no-module -- bash -c 'seq 300000; seq 100000 >&2'
check "2 MB of stdout" is "$(md5sum <"$tmp/stdout")" "$(seq 300000 | md5sum)"
check "600 KB of stderr" is "$(md5sum <"$tmp/stderr")" "$(seq 100000 | md5sum)"

run --no-module -- no-such-command
check "a missing command is 127" is "$status" 127
check "and is named" said "no-such-command"

joined timeout
check "a timeout is 124" is "$status" 124
check "and said" said "out of time after 80 s"
check "and kept to" [ "$SECONDS" -lt 900 ]
check "what was written before it is there" is "$(cat "$tmp/stdout")" begun
check "and where its processes were" said "^  sleep\\[[0-9]+\\] S: .*nanosleep"
check "in the kernel's log too" grep -q "task:sleep" "$tmp/out/dmesg.txt"

run --no-module -- sh -c 'echo "<4>WARNING: CPU: 0 something odd" >/dev/kmsg'
check "a WARNING in the log is 125" is "$status" 125
check "and shown" said "WARNING: CPU: 0 something odd"

run --no-module -- sh -c 'echo c >/proc/sysrq-trigger'
check "a crash is 125" is "$status" 125
check "and shown" said "Kernel panic|sysrq"

# The module.
mkdir -p build/vm/faulty-$kernel
cp tests/vm/faulty.c build/vm/faulty-$kernel/
echo 'obj-m := faulty.o' >build/vm/faulty-$kernel/Kbuild
make -C "build/kernels/$kernel/headers" M="$top/build/vm/faulty-$kernel" CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$tmp/stdout" 2>"$tmp/stderr"
check "the test module builds" [ -e build/vm/faulty-$kernel/faulty.ko ]
faulty="--module build/vm/faulty-$kernel/faulty.ko --module-args"

run $faulty how=nothing -- grep '^faulty' /proc/modules
check "a module is loaded for the command and unloaded behind it" is "$status" 0
for how in warn bug null; do
	run $faulty how=$how -- true
	check "a module with $how is 125" is "$status" 125
	check "and shown" said 'WARNING:|BUG( at|: )'
done

# What only kernels that check for it find; on the others the allocator can be told to look.
notices() { # HOW WHAT-IS-SAID VGPU-VM-OPTION...
	local how=$1 what=$2
	shift 2
	run $faulty "how=$how" "$@" -- true
	check "a module with $how is 125" is "$status" 125
	check "and shown" said "$what"
}
case $kernel in
debug*)
	notices behind 'BUG: KASAN: slab-out-of-bounds'
	notices order 'WARNING: possible circular locking dependency'
	check "and that lockdep is off" said '^vgpu-vm: lockdep has turned itself off'
	notices atomic 'BUG: sleeping function called from invalid context|BUG: scheduling while atomic'
	notices object 'WARNING: CPU: .* debug_print_object'
	notices fpu 'WARNING: CPU: .* kernel_fpu_begin' ;;
kcsan)
	notices race 'BUG: KCSAN: data-race in .*count_racily' ;;
*)
	notices behind 'BUG kmalloc-32 .*(Right Redzone overwritten|Object corrupt)' --append slub_debug=FZPU ;;
esac

run $faulty how=hold -- true
check "a module that stays is 125" is "$status" 125
check "and said" said "does not unload"
run $faulty how=hold --keep-module -- true
check "unless it may stay" is "$status" 0
run $faulty how=refuse -- echo ran
check "a module that does not load is 125" is "$status" 125
check "and said" said "does not load"
check "and the command is not run" is "$(cat "$tmp/stdout")" ""

path=$PATH
PATH=$tmp/failing:$PATH
emulator "$tmp/failing" falls 1
run --no-module -- bash -c 'echo $PATH; exit 5'
check "a start that the emulator fails is repeated" [ "$status" -eq 5 -a -s "$tmp/stdout" ]
check "and said" said "ran code that had been patched; again"
emulator "$tmp/failing" falls 3
run --no-module -- true
check "but not for ever" is "$status" 125
check "and the console is shown" grep -q 'int3: 0000' "$tmp/out/dmesg.txt"
joined hangs
check "a guest that does not come up is restarted" is "$status" 6
check "and said" said "did not come up in 80 s; again"
emulator "$tmp/failing" hangs 1
run --no-module --timeout 2 -- true
check "not when the time is over" is "$status" 124
check "and said" said "out of time after 2 s, before the command began"
check "and that the kernel did not answer" said "its kernel does not answer"
check "nor the emulator, which is why the suites repeat it" said "the emulator does not say"
PATH=$path

run --no-module --append tsc_early_khz=1000000 -- true
check "a guest whose clock is wrong is refused" is "$status" 125
check "and said" said "^vgpu-vm: a sleep of 200 ms took [0-9]+ ms by the guest's clock, [0-9]+ ms by this machine's$"
# A start may also fail for another reason: a clock that runs too fast ends what waits too early.
check "after it was restarted" is "$(grep -c '; again$' "$tmp/stderr")" 2

# The same from where it is installed: its kernels are in a folder of its own.
make -s -C "$top" --no-print-directory install-vm PREFIX="$tmp/prefix" >/dev/null
mkdir "$tmp/cache"
ln -s "$top/build/kernels" "$tmp/cache/kernels"
vm="env VGPU_VM_CACHE=$tmp/cache $tmp/prefix/bin/vgpu-vm --kernel $kernel --timeout 300"
run --no-module -- uname -r
check "an installed vgpu-vm" is "$(cat "$tmp/stdout")" "$(cat "$top/build/kernels/$kernel/release")"
check "keeps what it makes in its cache" [ -s "$tmp/cache/vm/initramfs-$kernel.cpio" ]
run --module "$top/build/vm/faulty-$kernel/faulty.ko" --module-args how=nothing -- grep '^faulty' /proc/modules
check "and loads a module" is "$status" 0
vm="$top/tools/vgpu-vm --kernel $kernel --timeout 300"

# What is wrong is said before anything starts.
for wrong in "--kernel 5.4" "--smp 0" "--mem lots" "--timeout soon" "--frobnicate" "--smp" \
	"--module $tmp/no.ko" "--no-module --env 1x=2"; do
	# shellcheck disable=SC2086
	run $wrong -- true
	check "refused and named: $wrong" [ "$status" -eq 125 -a -s "$tmp/stderr" ]
done

echo "1..$count"
exit $((failed > 0))
