#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The mathematics libraries as programs find them: under each soname all names of the list and no other, with the soname
# as their version; what is known by name only refuses, once in words; a library of NVIDIA's beside ours is named.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

check() { # NAME COMMAND...
	local name=$1
	shift
	count=$((count + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		head -n 20 "$work/log" | sed 's/^/# /'
		failed=1
	fi
}

same_names() { # NAME SONAME
	diff <(sed "s/\$/@@$2/" "runtime/libraries/$1/names" | LC_ALL=C sort) \
		<(nm -D --defined-only "$build/$2" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort)
}

# Calls the function twice: its status both times, one line that names it.
refuses() { # SONAME FUNCTION STATUS
	"$work/call" "$build/$1" "$2" "$3" 2>"$work/said" || return 1
	[ "$(wc -l <"$work/said")" -eq 1 ] && grep -q "$2 is not supported (status $3)" "$work/said" && return
	cat "$work/said"
	return 1
}

says_no_cudnn() { # SONAME
	"$work/call" "$build/$1" cudnnCreate 3000 2>"$work/said" && grep -q "cudnnCreate: vgpu has no cuDNN" "$work/said"
}

names_other() { # SONAME
	mkdir -p "$work/other"
	gcc -shared -x c /dev/null -o "$work/other/libcufft.so.12"
	LD_PRELOAD=$work/other/libcufft.so.12 "$work/call" "$build/$1" 2>&1 | grep "NVIDIA's $work/other/libcufft.so.12"
}

# Programs ask for the guard of NVIDIA's header, and know by it that the library's was included.
has_guard() { # HEADER GUARD
	local folder flags=()
	for folder in runtime/libraries/*/include; do flags+=(-I"$folder"); done
	printf '#include <cuda_runtime_api.h>\n#include <%s>\n#ifndef %s\n#error no %s\n#endif\n' "$1" "$2" "$2" |
		gcc "${flags[@]}" -isystem runtime -isystem runtime/cuda -x c -fsyntax-only -
}

gcc -x c - -o "$work/call" <<'END' || exit 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words)
{
	void *library = dlopen(words[1], RTLD_NOW);
	int (*call)(void *, void *);

	if (!library)
		return puts(dlerror()), 1;
	if (count == 2)
		return 0;
	call = (int (*)(void *, void *))dlsym(library, words[2]);
	return !call || call(0, 0) != atoi(words[3]) || call(0, 0) != atoi(words[3]);
}
END

for folder in runtime/libraries/*/library.mk; do
	name=$(basename "$(dirname "$folder")")
	status=$(sed -n "s/^refuses-$name := //p" "$folder")
	check "$name: the list of names is sorted" env LC_ALL=C sort -cu "runtime/libraries/$name/names"
	for version in $(sed -n "s/^versions-$name := //p" "$folder"); do
		soname=lib$name.so.$version
		check "$soname has the names of the list, of its version" same_names "$name" "$soname"
		check "$soname names a library of NVIDIA's beside it" names_other "$soname"
		for function in $(sed -n 's/^VGPU_ABSENT(\(.*\))/\1/p' "$build/libraries/$name/absent.c" | shuf -n 3); do
			check "$soname: $function refuses" refuses "$soname" "$function" "$status"
		done
	done
done
for version in 8 9; do
	check "libcudnn.so.$version says that there is no cuDNN" says_no_cudnn "libcudnn.so.$version"
done
while read -r header guard; do
	check "$header has the guard $guard" has_guard "$header" "$guard"
done <<'END'
cublas_v2.h CUBLAS_V2_H_
cublas_v2.h CUBLAS_API_H_
cublasXt.h CUBLAS_XT_H_
cublasLt.h CUBLASAPI
cufft.h _CUFFT_H_
cufftXt.h _CUFFTXT_H_
cufftw.h _CUFFTW_H_
curand.h CURAND_H_
cusparse.h CUSPARSE_H_
cusparse.h CUSPARSEAPI
cusparse_v2.h CUSPARSE_V2_H_
cusolverDn.h CUSOLVER_COMMON_H_
cusolverDn.h CUSOLVERDN_H_
cusolverSp.h CUSOLVERSP_H_
cusolverRf.h CUSOLVERRF_H_
cusolverSp_LOWLEVEL_PREVIEW.h CUSOLVERSP_LOWLEVEL_PREVIEW_H_
END
echo "1..$count"
exit $failed
