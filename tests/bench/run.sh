#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench: what warp instructions cost, speed of the interpreter and of the pipeline, cost of a launch, of page faults, of the ways in and of tracing, native and in the guest. Figures go to out/bench.txt too.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
kernel=${KERNEL:-6.1}
bin=build/bench
mkdir -p "$bin" out
gcc -O2 -std=gnu11 -Wall -Wextra -Werror -c tests/bench/scalar.c -o "$bin/scalar.o"
for name in fault_load kernels launch managed tracing; do
	tools/vgpucc -O3 -Iruntime -Iuapi -Itests/bench "tests/bench/$name.cu" "$bin/scalar.o" -lm -lpthread -o "$bin/$name"
done
tools/vgpucc -O3 tests/bench/sgemm.cu -lcublas -ldl -o "$bin/sgemm"
tools/vgpucc -O3 tests/bench/fft.cu -lcufft -ldl -o "$bin/fft"
gcc -O2 -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -Iuapi -Itests/bench tests/bench/ways.c -luring -lpthread -o "$bin/ways"
gcc -O2 -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I. -Iuapi -o "$bin/helpers" tests/bench/helpers.c -lpthread
rm -f "$bin/pocl"
if [ -f /usr/include/CL/cl.h ] && gcc -O2 -std=gnu11 -Wall -Wextra -Werror -Itests/bench tests/bench/pocl.c "$bin/scalar.o" -lOpenCL -lm -o "$bin/pocl"; then
	echo "tests/bench/pocl.c: built"
fi
{
	echo "== the interpreter: nanoseconds for one warp instruction"
	"$bin/interp"
	echo
	echo "== the memory hierarchy: accesses in a second of processor time"
	"$bin/memsys"
	echo
	echo "== thread instructions a second, millions, native, embedded, one thread ($(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) processors)"
	tests/bench/table.sh "$bin"
	VGPU_TRANSPORT=embedded VGPU_THREADS=1 "$bin/launch"
	echo
	echo "== the same with timing=pipeline, one thread"
	tests/bench/pipeline.sh "$bin"
	echo
	echo "== cuBLAS beside OpenBLAS where it is installed (libopenblas0): SGEMM of 1024, embedded, all processors"
	VGPU_TRANSPORT=embedded "$bin/sgemm"
	echo
	echo "== cuFFT beside FFTW where it is installed (libfftw3-single3): 2^20 complex floats, embedded, all processors; FFTW one"
	VGPU_TRANSPORT=embedded "$bin/fft"
	echo
	echo "== time to first result, native, embedded"
	tests/bench/start.sh "$bin"
	echo
	echo "== in the guest, Linux $kernel"
	tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 600 -- bash -c "
		VGPU_TRANSPORT=ioctl $bin/kernels --small && VGPU_TRANSPORT=embedded $bin/kernels --small &&
		VGPU_TRANSPORT=ioctl $bin/launch && VGPU_TRANSPORT=uring $bin/launch && VGPU_TRANSPORT=mapped $bin/launch &&
		VGPU_TRANSPORT=embedded $bin/launch"
	echo
	echo "== page faults of managed memory, native, embedded: one page at a time, 64 KB, and 64 KB with prefetcher=tree"
	VGPU_TRANSPORT=embedded VGPU_SET=fault_granule=4096 "$bin/managed" 1024
	VGPU_TRANSPORT=embedded "$bin/managed" 1024
	VGPU_TRANSPORT=embedded VGPU_SET=prefetcher=tree "$bin/managed" 1024
	for way in sigbus 0; do
		echo "== the same with VGPU_USERFAULTFD=$way"
		VGPU_USERFAULTFD=$way VGPU_TRANSPORT=embedded VGPU_SET=fault_granule=4096 "$bin/managed" 1024
		VGPU_USERFAULTFD=$way VGPU_TRANSPORT=embedded "$bin/managed" 1024
		VGPU_USERFAULTFD=$way VGPU_TRANSPORT=embedded VGPU_SET=prefetcher=tree "$bin/managed" 1024
	done
	echo
	echo "== all SMs fault all the time, native, embedded: faults that the host serves, and that SMs serve"
	VGPU_TRANSPORT=embedded "$bin/fault_load"
	VGPU_TRANSPORT=embedded VGPU_SET=fault_handler=gpu "$bin/fault_load"
	echo
	echo "== page faults of managed memory, in the guest, Linux $kernel: one page at a time, and 64 KB"
	tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 600 -- bash -c "
		echo 4096 >/sys/class/vgpu/vgpu0/fault_granule; VGPU_TRANSPORT=ioctl $bin/managed &&
		echo 65536 >/sys/class/vgpu/vgpu0/fault_granule; VGPU_TRANSPORT=ioctl $bin/managed"
	echo
	echo "== tracing, in the guest, Linux $kernel"
	tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 300 -- bash -c "VGPU_TRANSPORT=ioctl $bin/tracing"
	echo
	echo "== helpers, in the guest, Linux $kernel: milliseconds with helpers=N and with helpers=Y, medians (least to most)"
	tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 600 --module-args workers=0 -- "$bin/helpers"
	echo
	if [ "$kernel" = 6.12 ]; then
		echo "== a decision of a policy in the tree and as BPF, in the guest, Linux $kernel: medians (least to most) of five runs"
		tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 600 --module-args preset=k20c -- tests/bench/policy.sh
		echo
	fi
	echo "== ways in, native: what there is without /dev/vgpu"
	"$bin/ways" | tee out/bench-ways.txt
	echo
	echo "== ways in, in the guest, Linux $kernel"
	native=$(awk '/^failing ioctl/ { print $3 }' out/bench-ways.txt)
	tools/vgpu-vm --kernel "$kernel" --out out/bench --timeout 300 -- \
		bash -c "modprobe null_blk || echo 'no null_blk here'; $bin/ways $native"
} | tee out/bench.txt
