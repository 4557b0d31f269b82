// SPDX-License-Identifier: MIT
/*
 * A problem becomes passes. All but the last write to work areas, and all but the first read
 * there, so that a source is never changed, and it may be the destination, too.
 *
 * Lengths with prime factors beyond 13 are done by Bluestein's method: a transform is a
 * convolution with a chirp, which transforms of a power of two do.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

enum { MOST_AXES = FFT_MOST_RANK + FFT_MOST_BATCHES };

/* Where the data is between two passes, or is to be */
struct layout {
	enum fft_place place;
	long long count[MOST_AXES], stride[MOST_AXES];
};

struct maker {
	const struct fft_problem *problem;
	struct fft_tables *tables;
	struct fft_steps *steps;
	int axes; /* batches first, then those that are transformed */
	struct layout now;
	size_t work[2]; /* elements */
	bool failed, too_large;
};

static bool in_work(enum fft_place place)
{
	return place == FFT_WORK || place == FFT_WORK2;
}

/* Another work area than the one where the data is, with as many elements as they need. */
static void lay_out(struct maker *m, struct layout *to)
{
	long long elements = 1;

	to->place = m->now.place == FFT_WORK ? FFT_WORK2 : FFT_WORK;
	for (int i = m->axes - 1; i >= 0; i--) {
		to->stride[i] = elements;
		if (__builtin_mul_overflow(elements, to->count[i], &elements) ||
		    elements > LLONG_MAX / 64) {
			m->too_large = true;
			return;
		}
	}
	if ((size_t)elements > m->work[to->place == FFT_WORK2])
		m->work[to->place == FFT_WORK2] = (size_t)elements;
}

static void destination(const struct maker *m, struct layout *to)
{
	const struct fft_problem *p = m->problem;

	to->place = FFT_OUT;
	for (int i = 0; i < p->batches; i++)
		to->stride[i] = p->batch[i].out;
	for (int i = 0; i < p->rank; i++)
		to->stride[p->batches + i] = p->axis[i].out;
}

static int log_of(long long n)
{
	int bits = 0;

	while (2ll << bits <= n)
		bits++;
	return bits;
}

/* Lines in an order in which neighbours are near each other, in source and destination. */
static void find_lines(struct maker *m, struct fft_pass *p, int axis, const struct layout *to)
{
	long long parts = p->whole / p->n, key[FFT_MOST_DIMS];

	p->lines = 1;
	p->split_dim = -1;
	for (int i = 0; i < m->axes; i++) {
		struct fft_dim d = { m->now.count[i], m->now.stride[i], to->stride[i] };
		int at = p->dims;

		if (i == axis) {
			bool last = p->split_at == p->splits - 1;

			d.count = parts;
			d.in = last ? p->in.stride * (p->whole / p->split[0]) : p->in.stride;
			d.out = p->out.stride;
		}
		if (d.count == 1)
			continue;
		p->lines *= d.count;
		while (at && key[at - 1] > llabs(d.in) + llabs(d.out)) {
			p->dim[at] = p->dim[at - 1];
			key[at] = key[at - 1];
			if (p->split_dim == at - 1)
				p->split_dim = at;
			at--;
		}
		p->dim[at] = d;
		key[at] = llabs(d.in) + llabs(d.out);
		if (i == axis)
			p->split_dim = at;
		p->dims++;
	}
	if (p->dims) {
		p->in.across = llabs(p->dim[0].in) < llabs(p->in.stride * p->in.step);
		p->out.across = llabs(p->dim[0].out) < llabs(p->out.stride * p->out.step);
	}
}

static size_t shared_of(const struct maker *m, const struct fft_pass *p)
{
	size_t number = m->problem->precision == FFT_DOUBLE ? 16 : 8;

	if (p->stages < 2 && !p->in.apart && !p->out.apart)
		return 0;
	return (size_t)p->n * (p->across ? p->row : p->together) * number * (p->twice ? 2 : 1);
}

