// SPDX-License-Identifier: MIT
/*
 * Roots of unity, computed with more digits than they keep, in one piece of memory of the device.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

struct fft_table {
	enum { STAGES, LOW, HIGH, CHIRP, CHIRP_CONJUGATE, FILTER } what;
	long long a, b;
	size_t at;
};

struct pair {
	double x, y;
};

/* exp(-2 pi i x / n), of an angle of at most an eighth of a turn. */
static struct pair root(unsigned long long x, unsigned long long n)
{
	const long double pi = 3.14159265358979323846264338327950288L;
	bool lower = 2 * x > n, left, steep;
	struct pair w;
	long double angle;

	/* the angle is -2 pi x / n; all in units of which a turn has 4 n */
	if (lower)
		x = n - x;
	x *= 4;
	left = x > n;
	if (left)
		x = 2 * n - x;
	steep = 2 * x > n;
	if (steep)
		x = n - x;
	angle = pi * x / (2 * (long double)n);
	w.x = steep ? sinl(angle) : cosl(angle);
	w.y = steep ? cosl(angle) : sinl(angle);
	if (left)
		w.x = -w.x;
	if (!lower)
		w.y = -w.y;
	return w;
}

/* Space for COUNT numbers under this name; NULL if they are there, or there is no memory. */
static char *add(struct fft_tables *tables, const struct fft_table *name, long long count,
		 const void **offset)
{
	size_t bytes = (size_t)count * (tables->precision == FFT_DOUBLE ? 16 : 8);
	size_t rounded = (bytes + 255) & ~(size_t)255;

	*offset = NULL;
	for (int i = 0; i < tables->count; i++) {
		const struct fft_table *t = &tables->list[i];

		if (t->what == name->what && t->a == name->a && t->b == name->b) {
			*offset = (const void *)t->at;
			return NULL;
		}
	}
	if (tables->failed)
		return NULL;
	if (!tables->used)
		tables->used = 256; /* no offset is NULL */
	if (tables->used + rounded > tables->room) {
		size_t room = 2 * tables->room + rounded + 4096;
		char *grown = realloc(tables->bytes, room);

		tables->failed = !grown;
		if (!grown)
			return NULL;
		tables->bytes = grown;
		tables->room = room;
	}
	if (tables->count == tables->most) {
		int most = 2 * tables->most + 8;
		struct fft_table *grown = realloc(tables->list, most * sizeof(*grown));

		tables->failed = !grown;
		if (!grown)
			return NULL;
		tables->list = grown;
		tables->most = most;
	}
	tables->list[tables->count] = *name;
	tables->list[tables->count++].at = tables->used;
	*offset = (const void *)tables->used;
	tables->used += rounded;
	return tables->bytes + tables->used - rounded;
}

static void put(const struct fft_tables *tables, char *to, long long i, struct pair w)
{
	if (tables->precision == FFT_DOUBLE) {
		((struct pair *)to)[i] = w;
	} else {
		((float *)to)[2 * i] = (float)w.x;
		((float *)to)[2 * i + 1] = (float)w.y;
	}
}

const void *fft_table_stages(struct fft_tables *tables, const struct fft_pass *pass)
{
	struct fft_table name = { .what = STAGES, .a = (long long)pass->radices };
	const void *offset;
	long long at = 0, size = 1;
	char *to;

	to = add(tables, &name, pass->n, &offset);
	if (!to)
		return offset;
	for (int i = 0; i < pass->stages; size *= fft_radix(pass, i++))
		for (int q = 1; q < fft_radix(pass, i); q++)
			for (long long j = 0; j < size; j++)
				put(tables, to, at++, root(j * q, size * fft_radix(pass, i)));
	return offset;
}

void fft_table_turn(struct fft_tables *tables, struct fft_step *step)
{
	long long n = step->pass.turn_size, count;
	struct fft_table name = { .what = LOW, .a = n };
	char *to;
	int bits = 0;

	while (1ll << bits < n)
		bits++;
	if (bits > 12)
		bits = (bits + 1) / 2;
	step->pass.turn_bits = bits;
	count = 1ll << bits < n ? 1ll << bits : n;
	to = add(tables, &name, count, &step->constants.low);
	for (long long i = 0; to && i < count; i++)
		put(tables, to, i, root(i, n));
	step->constants.high = step->constants.low;
	if (count == n)
		return;
	name.what = HIGH;
	count = (n + (1ll << bits) - 1) >> bits;
	to = add(tables, &name, count, &step->constants.high);
	for (long long i = 0; to && i < count; i++)
		put(tables, to, i, root(i << bits, n));
}

