#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_explain: what vgpu-run --explain says of programs as nvcc builds them, and of files that are none. The programs are made
# here by gcc: libraries that have only a name, and sections with fat binaries as the assembler lays them out. Speaks TAP.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
explain=("$top/build/tools/vgpu-run" --explain)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0 failed=0

# NAME STATUS FILE PATTERN...: it ends so, and each pattern is in a line
says() {
	local name=$1 expected=$2 file=$3 status=0 pattern
	shift 3
	"${explain[@]}" "$file" >log 2>&1 || status=$?
	[ $status -eq "$expected" ] || echo "status $status, not $expected" >>log
	for pattern; do
		grep -qE -- "$pattern" log || { echo "no line with: $pattern" >>log; status=-1; }
	done
	count=$((count + 1))
	if [ $status -eq "$expected" ]; then echo "ok $count - $name"; else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		sed 's/^/#   /' log
	fi
}
# The last report's output has nothing like PATTERN.
says_no() { # NAME PATTERN
	count=$((count + 1))
	if grep -qE -- "$2" log; then
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/#   /' log
	else
		echo "ok $count - $1"
	fi
}

cat >good.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry something(.param .u64 p) { ret; }
END
sed 's/ret; }$/undefined.u32 %r1; }/' good.ptx >bad.ptx
printf '.version 7.0\n.target sm_70\n.address_size 64\n.extern .func f();\n.visible .entry k() { call f, (); ret; }\n' >apart.ptx
# of SASS only that it is for a kernel is looked at
printf '\177ELF and so on .text.kernel' >sass

