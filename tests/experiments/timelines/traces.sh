# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Timelines as PyTorch's profiler exports them, of programs that nobody has to have: to be sourced.

# trace_of GPU SMS PROGRAM: a Chrome trace on standard output. Programs:
#   training: 20 steps of 4 ms: a pinned copy in a stream of its own, 30 kernels that wait for it, each 20 blocks an SM, a
#     collective on a fifth of the SMs, a sync
#   inference: 40 requests, 2 ms apart: a small copy, 12 kernels that fill a third of the GPU, the copy of the result, a sync
trace_of() {
	awk -v gpu="$1" -v sms="$2" -v program="$3" '
	function event(cat, name, ts, dur, args) {
		printf "%s\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, \"ts\": %.3f, \"dur\": %.3f, \"args\": {%s}}",
			n++ ? "," : "", cat, name, ts, dur, args
	}
	function call(name, ts, dur) { event("cuda_runtime", name, ts, dur, "\"correlation\": " ++id) }
	function kernel(name, stream, ts, dur, grid) {
		event("kernel", name, ts, dur, sprintf("\"device\": 0, \"stream\": %d, \"correlation\": %d, \"registers per thread\": 32, " \
			"\"shared memory\": 0, \"grid\": [%d, 1, 1], \"block\": [256, 1, 1]", stream, id, grid))
	}
	function copy(name, stream, ts, dur, bytes) {
		event("gpu_memcpy", name, ts, dur, sprintf("\"device\": 0, \"stream\": %d, \"bytes\": %d, \"correlation\": %d", stream, bytes, id))
	}
	function train(step, t, k, at) {
		event("user_annotation", "ProfilerStep#" step, t - 50, 3990, "")
		call("cudaMemcpyAsync", t, 5)
		copy("Memcpy HtoD (Pinned -> Device)", 20, t + 4, 480, 12000000)
		call("cudaStreamWaitEvent", t + 8, 1)
		at = t + 486
		for (k = 0; k < 30; k++) {
			call("cudaLaunchKernel", t + 10 + 4 * k, 3)
			kernel("void layer<" k ">(float*)", 7, at, 60 + k, 20 * sms)
			at += 60 + k + 1.2
		}
		call("cudaStreamWaitEvent", t + 140, 1)
		call("cudaLaunchKernel", t + 150, 3)
		kernel("ncclKernel_AllReduce", 24, at, 900, int(sms / 5))
		call("cudaDeviceSynchronize", t + 160, at + 905 - (t + 160))
	}
	function infer(request, t, k, at) {
		event("user_annotation", "ProfilerStep#" request, t - 5, 700, "")
		call("cudaMemcpyAsync", t, 5)
		copy("Memcpy HtoD (Pinned -> Device)", 7, t + 6, 24, 602112)
		at = t + 31.2
		for (k = 0; k < 12; k++) {
			call("cudaLaunchKernel", t + 8 + 4 * k, 3)
			at = at > t + 15 + 4 * k ? at : t + 15 + 4 * k
			kernel("void at::native::attention<float>(float*)", 7, at, 25, 2 * int(sms / 3))
			at += 25 + 1.2
		}
		call("cudaMemcpyAsync", t + 60, 5)
		copy("Memcpy DtoH (Device -> Pinned)", 7, at, 6, 4000)
		call("cudaStreamSynchronize", t + 70, at + 10 - (t + 70))
	}
	BEGIN {
		printf "{\"deviceProperties\": [{\"id\": 0, \"name\": \"%s\", \"numSms\": %d}],\n\"traceEvents\": [", gpu, sms
		if (program == "training")
			for (i = 0; i < 20; i++)
				train(i, 1000000 + 4000 * i)
		else
			for (i = 0; i < 40; i++)
				infer(i, 1000000 + 2000 * i)
		print "\n]}"
	}'
}