/* How many lines a block has, and which threads do what. */
static void shape(const struct maker *m, struct fft_pass *p)
{
	int least = p->n, want;

	for (int i = 0; i < p->stages; i++)
		if (p->n / fft_radix(p, i) < least)
			least = p->n / fft_radix(p, i);
	for (int i = 0; i < p->stages; i++)
		if ((i || p->in.apart) && (i < p->stages - 1 || p->out.apart))
			p->twice = true;
	p->across = p->in.across || p->out.across || least < 16;
	want = p->across ? FFT_MOST_LINES : 2048 / p->n;
	for (p->together = FFT_MOST_LINES; p->together > 1; p->together /= 2) {
		p->row = p->together;
		/* what is written along one way and read along the other */
		if (p->across &&
		    ((p->in.apart && !p->in.across) || (p->out.apart && !p->out.across)))
			p->row++;
		if (p->together <= want && p->together / 2 < p->lines &&
		    shared_of(m, p) <= FFT_SHARED)
			break;
	}
	if (p->together == 1)
		p->row = 1;
	if (p->together < 4)
		p->across = false;
	p->together_bits = log_of(p->together);
	p->threads = (int)(((long long)(least ? least : 1) * p->together + 31) / 32 * 32);
	if (p->threads > FFT_MOST_THREADS)
		p->threads = FFT_MOST_THREADS;
}

/* What all passes of a line have. */
struct line_plan {
	int axis;
	long long length, becomes; /* elements transformed, and in the destination */
	int splits, split[FFT_MOST_SPLITS];
	struct fft_side in, out; /* of the first pass and of the last */
	bool multiplied[2]; /* there, by these */
	const void *factor[2];
};

static struct fft_step *new_step(struct maker *m)
{
	struct fft_step *grown = realloc(m->steps->step, (m->steps->count + 1) * sizeof(*grown));

	if (!grown) {
		m->failed = true;
		return NULL;
	}
	m->steps->step = grown;
	return memset(&grown[m->steps->count++], 0, sizeof(*grown));
}

static void line_steps(struct maker *m, const struct line_plan *l, bool to_end)
{
	static const struct fft_side plain = { .limit = LLONG_MAX, .kind = FFT_COMPLEX };
	long long after = l->length;

	for (int i = 0; i < l->splits && !m->failed && !m->too_large; i++) {
		bool first = !i, last = i == l->splits - 1;
		struct layout to = m->now;
		struct fft_step *s = new_step(m);
		struct fft_pass *p;

		if (!s)
			return;
		p = &s->pass;
		after /= l->split[i];
		p->n = l->split[i];
		p->whole = l->length;
		p->splits = l->splits;
		p->split_at = i;
		memcpy(p->split, l->split, sizeof(p->split));
		p->in = first ? l->in : plain;
		p->out = last ? l->out : plain;
		to.count[l->axis] = last ? l->becomes : l->length;
		if (last && to_end)
			destination(m, &to);
		else if (!in_work(m->now.place) || (last && l->splits > 1) ||
			 to.count[l->axis] != m->now.count[l->axis])
			lay_out(m, &to);
		s->from = m->now.place;
		s->to = to.place;
		p->in.stride = m->now.stride[l->axis];
		p->out.stride = to.stride[l->axis];
		p->in.step = after;
		p->out.step = last ? l->length / p->n : after;
		p->in.apart = p->n == 1 || p->in.kind != FFT_COMPLEX ||
			      (first && l->multiplied[0]) ||
			      p->in.limit != LLONG_MAX;
		/* its elements lie behind each other, and the lines far from each other */
		if (last && l->splits > 1)
			p->in.apart = true;
		p->out.apart = p->n == 1 || p->out.kind != FFT_COMPLEX ||
			       (last && l->multiplied[1]) ||
			       p->out.limit != LLONG_MAX;
		if (l->in.kind == FFT_HERMITIAN || l->in.kind == FFT_HALF_HERMITIAN)
			p->hermitian = m->problem->n[m->problem->rank - 1];
		fft_choose_radices(p, &s->mixed);
		find_lines(m, p, l->axis, &to);
		shape(m, p);
		if (m->tables) {
			s->constants.twiddles = fft_table_stages(m->tables, p);
			s->constants.in_factor = first ? l->factor[0] : NULL;
			s->constants.out_factor = last ? l->factor[1] : NULL;
			if (!last) {
				p->turn_size = after * p->n;
				fft_table_turn(m->tables, s);
			}
		}
		m->now = to;
	}
}

