/* SPDX-License-Identifier: MIT */
/*
 * memory_copies: cudaMemset and cudaMemcpy in all kinds and directions, with sizes and offsets that
 * fit nothing, their asynchronous forms, pitched two-dimensional copies, and pinned host memory. A
 * copy of everything is kept on the host and every byte compared, also the ones not written.
 */
#include "../common.h"

#include <vector>

#define N 20000

typedef std::vector<unsigned char> bytes;

static bytes noise(size_t n, uint64_t seed)
{
	struct lcg g = { seed };
	bytes v(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (unsigned char)lcg_u32(&g);
	return v;
}

static void same_bytes(const char *what, const unsigned char *got, const bytes &want)
{
	for (size_t i = 0; i < want.size(); i++)
		expect_same(what, (long)i, (int)got[i], (int)want[i]);
}

static void same_on_device(const char *what, const unsigned char *dev, const bytes &want)
{
	bytes got(want.size());

	host_from(got.data(), dev, got.size());
	same_bytes(what, got.data(), want);
}

static void linear(void)
{
	bytes a = noise(N, 1), b = noise(N, 2);
	unsigned char *da = device_from(a.data(), N), *db = device_from(b.data(), N);
	struct lcg g = { 3 };

	same_on_device("first copy", da, a);
	for (int i = 0; i < 120; i++) {
		size_t from = lcg_below(&g, N), to = lcg_below(&g, N), len;
		int value = (int)lcg_below(&g, 256) | (i & 1 ? 0x100 : 0);

		/* Lengths of every size: some of a few bytes, some up to the end. */
		len = N - (from > to ? from : to);
		if (i % 3)
			len = lcg_below(&g, len > 70 ? 70 : (unsigned)len + 1);
		switch (i % 6) {
		case 0:
			CHECK(cudaMemcpy(da + to, b.data() + from, len, cudaMemcpyHostToDevice));
			memcpy(&a[0] + to, b.data() + from, len);
			break;
		case 1:
			CHECK(cudaMemcpy(db + to, da + from, len, cudaMemcpyDeviceToDevice));
			memcpy(&b[0] + to, a.data() + from, len);
			break;
		case 2:
			/* Only the low byte of the value counts. */
			CHECK(cudaMemset(da + to, value, len));
			memset(&a[0] + to, value, len);
			break;
		case 3:
			CHECK(cudaMemcpy(da + to, b.data() + from, len, cudaMemcpyDefault));
			memcpy(&a[0] + to, b.data() + from, len);
			break;
		case 4:
			CHECK(cudaMemcpy(db + to, da + from, len, cudaMemcpyDefault));
			memcpy(&b[0] + to, a.data() + from, len);
			break;
		default:
			CHECK(cudaMemsetAsync(db + to, value, len, 0));
			memset(&b[0] + to, value, len);
		}
	}
	same_on_device("linear a", da, a);
	same_on_device("linear b", db, b);

	bytes c(N), d(N);
	CHECK(cudaMemcpy(c.data(), da, N, cudaMemcpyDefault));
	same_bytes("default to host", c.data(), a);
	CHECK(cudaMemcpy(d.data(), c.data(), N, cudaMemcpyHostToHost));
	same_bytes("host to host", d.data(), a);
	CHECK(cudaMemcpy(d.data(), b.data(), N, cudaMemcpyDefault));
	same_bytes("host to host by default", d.data(), b);
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
}

/* A rectangle with rows of its own length on every side. */
static void rectangles(void)
{
	const size_t w = 123, h = 57, host_pitch = 200;
	bytes host = noise(host_pitch * h, 4), back, want;
	unsigned char *dev, *dense;
	size_t pitch = 0;

	CHECK(cudaMallocPitch((void **)&dev, &pitch, w, h));
	EXPECT(pitch >= w);
	CHECK(cudaMemset2D(dev, pitch, 0x5a, w, h));
	CHECK(cudaMemcpy2D(dev + 2 * pitch + 3, pitch, host.data() + 7, host_pitch, w - 10, h - 5,
			   cudaMemcpyHostToDevice));
	dense = device_new<unsigned char>(w * h);
	CHECK(cudaMemcpy2D(dense, w, dev, pitch, w, h, cudaMemcpyDeviceToDevice));
	want.assign(w * h, 0x5a);
	for (size_t y = 0; y < h - 5; y++)
		memcpy(&want[(y + 2) * w + 3], &host[y * host_pitch + 7], w - 10);
	same_on_device("rectangle", dense, want);

	back = noise(host_pitch * h, 6);
	bytes expected = back;
	CHECK(cudaMemcpy2DAsync(&back[5], host_pitch, dense + w, w, w, h - 1,
				cudaMemcpyDeviceToHost, 0));
	CHECK(cudaStreamSynchronize(0));
	for (size_t y = 0; y < h - 1; y++)
		memcpy(&expected[y * host_pitch + 5], &want[(y + 1) * w], w);
	same_bytes("rectangle back", back.data(), expected);

	CHECK(cudaMemcpy2D(&back[0], host_pitch, dev, pitch, w, 0, cudaMemcpyDeviceToHost));
	same_bytes("no rows", back.data(), expected);
	/* Of one row there is no distance to the next. */
	CHECK(cudaMemcpy2D(&back[3], 1, dense, 1, w, 1, cudaMemcpyDeviceToHost));
	memcpy(&expected[3], &want[0], w);
	same_bytes("one row", back.data(), expected);
	/* Rows longer than the distance between them make no sense. */
	EXPECT_ERROR(cudaMemcpy2D(dense, w - 1, dev, pitch, w, h, cudaMemcpyDeviceToDevice),
		     cudaErrorInvalidPitchValue);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidPitchValue);
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dense));
}

