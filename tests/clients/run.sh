#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: programs that nobody here wrote, on our driver API and runtime: their own tests, and two trainings at once.
#
# usage: run.sh [--build DIR] [--jobs N] [--limit SECONDS] [CLIENT...]     clients: tinygrad numba cupy cupy-fft cupy-linalg cupy-random triton two
#
# Makes a Python environment for each in DIR/clients with the client from PyPI, and runs its tests with the device inside the
# process; `two' are two trainings with tinygrad on the /dev/vgpu of a guest, which vgpu-smi must see together. A client gets
# SECONDS (1200; tests that had ended by then count), a test 300. Prints a table, which stays in out/clients.table, with its
# columns apart by tabs in out/clients.tsv; it has the last row of each client. Logs are in out/clients. Exit status: 0 all ran,
# whatever they found; 1 a client could not run. Needs python3-venv, python3-torch, with whose results tinygrad compares, and python3-dev (tools/setup clients).
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

build=build jobs=2 limit=1200
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$2; shift 2 ;;
	--jobs) jobs=$2; shift 2 ;;
	--limit) limit=$2; shift 2 ;;
	-h | --help) sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
	-*) echo "run.sh: no option $1 (--help names them)" >&2; exit 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || set -- tinygrad numba cupy cupy-fft cupy-linalg cupy-random triton two
for client; do
	case $client in
	tinygrad | numba | cupy | cupy-fft | cupy-linalg | cupy-random | triton | two) ;;
	*) echo "run.sh: no client '$client': tinygrad numba cupy cupy-fft cupy-linalg cupy-random triton two" >&2; exit 2 ;;
	esac
done
[ -e "$build/libcuda.so.1" ] || { echo "run.sh: no $build/libcuda.so.1: run make first" >&2; exit 2; }

top=$PWD
here=$top/tests/clients
libraries=$(readlink -f "$build")
folder=$libraries/clients
mkdir -p "$folder/sdist" out/clients
tests=(pytest pytest-xdist pytest-timeout)

# NAME OPTION...: the clients want different versions of numpy; torch is Debian's. What an earlier run has installed stays.
environment() {
	venv=$folder/$1
	python=$venv/bin/python
	shift
	[ -x "$python" ] || /usr/bin/python3 -m venv "$@" "$venv"
	site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
}
install() { "$python" -m pip -q --disable-pip-version-check install "$@"; }
version_of() { "$python" -c "import importlib.metadata as m; print(m.version('$1'))"; }

# PACKAGE VERSION: its source, unpacked.
source_of() {
	[ -d "$folder/sdist/$1-$2" ] && return
	"$python" -m pip -q --disable-pip-version-check download --no-deps --no-binary :all: --no-build-isolation \
		-d "$folder/sdist" "$1==$2" && tar -xzf "$folder/sdist/$1-$2.tar.gz" -C "$folder/sdist"
}

# The NVRTC of PyPI by the names under which clients look for it: an installed toolkit has one that knows no sm_70.
nvrtc() {
	local lib=$site/nvidia/cuda_nvrtc/lib
	mkdir -p "$venv/nvrtc"
	for name in libnvrtc.so libnvrtc.so.12 libnvrtc.so.13; do ln -sf "$lib/libnvrtc.so.12" "$venv/nvrtc/$name"; done
	path=$libraries:$venv/nvrtc:$lib
}

# NAME COMMAND...: with our libraries before all others. What is asked to end by the limit says what it has found so far.
on_vgpu() {
	local log=$top/out/clients/$1.log status=0
	shift
	# a shell in the background has its children ignore SIGINT
	env --default-signal=INT -u CUDA_HOME -u CUDA_PATH LD_LIBRARY_PATH="${path:-$libraries}" VGPU_TRANSPORT=embedded VGPU_STRICT_CAPABILITY=0 \
		PYTHONPATH="$here:.${pythonpath:+:$pythonpath}" timeout -s INT -k 60 "$limit" "$@" >"$log" 2>&1 </dev/null || status=$?
	[ "$status" -ne 124 ] && [ "$status" -ne 137 ] || echo "ended after $limit s" >>"$log"
	return "$status"
}

# NAME PYTEST-ARGUMENT...: a process that crashes or hangs is one failed test, and the others go on.
pytest() {
	local name=$1
	shift
	on_vgpu "$name" "$python" -m pytest -q -n "$jobs" -p no:cacheprovider -rfE --continue-on-collection-errors \
		--timeout 300 --timeout-method thread "$@"
}