/* One axis, from what it is to what it becomes. FIRST and LAST of all. */
static void transform_axis(struct maker *m, int axis, bool first, bool last)
{
	const struct fft_problem *q = m->problem;
	long long n = q->n[axis - q->batches];
	bool is_last_axis = axis == m->axes - 1, half = q->precision == FFT_HALF;
	struct line_plan l = { .axis = axis, .length = n, .becomes = n };
	long long padded = 1;

	l.in.limit = l.out.limit = LLONG_MAX;
	if (is_last_axis && q->form == FFT_R2C) {
		l.in.kind = FFT_REAL;
		l.becomes = l.out.limit = n / 2 + 1;
	}
	if (is_last_axis && q->form == FFT_C2R) {
		l.in.kind = FFT_HERMITIAN;
		l.out.kind = FFT_REAL;
	}
	if (half && first)
		l.in.kind += FFT_HALF_COMPLEX;
	if (half && last)
		l.out.kind += FFT_HALF_COMPLEX;
	l.splits = fft_choose_splits(n, q->precision, l.split);
	if (l.splits) {
		line_steps(m, &l, last);
		return;
	}
	/* a convolution: from the source, with its numbers, to a product with the filter ... */
	while (padded < 2 * n - 1)
		padded *= 2;
	l.length = padded;
	l.splits = fft_choose_splits(padded, q->precision, l.split);
	struct line_plan back = l;

	l.becomes = padded;
	l.in.limit = n;
	l.out = (struct fft_side){ .limit = LLONG_MAX, .swap = true };
	back.in = (struct fft_side){ .limit = LLONG_MAX };
	back.out.swap = true;
	if (back.out.limit == LLONG_MAX)
		back.out.limit = n;
	if (m->tables) {
		l.factor[0] = fft_table_chirp(m->tables, n, false);
		l.factor[1] = fft_table_filter(m->tables, n, padded);
		back.factor[1] = fft_table_chirp(m->tables, n, true);
	}
	l.multiplied[0] = l.multiplied[1] = back.multiplied[1] = true;
	line_steps(m, &l, false);
	/* ... and back, by a forward transform of the numbers with their parts exchanged */
	line_steps(m, &back, last);
}

/* Nothing to do along this axis: its length is 1, and its numbers are those of work areas. */
static bool may_skip(const struct fft_problem *p, int i)
{
	return p->n[i] == 1 && (p->form == FFT_C2C || i != p->rank - 1);
}

/* Axes with more than one pass behind those of one, which need one work area only. */
static int order_of(const struct fft_problem *p, int order[FFT_MOST_RANK])
{
	int count = 0, split[FFT_MOST_SPLITS], last = p->rank - 1;

	if (p->form == FFT_R2C)
		order[count++] = last;
	for (int several = 0; several < 2; several++)
		for (int i = last; i >= 0; i--) {
			if ((i == last && p->form != FFT_C2C) || may_skip(p, i))
				continue;
			if ((fft_choose_splits(p->n[i], p->precision, split) != 1) == several)
				order[count++] = i;
		}
	if (p->form == FFT_C2R || !count)
		order[count++] = last;
	return count;
}

cufftResult fft_make_steps(const struct fft_problem *problem, struct fft_tables *tables,
			   struct fft_steps *steps)
{
	struct maker m = { .problem = problem, .tables = tables, .steps = steps };
	int order[FFT_MOST_RANK], count = order_of(problem, order), last = problem->rank - 1;
	size_t number = problem->precision == FFT_DOUBLE ? 16 : 8;

	memset(steps, 0, sizeof(*steps));
	m.axes = problem->batches + problem->rank;
	m.now.place = FFT_IN;
	for (int i = 0; i < problem->batches; i++) {
		m.now.count[i] = problem->batch[i].count;
		m.now.stride[i] = problem->batch[i].in;
	}
	for (int i = 0; i < problem->rank; i++) {
		m.now.count[problem->batches + i] = problem->n[i];
		m.now.stride[problem->batches + i] = problem->axis[i].in;
	}
	/* what the other axes see of it: half of the line */
	if (problem->form == FFT_C2R)
		m.now.count[m.axes - 1] = problem->n[last] / 2 + 1;
	for (int i = 0; i < count; i++)
		transform_axis(&m, problem->batches + order[i], !i, i == count - 1);
	for (int i = 0; i < 2; i++)
		steps->work[i] = (m.work[i] * number + 255) & ~(size_t)255;
	if (!m.failed && !m.too_large)
		return CUFFT_SUCCESS;
	fft_drop_steps(steps);
	return m.too_large ? CUFFT_INVALID_SIZE : CUFFT_ALLOC_FAILED;
}

void fft_drop_steps(struct fft_steps *steps)
{
	free(steps->step);
	memset(steps, 0, sizeof(*steps));
}
