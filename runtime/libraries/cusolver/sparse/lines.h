/* SPDX-License-Identifier: MIT */
/*
 * Sparse rows and columns that grow, and one that is being computed: its places are known by a
 * mark, and come out in ascending order. Memory of the host; what could not be had is told by
 * `good`.
 */
#ifndef CUSOLVER_LINES_H
#define CUSOLVER_LINES_H

#include "numbers.h"

#include <stdlib.h>
#include <string.h>

namespace solver
{

using namespace blas;

/* Entries of one row or column */
template <class T> struct line {
	int count, room;
	int *index;
	T *value;

	bool add(int i, T v)
	{
		if (count == room) {
			int more = 2 * room + 8;
			int *indices = (int *)realloc(index, more * sizeof(int));

			if (indices)
				index = indices;
			T *values = (T *)realloc(value, more * sizeof(T));
			if (values)
				value = values;
			if (!indices || !values)
				return false;
			room = more;
		}
		index[count] = i;
		value[count++] = v;
		return true;
	}
	void clear()
	{
		count = 0;
	}
};

/* n of them, all empty */
template <class T> struct lines {
	int n;
	line<T> *at;

	explicit lines(int count)
	    : n(count), at((line<T> *)calloc((size_t)count + 1, sizeof(line<T>)))
	{
	}
	~lines()
	{
		for (int i = 0; at && i < n; i++) {
			free(at[i].index);
			free(at[i].value);
		}
		free(at);
	}
	lines(const lines &) = delete;
	line<T> &operator[](int i)
	{
		return at[i];
	}
};

/* Numbers of the host that go away by themselves */
template <class T> struct room_for {
	T *at;

	explicit room_for(int64_t count) : at((T *)calloc((size_t)count + 1, sizeof(T)))
	{
	}
	~room_for()
	{
		free(at);
	}
	room_for(const room_for &) = delete;
	T &operator[](int64_t i)
	{
		return at[i];
	}
};

/* The line that is being computed: a heap of places that have a number */
template <class T> struct work_line {
	room_for<T> value;
	room_for<char> there;
	room_for<int> heap;
	int count;

	explicit work_line(int n) : value(n), there(n), heap(n), count(0)
	{
	}
	bool good() const
	{
		return value.at && there.at && heap.at;
	}
	/* The place has a number from now on; 0 at first */
	T &touch(int i)
	{
		if (!there[i]) {
			int at = count++;

			there[i] = 1;
			value[i] = zero_of<T>();
			for (; at && heap[(at - 1) / 2] > i; at = (at - 1) / 2)
				heap[at] = heap[(at - 1) / 2];
			heap[at] = i;
		}
		return value[i];
	}
	/* The least place, or -1; it has no number afterwards, but `value` still has what it was.
	 */
	int pop()
	{
		if (!count)
			return -1;
		int least = heap[0], last = heap[--count], at = 0;

		for (int child; (child = 2 * at + 1) < count; at = child) {
			if (child + 1 < count && heap[child + 1] < heap[child])
				child++;
			if (heap[child] >= last)
				break;
			heap[at] = heap[child];
		}
		heap[at] = last;
		there[least] = 0;
		return least;
	}
	void clear()
	{
		while (count)
			there[heap[--count]] = 0;
	}
};

} // namespace solver

#endif