/* exp(-i pi j^2 / n) */
static struct pair chirp(long long j, long long n)
{
	return root((unsigned long long)((unsigned __int128)j * j % (2 * n)), 2 * n);
}

const void *fft_table_chirp(struct fft_tables *tables, long long n, bool conjugate)
{
	struct fft_table name = { .what = conjugate ? CHIRP_CONJUGATE : CHIRP, .a = n };
	const void *offset;
	char *to = add(tables, &name, n, &offset);

	for (long long j = 0; to && j < n; j++) {
		struct pair w = chirp(j, n);

		if (conjugate)
			w.y = -w.y;
		put(tables, to, j, w);
	}
	return offset;
}

/* A forward transform of m numbers, a power of two, in the host's memory. */
static void transform(struct pair *x, const struct pair *w, long long m)
{
	for (long long i = 1, j = 0; i < m; i++) {
		long long bit = m >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct pair t = x[i];

			x[i] = x[j];
			x[j] = t;
		}
	}
	for (long long half = 1; half < m; half *= 2)
		for (long long i = 0; i < m; i += 2 * half)
			for (long long j = 0; j < half; j++) {
				struct pair a = x[i + j], b = x[i + j + half];
				struct pair r = w[j * (m / (2 * half))];
				struct pair t = { b.x * r.x - b.y * r.y, b.x * r.y + b.y * r.x };

				x[i + j] = (struct pair){ a.x + t.x, a.y + t.y };
				x[i + j + half] = (struct pair){ a.x - t.x, a.y - t.y };
			}
}

const void *fft_table_filter(struct fft_tables *tables, long long n, long long m)
{
	struct fft_table name = { .what = FILTER, .a = n, .b = m };
	const void *offset;
	char *to = add(tables, &name, m, &offset);
	struct pair *x, *w;

	if (!to)
		return offset;
	x = calloc((size_t)m, sizeof(*x));
	w = calloc((size_t)m, sizeof(*w));
	if (!x || !w) {
		tables->failed = true;
	} else {
		for (long long j = 0; j < m / 2; j++)
			w[j] = root(j, m);
		for (long long j = 0; j < n; j++) {
			struct pair c = chirp(j, n);

			c.x /= m;
			c.y /= -m;
			x[j] = x[(m - j) % m] = c;
		}
		transform(x, w, m);
		for (long long j = 0; j < m; j++)
			put(tables, to, j, x[j]);
	}
	free(x);
	free(w);
	return offset;
}

cufftResult fft_tables_upload(struct fft_tables *tables)
{
	cudaError_t error;

	if (tables->failed)
		return CUFFT_ALLOC_FAILED;
	if (!tables->used)
		return CUFFT_SUCCESS;
	error = cudaMalloc(&tables->device, tables->used);
	if (error == cudaSuccess)
		error = cudaMemcpy(tables->device, tables->bytes, tables->used,
				   cudaMemcpyHostToDevice);
	free(tables->bytes);
	tables->bytes = NULL;
	return fft_status(error);
}

void fft_tables_attach(const struct fft_tables *tables, struct fft_steps *steps)
{
	for (int i = 0; i < steps->count; i++) {
		struct fft_constants *c = &steps->step[i].constants;
		const void **pointers[] = { &c->twiddles, &c->low, &c->high, &c->in_factor,
					    &c->out_factor };

		for (size_t j = 0; j < sizeof(pointers) / sizeof(*pointers); j++)
			if (*pointers[j])
				*pointers[j] = (char *)tables->device + (size_t)*pointers[j];
	}
}

void fft_tables_drop(struct fft_tables *tables)
{
	if (tables->device)
		cudaFree(tables->device);
	free(tables->bytes);
	free(tables->list);
	memset(tables, 0, sizeof(*tables));
}