/* A chain of asynchronous work on one stream, from and to pinned memory. */
static void asynchronous(void)
{
	bytes want = noise(N, 8);
	unsigned char *in, *out, *dev = device_new<unsigned char>(N);
	unsigned char *dev2 = device_new<unsigned char>(N);
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMallocHost((void **)&in, N));
	CHECK(cudaHostAlloc((void **)&out, N, cudaHostAllocDefault));
	memcpy(in, want.data(), N);
	CHECK(cudaMemcpyAsync(dev, in, N, cudaMemcpyHostToDevice, s));
	CHECK(cudaMemsetAsync(dev + 100, 0xa1, 333, s));
	CHECK(cudaMemcpyAsync(dev2, dev, N, cudaMemcpyDeviceToDevice, s));
	CHECK(cudaMemsetAsync(dev, 0, N, s));
	CHECK(cudaMemcpyAsync(out, dev2, N, cudaMemcpyDefault, s));
	CHECK(cudaStreamSynchronize(s));
	memset(&want[100], 0xa1, 333);
	same_bytes("asynchronous", out, want);
	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(out));
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev2));
	CHECK(cudaStreamDestroy(s));
}

/* Pageable memory may be reused as soon as cudaMemcpy returns. */
static void reuse(void)
{
	int host[64], got[64], *dev = device_new<int>(64 * 64);

	for (int i = 0; i < 64; i++) {
		for (int k = 0; k < 64; k++)
			host[k] = i * 64 + k;
		CHECK(cudaMemcpy(dev + i * 64, host, sizeof(host), cudaMemcpyHostToDevice));
		memset(host, 0xff, sizeof(host));
	}
	for (int i = 0; i < 64; i++) {
		CHECK(cudaMemcpy(got, dev + i * 64, sizeof(got), cudaMemcpyDeviceToHost));
		for (int k = 0; k < 64; k++)
			expect_same("reuse", i * 64 + k, got[k], i * 64 + k);
	}
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_copies", NULL, 0, 0, 0);
	linear();
	rectangles();
	asynchronous();
	reuse();
	return finish();
}
