# SPDX-License-Identifier: MIT
"""
Kernels in Triton's language, from its tutorials: a sum of vectors, a softmax, a product of matrices.
Without torch: arrays are numpy's, and memory of the device is the driver's. For capabilities 8.0 and
8.9 Triton makes its products with mma.sync, ldmatrix and cp.async. All numbers are whole where the
comparison is exact.
"""
import ctypes

import numpy
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

cuda = ctypes.CDLL("libcuda.so.1")
driver = triton.runtime.driver.active
driver.get_current_stream(0)  # makes the primary context current


class Array:
    """A copy of an array of numpy's on the device."""
    types = {"f4": tl.float32, "f2": tl.float16}

    def __init__(self, host):
        self.host = numpy.ascontiguousarray(host)
        self.dtype = self.types[self.host.dtype.str[1:]]
        self.pointer = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.pointer), ctypes.c_size_t(self.host.nbytes)) == 0
        assert cuda.cuMemcpyHtoD_v2(self.pointer, self.host.ctypes.data_as(ctypes.c_void_p),
                                    ctypes.c_size_t(self.host.nbytes)) == 0

    def data_ptr(self):
        return self.pointer.value

    def numpy(self):
        host = numpy.empty_like(self.host)
        assert cuda.cuMemcpyDtoH_v2(host.ctypes.data_as(ctypes.c_void_p), self.pointer,
                                    ctypes.c_size_t(host.nbytes)) == 0
        return host


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + i, power / tl.sum(power, axis=0), mask=i < columns)


@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.fixture(params=[70, 80, 89])
def capability(request, monkeypatch):
    monkeypatch.setattr(driver, "get_current_target", lambda: GPUTarget("cuda", request.param, 32))
    return request.param


def test_add(capability):
    x = numpy.arange(1000, dtype=numpy.float32)
    out = Array(numpy.zeros_like(x))
    add[(4,)](Array(x), Array(2 * x), out, len(x), BLOCK=256)
    assert (out.numpy() == 3 * x).all()


def test_softmax(capability):
    x = numpy.random.default_rng(1).uniform(-3, 3, (5, 77)).astype(numpy.float32)
    out = Array(numpy.zeros_like(x))
    softmax[(5,)](Array(x), out, 77, BLOCK=128)
    power = numpy.exp(x - x.max(axis=1, keepdims=True))
    assert numpy.allclose(out.numpy(), power / power.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("kind", ["f2", "f4"])
def test_product(capability, kind):
    random = numpy.random.default_rng(2)
    a, b = (random.integers(-4, 5, (64, 64)) for _ in range(2))
    c = Array(numpy.zeros((64, 64), numpy.float32))
    product[(2, 2)](Array(a.astype(kind)), Array(b.astype(kind)), c, 64, 64, BM=32, BN=32, BK=32)
    assert (c.numpy() == a @ b).all()
