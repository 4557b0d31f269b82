// SPDX-License-Identifier: MIT
/*
 * fail_nth for device memory: mappings, and memory apart from addresses. Allocations and copies of
 * the calling thread, and those of the actor, which answers it.
 */
#include "fail_nth.h"
#include "vgpu_views.h"

static int run_map(void)
{
	return mem_map(file, BASE + (1 << 30), 16 << 20);
}

static void undo_map(int result)
{
	(void)result;
	CHECK_EQ(mem_unmap(file, BASE + (1 << 30), 16 << 20), 0);
}

static void prepare_map(void)
{
	CHECK_EQ(run_map(), 0);
}

static int run_unmap(void)
{
	return mem_unmap(file, BASE + (1 << 30), 16 << 20);
}

static uint32_t handle;		/* of a page, of which there may be a view or a file */
static int exported;

#define VIEW	(BASE + (2ull << 30))

static void prepare_memory(void)
{
	handle = must_create(file, PAGE);
}

static int run_create(void)
{
	uint32_t created;
	int ret = mem_create(file, PAGE, &created);

	return ret ? ret : (int)created;
}

static void undo_create(int created)
{
	CHECK_EQ(mem_release(file, (uint32_t)created), 0);
}

static int run_release(void)
{
	return mem_release(file, handle);
}

static int run_view(void)
{
	return mem_view(file, VIEW, PAGE, handle, 0, VGPU_RIGHTS_WRITE);
}

static void undo_view(int result)
{
	(void)result;
	CHECK_EQ(mem_unmap(file, VIEW, PAGE), 0);
	undo_create((int)handle);
}

static void prepare_view(void)
{
	prepare_memory();
	CHECK_EQ(run_view(), 0);
}

static int run_rights(void)
{
	return mem_rights(file, VIEW, PAGE, VGPU_RIGHTS_READ);
}

static int run_export(void)
{
	return mem_export(file, handle);
}

static void undo_export(int fd)
{
	close(fd);
	undo_create((int)handle);
}

static void prepare_export(void)
{
	prepare_memory();
	exported = run_export();
	CHECK(exported >= 0);
}

static int run_import(void)
{
	uint32_t imported;
	int ret = mem_import(file, exported, &imported);

	return ret ? ret : (int)imported;
}

static void undo_import(int imported)
{
	undo_create(imported);
	undo_export(exported);
}

static int run_retain(void)
{
	uint32_t retained;
	int ret = mem_retain(file, BASE + (1 << 30), 16 << 20, &retained);

	return ret ? ret : (int)retained;
}

static void undo_retain(int retained)
{
	undo_map(0);
	undo_create(retained);
}

static int run_name(void)
{
	struct name name;

	return mem_name(file, handle, &name);
}

/* the name goes with it */
static void undo_name(int result)
{
	(void)result;
	undo_create((int)handle);
}

static struct name opened;

static void prepare_open(void)
{
	prepare_memory();
	CHECK_EQ(mem_name(file, handle, &opened), 0);
}

static int run_open(void)
{
	uint32_t imported;
	int ret = mem_open(file, &opened, &imported);

	return ret ? ret : (int)imported;
}

static void undo_open(int imported)
{
	undo_create(imported);
	undo_create((int)handle);
}

static const struct operation memory_ops[] = {
	{ "MEM_MAP", NULL, run_map, undo_map },
	{ "MEM_UNMAP", prepare_map, run_unmap, NULL },
	{ "MEM_CREATE", NULL, run_create, undo_create },
	{ "MEM_RELEASE", prepare_memory, run_release, NULL },
	{ "MEM_VIEW", prepare_memory, run_view, undo_view },
	{ "MEM_RIGHTS", prepare_view, run_rights, undo_view },
	{ "MEM_EXPORT", prepare_memory, run_export, undo_export },
	{ "MEM_IMPORT", prepare_export, run_import, undo_import },
	{ "MEM_RETAIN", prepare_map, run_retain, undo_retain },
	{ "MEM_NAME", prepare_memory, run_name, undo_name },
	{ "MEM_OPEN", prepare_open, run_open, undo_open },
};

static void memory(void)
{
	fail_all(memory_ops, ARRAY_SIZE(memory_ops));
}

static void actor_memory(void)
{
	injection_begin_actor();
	fail_all(memory_ops, ARRAY_SIZE(memory_ops));
}

static const struct test tests[] = {
	{ "fail_nth_memory: mappings and memory apart from addresses", memory },
	{ "fail_nth_memory: the actor, answering", actor_memory },
};

TESTS_MAIN(tests)
