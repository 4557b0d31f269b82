#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What `make install` brings, in the two forms that it has: below a prefix, as somebody installs it, and staged in DESTDIR with a
# distribution's folders. From both a CUDA program is compiled and run, by vgpucc, pkg-config and CMake. Speaks TAP.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export VGPU_TRANSPORT=embedded
unset CUDA_HOME CUDA_PATH CUDACXX CUDAToolkit_ROOT LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH
count=0 failed=0

works() { # NAME PATTERN COMMAND...: it ends with 0, and what it prints has PATTERN
	local name=$1 pattern=$2 status=0
	shift 2
	count=$((count + 1))
	"$@" >log 2>&1 || status=1
	[ $status -ne 0 ] || [ -z "$pattern" ] || grep -qE -- "$pattern" log || status=1
	if [ $status -eq 0 ]; then echo "ok $count - $name"; else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		tail -n 30 log | sed 's/^/#   /'
	fi
}
nothing() { # NAME COMMAND...: it prints nothing
	local name=$1
	shift
	works "$name" "" bash -c 'found=$("$@"); [ -z "$found" ] || { head -n 20 <<<"$found"; exit 1; }' - "$@"
}

cat >sum.cu <<'END'
#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cstdio>
__global__ void fill(float *p) { p[threadIdx.x] = threadIdx.x; }
int main()
{
	float *p, sum = 0;
	cublasHandle_t handle;

	cudaMalloc(&p, 32 * sizeof(*p));
	fill<<<1, 32>>>(p);
	if (cublasCreate(&handle) || cublasSasum(handle, 32, p, 1, &sum))
		return 1;
	std::printf("sum %g\n", sum);
	return cublasDestroy(handle);
}
END
cat >count.c <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int main(void)
{
	int devices = 0, error = cudaGetDeviceCount(&devices);

	printf("%d %d\n", error, devices);
	return error;
}
END
mkdir project
cp sum.cu count.c project/
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
find_package(vgpu 0.1 REQUIRED)
set(CMAKE_CUDA_COMPILER ${VGPU_CUDA_COMPILER})
set(CUDAToolkit_ROOT ${VGPU_TOOLKIT})
project(installed LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(count count.c)
target_link_libraries(count vgpu::vgpu)
add_executable(sum sum.cu)
target_link_libraries(sum CUDA::cublas)
END

# ---- below a prefix -------------------------------------------------------------------------------------------------

prefix=$work/prefix
works "make install" "" make -s -C "$top" install PREFIX="$prefix"
nothing "no source among the headers" find "$prefix/include" -name '*.c' -o -name '*.cu'
nothing "every link leads somewhere" find "$prefix" -xtype l
nothing "what is installed does not name the source tree" \
	grep -rlIF --exclude-dir=src "$top" "$prefix/bin" "$prefix/share" "$prefix/lib/pkgconfig" "$prefix/lib/cmake"
for file in bin/vgpu-vm bin/vgpu-sweep bin/vgpucc share/vgpu/vm/init share/vgpu/setup share/man/man1/vgpu-vm.1 lib/udev/rules.d/60-vgpu.rules \
	lib/systemd/system/vgpu.service lib/sysusers.d/vgpu.conf src/vgpu-0.1.0/dkms.conf src/vgpu-0.1.0/Kbuild; do
	[ -s "$prefix/$file" ] || echo "$file"
done >lacking
nothing "nothing is lacking" cat lacking
works "the soname" 'SONAME.*\[libvgpu\.so\.1\]' readelf -d "$prefix/lib/libvgpu.so.1"
works "vgpucc" "^sum 496$" bash -c "$prefix/bin/vgpucc -O2 sum.cu -lcublas -o sum && ./sum"
# The module's tree has each file that the module is made of, and no more.
(cd "$top" && find Kbuild kmod sim-device uapi -type f \( -name '*.[ch]' -o -name Kbuild \) | sort) >wanted
(cd "$prefix/src/vgpu-0.1.0" && find . -type f | sed 's|^\./||' | grep -v -e '^dkms.conf$' -e '^Makefile$' -e '^LICENSES/' | sort) >found
works "the module's sources" "" cmp wanted found
works "DKMS is told the version that there is" '^0\.1\.0 vgpu$' bash -c \
	". '$prefix/src/vgpu-0.1.0/dkms.conf' && echo \"\$PACKAGE_VERSION \${BUILT_MODULE_NAME[0]}\""
works "vgpu-vm says which kernels there are" 'there are 6\.1, 6\.12, ' bash -c "! '$prefix/bin/vgpu-vm' --kernel 2.6 -- true"
works "vgpu-vm does not run without the module's sources" "install vgpu-dkms" bash -c "
	mkdir -p cache && ln -s '$top/build/kernels' cache/kernels && echo /nonexistent >'$prefix/share/vgpu/module' &&
	! VGPU_VM_CACHE=\$PWD/cache '$prefix/bin/vgpu-vm' -- true"
if command -v cmake >/dev/null; then
	works "CMake" "" bash -c "cmake -S project -B built -DCMAKE_PREFIX_PATH='$prefix' && cmake --build built"
	works "CMake: a program with device code" "^sum 496$" built/sum
	works "CMake: a program of C" "^0 1$" built/count
	sed -i 's/vgpu 0.1 REQ/vgpu 1.0 REQ/' project/CMakeLists.txt
	works "CMake: a version that is not there" 'requested version "1\.0"' bash -c "! cmake -S project -B other -DCMAKE_PREFIX_PATH='$prefix'"
fi
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	works "pkg-config" "^0 1$" bash -c \
		"gcc count.c \$(pkg-config --cflags --libs vgpu) -Wl,-rpath,'$prefix/lib' -o pkg && ./pkg"
	works "pkg-config: the version" '^0\.1\.0$' pkg-config --modversion vgpu
	export PKG_CONFIG_PATH=$prefix/share/vgpu/toolkit/pkgconfig
	works "pkg-config, by NVIDIA's names" "^0 1$" bash -c \
		"gcc count.c \$(pkg-config --cflags --libs cudart cublas) -o names && ./names"
fi

# ---- staged, with a distribution's folders -----------------------------------------------------------------------------

stage=$work/stage
works "make install DESTDIR=" "" make -s -C "$top" install DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu \
	NAMESDIR=/usr/lib/x86_64-linux-gnu/vgpu SRCDIR=/usr/src SYSDIR=/lib
nothing "no file names DESTDIR" grep -rlIF "$stage" "$stage"
nothing "NVIDIA's names are in a folder of their own" bash -c "cd '$stage/usr/lib/x86_64-linux-gnu' && ls | grep -v -x -e 'libvgpu.*' -e vgpu -e cmake -e pkgconfig"
nothing "links do not leave DESTDIR but for what is absolute" bash -c \
	"find '$stage' -type l -printf '%l\n' | grep '^/' | grep -v '^/usr/'"
works "the names are the library" '\.\./libvgpu\.so\.1$' readlink "$stage/usr/lib/x86_64-linux-gnu/vgpu/libcuda.so.1"

# ---- Debian's packages: what is staged, divided ------------------------------------------------------------------------

debian=$top/tools/packaging/debian
for list in "$debian"/*.install; do
	while read -r pattern; do
		(cd "$stage" && compgen -G "${pattern//'${DEB_HOST_MULTIARCH}'/x86_64-linux-gnu}") || echo "${list##*/}: $pattern" >&3
	done <"$list" | (cd "$stage" && xargs -d '\n' -I'{}' find '{}' ! -type d)
done 3>nowhere | sort >packaged
(cd "$stage" && find . ! -type d | sed 's|^\./||' | sort) >wanted
nothing "packages: each line of a list is a file or a folder" cat nowhere
nothing "packages: each file is in one" bash -c "uniq packaged | diff - wanted"
nothing "packages: none is in two" uniq -d packaged
works "packages: the changelog has the version" '^vgpu \(0\.1\.0(-[0-9]+)?\) ' head -n 1 "$debian/changelog"
# compilers and C's library are there wherever packages are built
sed -n 's/^\tbuild)[[:space:]]*install \(.*\) ;;$/\1/p' "$top/tools/setup" | tr ' ' '\n' | grep -vx -e gcc -e libc6-dev -e make | sort >wanted
sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([^ ,]*\).*/\1/p' "$debian/control" | grep -vx -e debhelper-compat -e dh-dkms | sort >found
nothing "packages: they are built with what make takes" diff wanted found

echo "1..$count"
[ $failed -eq 0 ]
