// SPDX-License-Identifier: MIT
/*
 * Tables by context; see by_context.h.
 */
#include <stdlib.h>
#include <string.h>

#include "by_context.h"

static bool make_room(struct rt_by_context *table, unsigned int number)
{
	unsigned int room = table->room ? table->room : 1;
	void **elements;

	if (number < table->room)
		return true;
	while (room <= number)
		room *= 2;
	elements = realloc(table->elements, room * sizeof(*elements));
	if (!elements)
		return false;
	memset(elements + table->room, 0, (room - table->room) * sizeof(*elements));
	table->elements = elements;
	table->room = room;
	return true;
}

void *rt_by_context_make(struct rt_by_context *table, const struct rt_state *state, size_t bytes)
{
	unsigned int number = rt_number_of(state);
	void *element = rt_by_context_get(table, number);

	if (element || !make_room(table, number))
		return element;
	return table->elements[number] = calloc(1, bytes);
}

void rt_by_context_free(struct rt_by_context *table)
{
	for (unsigned int n = 0; n < table->room; n++)
		free(table->elements[n]);
	free(table->elements);
	*table = (struct rt_by_context){ 0 };
}