touch out/clients.tsv
table() { { printf 'client\tversion\tpassed\tfailed\tskipped\twhy\n'; cat out/clients.tsv; } | column -t -s "$(printf '\t')"; }
row() { (IFS=$'\t'; echo "$*") >>out/clients.tsv; }
status=0

# The number before one of the words in pytest's last line, 0 where it has none.
summary() { grep -aE '^[0-9]+ (passed|failed|skipped|error|warning|xfailed).* in [0-9.]+s' "out/clients/$1.log" | tail -n 1; }
counted() { summary "$1" | grep -oE "(^|, )[0-9]+ ($2)" | grep -oE '[0-9]+' | awk '{ n += $1 } END { print n + 0 }'; }

# Why tests failed: the first lines of the reasons, without what differs from one to another; the six most frequent.
reasons() {
	{
		! grep -aq '^ended after' "out/clients/$1.log" || grep -a '^ended after' "out/clients/$1.log"
		grep -a '^ERROR: ' "out/clients/$1.log"
		sed -nE 's/^E   +(([A-Za-z_.]*(Error|Exception|Failed)[A-Za-z]*)(: [^:]{0,60})?).*/\1/p; s/^(worker .gw)[0-9]+(. crashed).*/\1N\2/p' \
			"out/clients/$1.log" | sed -E "s/0x[0-9a-f]+|[0-9]+/N/g" | sort | uniq -c | sort -rn | head -n 6 |
			awk '{ n = $1; $1 = ""; sub(/^ /, ""); printf "%s%d: %s", sep, n, $0; sep = "; " } END { print "" }'
	} | paste -sd ';'
}

# NAME VERSION: the row of what pytest has found; false if it has found nothing.
pytest_row() {
	row "$1" "$2" "$(counted "$1" passed)" "$(counted "$1" 'failed|errors?')" "$(counted "$1" skipped)" "$(reasons "$1")"
	[ "$(counted "$1" passed)" -gt 0 ]
}

# The last version whose source has its tests.
tinygrad() {
	environment tinygrad --system-site-packages || return 1
	install tinygrad==0.11.0 nvidia-cuda-nvrtc-cu12 "${tests[@]}" hypothesis setuptools wheel || return 1
	nvrtc
	source_of tinygrad 0.11.0 || return 1
	cd "$folder/sdist/tinygrad-0.11.0" || return 1
	CUDA=1 pytest tinygrad -p vgpu_tinygrad test/test_ops.py
	cd "$top" || return 1
	pytest_row tinygrad 0.11.0
}

# nvJitLink makes SASS, which the device does not take: the tests are told that there is none, also of an installed toolkit.
numba() {
	environment numba || return 1
	install 'numba-cuda[cu12]' nvidia-cuda-nvrtc-cu12 psutil filecheck cffi ml_dtypes "${tests[@]}" || return 1
	"$python" -m pip -q uninstall -y nvidia-nvjitlink-cu12 >/dev/null 2>&1
	nvrtc
	echo 'int vgpu_has_no_nvjitlink;' | gcc -shared -x c - -o "$venv/nvrtc/libnvJitLink.so" || return 1
	ln -sf libnvJitLink.so "$venv/nvrtc/libnvJitLink.so.12"
	ln -sf libnvJitLink.so "$venv/nvrtc/libnvJitLink.so.13"
	local suite=$site/numba_cuda/numba/cuda/tests
	cd "$suite" || return 1
	pythonpath=$site/numba_cuda pytest numba -p vgpu_numba -o consider_namespace_packages=true --rootdir="$suite" cudadrv cudapy
	cd "$top" || return 1
	pytest_row numba "$(version_of numba-cuda)"
}

# CuPy's wheel has NVIDIA's runtime inside. One module of it calls the runtime; it is built again, from CuPy's source, for the
# shared one. Reductions and sorting by CUB and Thrust are in modules of nvcc, which have the runtime inside, too.
cupy_runtime() { # VERSION
	local module nvidia=$site/nvidia
	module=$(echo "$site"/cupy_backends/cuda/api/runtime.cpython-*.so)
	readelf -d "$module" | grep -q 'libcudart.so.12' && return
	source_of cupy "$1" || return 1
	cd "$folder/sdist/cupy-$1" || return 1
	"$python" - <<-END
		from Cython.Build import cythonize
		from setuptools import Extension
		cythonize([Extension("cupy_backends.cuda.api.runtime", ["cupy_backends/cuda/api/runtime.pyx"], language="c++")],
			language_level=3, compile_time_env=dict(CUPY_USE_CUDA_PYTHON=False, CUPY_CUFFT_STATIC=False,
			CUPY_CYTHON_VERSION="3.2", CUPY_CUDA_VERSION=12090, CUPY_HIP_VERSION=0))
	END
	[ $? -eq 0 ] && g++ -O1 -shared -fPIC -w -I"$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-Icupy_backends -I"$nvidia/cuda_runtime/include" -I"$nvidia/cuda_cccl/include" cupy_backends/cuda/api/runtime.cpp \
		-o "$module" "$nvidia/cuda_runtime/lib/libcudart.so.12" || return 1
	# CuPy would ask this one for its version
	rm "$nvidia"/cuda_runtime/lib/libcudart.so.12
	cd "$top" || return 1
}