entry() { # KIND ARCH FILE: 1 is PTX, 2 SASS
	printf '\t.short %s, 0x101\n\t.long 64\n\t.quad 4f - 3f\n\t.long 0, 0\n\t.short 0, 7\n\t.long %s\n' "$1" "$2"
	printf '\t.quad 0, 0x11, 0, 0\n3:\t.incbin "%s"\n\t.byte 0\n\t.balign 8\n4:\n' "$3"
}
fatbin() { # KIND ARCH FILE...
	printf '\t.balign 8\n\t.long 0xba55ed50\n\t.short 1, 16\n\t.quad 2f - 1f\n1:\n'
	while [ $# -gt 0 ]; do entry "$1" "$2" "$3"; shift 3; done
	printf '2:\n'
}
section() { printf '\t.section %s, "a"\n' "$1"; }
end() { printf '\t.section .note.GNU-stack, "", @progbits\n'; }

# A library of which there is only the name.
library() { # SONAME
	[ -e "$1" ] || gcc -shared -x c /dev/null -Wl,-soname,"$1" -o "$1"
}
echo 'int main(void) { return 0; }' >main.c
program() { # NAME LIBRARY...: with the code of code.s
	local name=$1 one
	shift
	for one; do library "$one"; done
	gcc main.c code.s -o "$name" -Wl,--no-as-needed "$@" || exit 1
}

# ---- which runtime ----------------------------------------------------------------------------------------------

{ section .nv_fatbin; fatbin 1 70 good.ptx; end; } >code.s
program static
says 'NVIDIA'\''s runtime inside: said, and what to do' 1 static 'code 1: PTX for compute_70; the PTX for compute_70 compiles, kernels: 2' \
	"runtime: CUDA's, static" "does not run on vgpu: NVIDIA's runtime is inside the program.*-cudart shared"
for version in 11.0 12 13; do
	program shared-$version libcudart.so.$version
	says "the runtime of CUDA $version as a library: it runs" 0 shared-$version "library libcudart.so.$version  *vgpu has it" \
		"runtime: CUDA's, shared" 'runs on vgpu, with LD_LIBRARY_PATH at the folder of libvgpu.so$'
done
program old libcudart.so.10.2
says 'a runtime of before: vgpu has no such library' 1 old 'vgpu has versions 11.0, 12 and 13 only' \
	'does not run on vgpu: .*libcudart.so.10.2'
program driver libcuda.so.1
says 'the driver API alone: it runs' 0 driver 'library libcuda.so.1  *vgpu has it' 'runtime: none: the driver API' 'runs on vgpu'
program cublas libcudart.so.12 libcublas.so.12
says 'a library that vgpu has: it runs' 0 cublas 'libcublas.so.12  *vgpu has it'
program libraries libcudart.so.12 libcublasLt.so.13 libcufft.so.11 libcufftw.so.12 libcurand.so.10 libcusparse.so.12 libcusolver.so.12
for library in libcublasLt.so.13 libcufft.so.11 libcufftw.so.12 libcurand.so.10 libcusparse.so.12 libcusolver.so.12; do
	says "$library: it runs" 0 libraries "$library  *vgpu has it"
done
program cudnn libcudart.so.12 libcudnn.so.9
says 'a library of NVIDIA: it does not run' 1 cudnn "libcudnn.so.9  *NVIDIA's" 'needs libraries of NVIDIA'
program nvrtc libcuda.so.1 libnvrtc.so.12
says 'but NVRTC, which needs no device, works' 0 nvrtc 'libnvrtc.so.12 .*it needs no device, and works'

# ---- which code -------------------------------------------------------------------------------------------------

{ section .nv_fatbin; fatbin 2 80 sass; end; } >code.s
program sass-only libcudart.so.12
says 'SASS alone: it is said for what' 1 sass-only 'code 1: none that is usable; .*the code is SASS for sm_80' \
	'does not run on vgpu: there is no PTX for it: build it with -arch=compute_80'
{ section .nv_fatbin; fatbin 2 80 sass 1 90 good.ptx; end; } >code.s
program both libcudart.so.12
says 'SASS and PTX' 0 both 'code 1: SASS for sm_80; PTX for compute_90; the PTX for compute_90 compiles'
{ section .nv_fatbin; fatbin 1 70 bad.ptx; end; } >code.s
program bad libcudart.so.12
says 'PTX that does not compile' 1 bad 'the PTX for compute_70 does not compile: .*undefined' 'does not run on vgpu'
{ section .nv_fatbin; fatbin 1 70 bad.ptx; fatbin 1 70 good.ptx; end; } >code.s
program some libcudart.so.12
says 'some that does, and some that does not' 0 some 'code 1: .*does not compile' 'code 2: .*compiles, kernels: 2' \
	'runs on vgpu, as long as it uses no kernel of the code that does not compile'
{ section .nv_fatbin; fatbin 1 70 good.ptx; section __nv_relfatbin; fatbin 1 70 apart.ptx; end; } >code.s
program linked libcudart.so.12
says 'separate compilation: its PTX is linked later' 0 linked 'to be linked when it is loaded' 'runs on vgpu'
says_no 'and does not count as wrong' 'does not compile'
printf '\t.section .nv_fatbin, "a"\n\t.long 0xba55ed50\n\t.short 1, 16\n\t.quad 100000\n\t.zero 64\n' >code.s
end >>code.s
program cut libcudart.so.12
says 'a fat binary that is cut off is not taken for none' 1 cut 'code 1: none that is usable; .*(truncated|malformed)'

# ---- what vgpucc builds, what has nothing, what is no program ---------------------------------------------------------

printf '__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n' >own.cu
if "$top/tools/vgpucc" own.cu -o own >log 2>&1; then
	says 'a program of vgpucc' 0 own 'code: PTX of vgpucc' "runtime: vgpu's" 'runs on vgpu$'
else
	says 'a program of vgpucc' 0 own.cu
fi
end >code.s
program plain
says 'nothing of CUDA' 0 plain 'has nothing of CUDA'
says 'a text' 2 main.c 'main.c is no 64-bit ELF program or library'
: >empty
says 'an empty file' 2 empty 'empty: is empty'
says 'no file' 2 absent 'absent: No such file'
says 'a folder' 2 . 'Is a directory'
{ head -c 4 static; printf '\1'; tail -c +6 static; } >half
says 'a program of 32 bits' 2 half 'is no 64-bit ELF'

# Cut off anywhere it is no program, or one with less in it, and never the end of vgpu-run.
size=$(stat -c %s static) worst=0
for length in 1 4 16 63 64 65 $(seq 100 $((size / 60)) "$size") $((size - 1)); do
	head -c "$length" static >part
	"${explain[@]}" part >log 2>&1
	[ $? -le 2 ] || { worst=1; echo "at $length bytes" >>log; break; }
done
count=$((count + 1))
if [ $worst -eq 0 ]; then echo "ok $count - cut off anywhere"; else
	failed=$((failed + 1))
	echo "not ok $count - cut off anywhere"
	sed 's/^/#   /' log
fi

# So does a byte that is wrong, of those that say where things are.
worst=0
for at in 40 41 47 58 60 62 $(seq $((size - 1984)) 61 $((size - 1))); do
	for byte in '\0' '\377' '\200'; do
		cp static part
		printf "$byte" | dd of=part bs=1 seek="$at" conv=notrunc status=none
		"${explain[@]}" part >log 2>&1
		[ $? -le 2 ] || { worst=1; echo "byte $at as $byte" >>log; break 2; }
	done
done
count=$((count + 1))
if [ $worst -eq 0 ]; then echo "ok $count - with a byte that is wrong"; else
	failed=$((failed + 1))
	echo "not ok $count - with a byte that is wrong"
	sed 's/^/#   /' log
fi

echo "1..$count"
[ $failed -eq 0 ]
