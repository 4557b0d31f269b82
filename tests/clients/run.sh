#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: programs that nobody here wrote, on our driver API: tinygrad's and numba's own tests.
#
# usage: run.sh [--build DIR] [--jobs N] [CLIENT...]     clients: tinygrad numba
#
# Makes a Python environment for each in DIR/clients with the clients from PyPI, and runs their tests with the device inside the
# process. The tests of tinygrad are those of its source package; the last one that has them is 0.11.0. Prints a table, which
# stays in out/clients.table; logs are beside it. Exit status: 0 all ran, whatever they found; 1 a client could not run.
# Needs python3-venv and python3-torch (tools/setup clients), with whose results tinygrad compares.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

build=build jobs=2
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$2; shift 2 ;;
	--jobs) jobs=$2; shift 2 ;;
	-h | --help) sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
	-*) echo "run.sh: no option $1 (--help names them)" >&2; exit 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || set -- tinygrad numba
[ -e "$build/libcuda.so.1" ] || { echo "run.sh: no $build/libcuda.so.1: run make first" >&2; exit 2; }

top=$PWD
folder=$(readlink -f "$build")/clients
mkdir -p "$folder/lib" "$folder/sdist" out/clients
# NAME OPTION...: the clients want different versions of numpy; torch is Debian's
environment() {
	venv=$folder/$1
	python=$venv/bin/python
	shift
	[ -x "$python" ] || /usr/bin/python3 -m venv "$@" "$venv"
}
install() { "$python" -m pip -q --disable-pip-version-check install "$@"; }

# The NVRTC of PyPI by the names under which clients look for it: an installed toolkit has one that knows no sm_70.
nvrtc() {
	local lib
	lib=$(echo "$venv"/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib)
	for name in libnvrtc.so libnvrtc.so.12 libnvrtc.so.13; do ln -sf "$lib/libnvrtc.so.12" "$folder/lib/$name"; done
	echo "$lib"
}

# NAME COMMAND...: with our libraries before all others
on_vgpu() {
	local log=$top/out/clients/$1.log
	shift
	env -u CUDA_HOME -u CUDA_PATH LD_LIBRARY_PATH="$(readlink -f "$top/$build"):$folder/lib:$(nvrtc)" \
		VGPU_TRANSPORT=embedded VGPU_STRICT_CAPABILITY=0 PYTHONPATH="$top/tests/clients:." \
		timeout 3600 "$@" >"$log" 2>&1 </dev/null
}

: >out/clients.table
row() { printf '%-12s %-10s %7s %7s %7s  %s\n' "$@" | tee -a out/clients.table; }
row client version passed failed skipped 'why'
status=0

# The number before a word in pytest's last line.
counted() { tail -n 1 "out/clients/$1.log" | grep -oE "[0-9]+ $2" | grep -oE '^[0-9]+' || echo 0; }
# What failed, by the first line of the reason.
reasons() {
	grep -aE '^FAILED' "out/clients/$1.log" | sed -E 's/^.* - //; s/ [0-9x]+.*//' | sort | uniq -c | sort -rn |
		awk '{ n = $1; $1 = ""; printf "%s%d:%s", sep, n, $0; sep = "; " }'
}

tinygrad() {
	environment tinygrad --system-site-packages || return 1
	install tinygrad==0.11.0 nvidia-cuda-nvrtc-cu12 pytest pytest-xdist hypothesis setuptools wheel || return 1
	local tests=$folder/sdist/tinygrad-0.11.0
	if [ ! -d "$tests" ]; then
		"$python" -m pip -q download --no-deps --no-binary :all: --no-build-isolation -d "$folder/sdist" tinygrad==0.11.0 &&
			tar -xzf "$tests.tar.gz" -C "$folder/sdist" || return 1
	fi
	(cd "$tests" && CUDA=1 on_vgpu tinygrad "$python" -m pytest -q -n "$jobs" -p vgpu_tinygrad -p no:cacheprovider \
		test/test_ops.py)
	row tinygrad 0.11.0 "$(counted tinygrad passed)" "$(counted tinygrad failed)" "$(counted tinygrad skipped)" \
		"$(reasons tinygrad)"
	[ "$(counted tinygrad passed)" -gt 0 ]
}

numba() {
	environment numba || return 1
	install 'numba-cuda[cu12]' nvidia-cuda-nvrtc-cu12 psutil || return 1
	local version tests='' ran failed skipped
	version=$("$python" -m pip show numba-cuda 2>/dev/null | sed -n 's/^Version: //p')
	for name in array atomics blackscholes boolean casting complex const_string constmem fastmath forall globals gufunc idiv \
		intrinsics iterators lang laplace localmem mandel math matmul nondet operator overload powi print py2_div_issue \
		random record_dtype reduction slicing sm sm_creation sync transpose tuple userexc vector_type vectorize warp_ops; do
		tests="$tests numba.cuda.tests.cudapy.test_$name"
	done
	# shellcheck disable=SC2086
	(cd out/clients && on_vgpu numba "$python" -W ignore -c \
		"import vgpu_numba, unittest, sys; unittest.main(module=None, argv=['numba'] + sys.argv[1:])" $tests)
	ran=$(grep -aoE '^Ran [0-9]+' out/clients/numba.log | grep -oE '[0-9]+')
	failed=$(tail -n 1 out/clients/numba.log | grep -oE '(failures|errors)=[0-9]+' | awk -F= '{ n += $2 } END { print n + 0 }')
	skipped=$(tail -n 1 out/clients/numba.log | grep -oE 'skipped=[0-9]+' | grep -oE '[0-9]+')
	row numba-cuda "$version" $((${ran:-0} - failed - ${skipped:-0})) "$failed" "${skipped:-0}" \
		"$(grep -aE '^(ERROR|FAIL):' out/clients/numba.log | awk '{ print $2 }' | sort | uniq | head -n 12 | tr '\n' ' ')"
	[ "${ran:-0}" -gt 0 ]
}

for client; do
	case $client in
	tinygrad | numba) "$client" || { row "$client" - - - - 'could not run: see out/clients'; status=1; } ;;
	*) echo "run.sh: no client '$client': tinygrad numba" >&2; exit 2 ;;
	esac
done
exit $status