cupy_environment() {
	environment cupy || return 1
	install cupy-cuda12x==14.2.0 nvidia-cuda-{runtime,nvrtc,cccl}-cu12 'Cython>=3.2,<3.3' 'setuptools>=77' wheel fastrlock mpmath scipy \
		'hypothesis<6.55' "${tests[@]}" || return 1
	cupy_runtime 14.2.0 >out/clients/cupy-build.log 2>&1 || return 1
	nvrtc
	export CUPY_COMPILE_WITH_PTX=1 CUPY_ACCELERATORS='' CUPY_CACHE_DIR=$venv/cache
}

# NAME TEST...: some of CuPy's tests
cupy_tests() {
	local name=$1
	shift
	cd "$folder/sdist/cupy-14.2.0/tests" || return 1
	pytest "$name" -m 'not multi_gpu and not slow' "$@"
	cd "$top" || return 1
	pytest_row "$name" 14.2.0
}

cupy() {
	cupy_environment || return 1
	cupy_tests cupy cupy_tests/core_tests/test_{elementwise,userkernel,reduction,function,ndarray_conversion,raw}.py \
		cupy_tests/cuda_tests/test_{device,stream,memory,runtime,driver}.py cupy_tests/math_tests/test_sumprod.py
}

# What calls the mathematics libraries. Callbacks of cuFFT, and they want an nvcc, are not there.
cupy-fft() { cupy_environment && cupy_tests cupy-fft -k 'not allback' cupy_tests/fft_tests; }
cupy-linalg() { cupy_environment && cupy_tests cupy-linalg cupy_tests/linalg_tests; }
# The generators of numpy's newer interface are in a module of nvcc that has NVIDIA's runtime inside.
cupy-random() {
	cupy_environment && cupy_tests cupy-random cupy_tests/random_tests --ignore-glob '*test_bit_generator.py' --ignore-glob '*test_generator_api.py'
}

# Its own tests need torch with CUDA. These are kernels in its language, compiled for three architectures.
triton() {
	environment triton || return 1
	install triton numpy "${tests[@]}" || return 1
	path=$libraries
	TRITON_PTXAS_PATH=$here/ptxas TRITON_CACHE_DIR=$venv/cache VGPU_PTXAS=$libraries/tools/vgpu-ptxas \
		pytest triton -o 'python_files=triton_*.py' "$here/triton_kernels.py"
	pytest_row triton "$(version_of triton)"
}

two() {
	local log=out/clients/two.log learnt
	environment tinygrad --system-site-packages || return 1
	install tinygrad==0.11.0 nvidia-cuda-nvrtc-cu12 || return 1
	nvrtc
	[ -e "$build/6.1/vgpu.ko" ] || { echo 'run.sh: no vgpu.ko: run make modules first' >"$log"; return 1; }
	tools/vgpu-vm --timeout "$limit" --mem 3G --env LD_LIBRARY_PATH="$path" --env VGPU_TRANSPORT=ioctl --out out/clients/vm -- \
		"$here/two_at_once.sh" "$python" "$libraries" >"$log" 2>&1
	local result=$?
	learnt=$(grep -c '^training' "$log")
	row two 'tinygrad 0.11.0' "$learnt" $((2 - learnt)) 0 "$(grep -m 1 -E '^(both seen|vgpu-vm:)' "$log")"
	[ "$result" -eq 0 ]
}

for client; do
	path='' pythonpath=''
	sed -i "/^$client	/d" out/clients.tsv
	# by itself, so that what it exports and where it is ends with it
	if ! ("$client"); then
		status=1
		grep -q "^$client	" out/clients.tsv || row "$client" - - - - 'could not run: see out/clients'
	fi
done
table | tee out/clients.table
exit $status
