// SPDX-License-Identifier: MIT
/*
 * Errors: launches that cannot be, faults that stick and tell where, PTX that is refused, settings
 * that make no sense, a child of an initialised process.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

static const unsigned int one[3] = { 1, 1, 1 };

static void launches_that_cannot_be(void **state)
{
	static const struct {
		unsigned int grid[3], block[3];
		size_t shared;
		vgpuError_t error;
	} cases[] = {
		{ { 0, 1, 1 }, { 1, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 0 }, { 1, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 1 }, { 0, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 1 }, { 1025, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 1 }, { 33, 32, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 1 }, { 1, 1, 65 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 65536, 1 }, { 1, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 0x80000000u, 1, 1 }, { 1, 1, 1 }, 0, vgpuErrorInvalidConfiguration },
		{ { 1, 1, 1 }, { 1, 1, 1 }, 1 << 20, vgpuErrorInvalidValue },
		{ { 1, 1, 1 }, { 1, 1, 1 }, 48 * 1024 - 1023, vgpuErrorInvalidValue },
		{ { 1, 1, 1 }, { 129, 1, 1 }, 0, vgpuErrorInvalidValue },
	};
	struct rig rig;
	uint32_t *words;
	void *arguments[] = { &words }, *none[] = { NULL };

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(vgpuLaunchKernel(rig.shared, cases[i].grid, cases[i].block,
						  arguments, cases[i].shared, NULL),
				 cases[i].error);
		assert_int_equal(vgpuPeekAtLastError(), cases[i].error);
		assert_int_equal(vgpuGetLastError(), cases[i].error);
		assert_int_equal(vgpuGetLastError(), vgpuSuccess);
	}
	assert_int_equal(vgpuLaunchKernel(rig.shared, one, one, none, 0, NULL),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuLaunchKernel((vgpuFunction_t)&words, one, one, arguments, 0, NULL),
			 vgpuErrorInvalidDeviceFunction);
	assert_int_equal(vgpuLaunchKernel(rig.shared, one, one, arguments, 0, (vgpuStream_t)&words),
			 vgpuErrorInvalidResourceHandle);
	OK(vgpuLaunchKernel(rig.shared, one, one, arguments, 48 * 1024 - 1024, NULL));
	assert_int_equal(rig_read(words), 5);
	rig_end();
}

static void a_fault_sticks_and_tells_where(void **state)
{
	struct rig rig;
	vgpuFault fault;
	uint32_t *words;
	void *memory;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(rig_poke(&rig, 0x12345678));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	OK(vgpuGetFault(&fault));
	assert_int_equal(fault.error, vgpuErrorIllegalAddress);
	assert_string_equal(fault.kernel, "poke");
	assert_int_equal(fault.raw.address, 0x12345678);
	assert_int_equal(fault.raw.write, 1);
	assert_int_equal(fault.raw.bytes, 4);
	assert_non_null(strstr(fault.sentence, "kernel poke, block (0,0,0), thread (0,0,0)"));
	assert_non_null(strstr(fault.sentence, "write of 4 bytes at 0x12345678"));
	assert_non_null(strstr(fault.instruction, "STG"));
	assert_non_null(strstr(fault.ptx, "st.global.u32 [%rd1], %r1;"));
	/* every later call says so, and the error is not taken away by asking */
	assert_int_equal(vgpuMalloc(&memory, 4), vgpuErrorIllegalAddress);
	assert_int_equal(rig_add(&rig, words, 1, NULL), vgpuErrorIllegalAddress);
	assert_int_equal(vgpuGetLastError(), vgpuErrorIllegalAddress);
	assert_int_equal(vgpuGetLastError(), vgpuErrorIllegalAddress);
	assert_int_equal(vgpuStreamSynchronize(NULL), vgpuErrorIllegalAddress);
	/* a reset opens a new context */
	rig_begin(&rig, NULL, NULL);
	OK(vgpuGetLastError());
	words = rig_words(1);
	OK(rig_add(&rig, words, 1, NULL));
	assert_int_equal(rig_read(words), 1);
	OK(rig_poke(&rig, (uint64_t)(uintptr_t)words + 2));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorMisalignedAddress);
	rig_end();
}

/* A module that says where its lines come from. */
static void a_fault_names_the_source(void **state)
{
	static const char ptx[] =
		".version 6.3\n.target sm_70\n.address_size 64\n"
		".visible .entry other()\n{\n\t.loc 1 3 1\n\tret;\n}\n"
		".visible .entry wild(.param .u64 at)\n{\n\t.reg .b64 %%rd<3>;\n"
		"\tld.param.u64 %%rd1, [at];\n"
		"%s"
		"\tst.global.u32 [%%rd1], 1;\n\tret;\n}\n"
		"\t.file 1 \"/src/main.cu\"\n\t.file 2 \"/src\" \"wild.cuh\"\n";
	static const struct {
		const char *lines, *file;
		unsigned int line;
	} cases[] = {
		{ "", "", 0 },
		{ "\t.loc\t1 7 3\n", "/src/main.cu", 7 },
		{ "\t.loc 1 7 3\n\t.loc 2 9 0\n", "/src/wild.cuh", 9 },
		{ "\t.loc 1 7 3\n\t.loc 2 0 0\n", "/src/main.cu", 7 },
		{ "\t.loc 1 8 3, function_name $L0, inlined_at 1 5 2\n", "/src/main.cu", 8 },
		{ "\t.loc 5 7 3\n", "", 0 },
	};
	uint64_t address = 0x12345678;
	void *arguments[] = { &address };
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vgpuModule_t module;
		vgpuFunction_t wild;
		vgpuFault fault;
		char text[1024], said[64];

		rig_begin(&rig, NULL, NULL);
		snprintf(text, sizeof(text), ptx, cases[i].lines);
		OK(vgpuModuleLoad(&module, text));
		OK(vgpuModuleGetFunction(&wild, module, "wild"));
		OK(vgpuLaunchKernel(wild, one, one, arguments, 0, NULL));
		assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
		OK(vgpuGetFault(&fault));
		snprintf(said, sizeof(said), "; %s:%u; PTX", cases[i].file, cases[i].line);
		if (cases[i].line) {
			assert_int_equal(fault.line, cases[i].line);
			assert_string_equal(fault.file, cases[i].file);
			assert_non_null(strstr(fault.sentence, said));
		} else {
			assert_string_equal(fault.file, "");
			assert_null(strstr(fault.sentence, ".cu:"));
		}
		rig_end();
	}
}

/* Each mapping has an unmapped page behind it. */
static void one_past_the_end_is_a_fault(void **state)
{
	struct rig rig;
	vgpuFault fault;
	char *memory;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&memory, 1 << 20));
	OK(rig_poke(&rig, (uint64_t)(uintptr_t)memory + (1 << 20) - 4));
	OK(vgpuDeviceSynchronize());
	OK(rig_poke(&rig, (uint64_t)(uintptr_t)memory + (1 << 20)));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	OK(vgpuGetFault(&fault));
	assert_int_equal(fault.raw.address, (uintptr_t)memory + (1 << 20));
	rig_end();
}

static void modules_have_names(void **state)
{
	vgpuFunction_t function;
	vgpuModule_t module;
	struct rig rig;
	uint32_t value = 0;
	size_t bytes;
	void *counter;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	assert_int_equal(vgpuModuleGetFunction(&function, rig.module, "nothing"),
			 vgpuErrorSymbolNotFound);
	assert_int_equal(vgpuModuleGetGlobal(&counter, &bytes, rig.module, "nothing"),
			 vgpuErrorSymbolNotFound);
	OK(vgpuModuleGetGlobal(&counter, &bytes, rig.module, "counter"));
	assert_int_equal(bytes, 4);
	OK(vgpuMemcpy(&value, counter, 4, vgpuMemcpyDeviceToHost));
	assert_int_equal(value, 41);
	OK(rig_add(&rig, counter, 1, NULL));
	assert_int_equal(rig_read(counter), 42);
	OK(vgpuModuleGetGlobal(&counter, &bytes, rig.module, "table"));
	assert_int_equal(bytes, 16);
	assert_int_equal(rig_read((uint32_t *)counter + 3), 4);
	assert_int_equal(vgpuModuleLoad(&module,
					".version 6.3\n.target sm_70\n.address_size 64\n"
					".visible .entry k()\n{\n\tfrobnicate.u32 1;\n}\n"),
			 vgpuErrorInvalidPtx);
	assert_non_null(strstr(vgpuGetLastMessage(), "line 6"));
	assert_int_equal(vgpuModuleLoad(&module, "this is no PTX"), vgpuErrorInvalidPtx);
	OK(vgpuModuleUnload(rig.module));
	assert_int_equal(vgpuModuleUnload(rig.module), vgpuErrorInvalidResourceHandle);
	assert_int_equal(rig_poke(&rig, 0), vgpuErrorInvalidDeviceFunction);
	rig_end();
}

static void functions_tell_what_they_need(void **state)
{
	vgpuFunctionAttributes attributes;
	struct rig rig;
	int blocks;

	(void)state;
	setenv("VGPU_PRESET", "k20c", 1);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuFuncGetAttributes(&attributes, rig.shared));
	assert_int_equal(attributes.shared_bytes, 1024);
	assert_int_equal(attributes.max_threads, 128);
	assert_in_range(attributes.regs, 1, 32);
	/* k20c: 16 KB of shared memory, larger settings only for a block that needs one */
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 0));
	assert_int_equal(blocks, 16);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 3 * 1024));
	assert_int_equal(blocks, 4);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 16 * 1024));
	assert_int_equal(blocks, 1);
	OK(vgpuOccupancy(&blocks, rig.copy, 1024, 0));
	assert_int_equal(blocks, 2);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 47 * 1024));
	assert_int_equal(blocks, 1);
	rig_end();
	unsetenv("VGPU_PRESET");
}

/* As CUDA has it: 48 KB of shared memory a block, and more for a function that asks for it. */
static void more_shared_memory_is_asked_for(void **state)
{
	vgpuFunctionAttributes attributes;
	vgpuDeviceProperties properties;
	struct rig rig;
	uint32_t *words;
	void *arguments[] = { &words };
	int blocks;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_string_equal(properties.name, "vgpu v100");
	assert_int_equal(properties.shared_per_block_default, 48 << 10);
	assert_int_equal(properties.shared_per_block, 96 << 10);
	assert_int_equal(properties.shared_per_sm, 96 << 10);
	OK(vgpuFuncGetAttributes(&attributes, rig.shared));
	assert_int_equal(attributes.max_dynamic_shared, 47 << 10);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 23 << 10));
	assert_int_equal(blocks, 4);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 48 << 10));
	assert_int_equal(blocks, 0);
	assert_int_equal(vgpuLaunchKernel(rig.shared, one, one, arguments, 95 << 10, NULL),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuFuncSetMaxDynamicShared(rig.shared, (95 << 10) + 1),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuFuncSetMaxDynamicShared(rig.shared, SIZE_MAX), vgpuErrorInvalidValue);
	OK(vgpuFuncSetMaxDynamicShared(rig.shared, 95 << 10));
	OK(vgpuFuncGetAttributes(&attributes, rig.shared));
	assert_int_equal(attributes.max_dynamic_shared, 95 << 10);
	OK(vgpuOccupancy(&blocks, rig.shared, 128, 95 << 10));
	assert_int_equal(blocks, 1);
	OK(vgpuLaunchKernel(rig.shared, one, one, arguments, 95 << 10, NULL));
	assert_int_equal(rig_read(words), 5);
	rig_end();
}

/* In a child that has not touched a device yet: the first call there must fail with `error`. */
static void first_call_fails(const char *name, const char *value, vgpuError_t error,
			     const char *says)
{
	int fds[2], status;
	char text[1024] = "";
	pid_t child;

	OK(vgpuDeviceReset());
	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		int count;

		dup2(fds[1], 2);
		setenv("VGPU_TRANSPORT", "embedded", 1);
		setenv(name, value, 1);
		_exit(vgpuGetDeviceCount(&count) == error && vgpuGetDeviceCount(&count) == error ?
			      0 :
			      1);
	}
	close(fds[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	close(fds[0]);
	if (status || !strstr(text, says))
		fail_msg("%s=%s: status %d, said: %s", name, value, status, text);
}

static void wrong_settings_are_refused(void **state)
{
	(void)state;
	first_call_fails("VGPU_PRESET", "k40", vgpuErrorInitializationError, "k20c");
	first_call_fails("VGPU_VRAM", "much", vgpuErrorInitializationError, "512M");
	first_call_fails("VGPU_VRAM", "-5", vgpuErrorInitializationError, "512M");
	first_call_fails("VGPU_SET", "sms", vgpuErrorInitializationError, "KEY=VALUE");
	first_call_fails("VGPU_SET", "sms=7,=3", vgpuErrorInitializationError, "KEY=VALUE");
	first_call_fails("VGPU_SET", "sms=none", vgpuErrorInitializationError, "sms=none");
	first_call_fails("VGPU_SET", "colour=red", vgpuErrorInitializationError,
			 "unknown field or knob");
	first_call_fails("VGPU_SET", "policy=luck", vgpuErrorInitializationError, "policy");
	first_call_fails("VGPU_SET", "transfer_policy=luck", vgpuErrorInitializationError,
			 "[fcfs] npq");
	first_call_fails("VGPU_PRIORITIES", "high", vgpuErrorInitializationError, "example 0,1");
	first_call_fails("VGPU_PRIORITIES", "0,", vgpuErrorInitializationError, "example 0,1");
	first_call_fails("VGPU_PRIORITIES", "0;1", vgpuErrorInitializationError, "example 0,1");
	first_call_fails("VGPU_PRIORITIES", "0,99999999999", vgpuErrorInitializationError,
			 "example 0,1");
	first_call_fails("VGPU_TRANSPORT", "smoke", vgpuErrorInitializationError,
			 "ioctl, uring, mapped or embedded");
	first_call_fails("VGPU_DEVICE", "one", vgpuErrorInvalidDevice, "number of a device");
	first_call_fails("VGPU_TRACE", "/nowhere/trace", vgpuErrorInitializationError,
			 "/nowhere/trace");
	if (access("/dev/vgpu", F_OK))
		first_call_fails("VGPU_TRANSPORT", "ioctl", vgpuErrorNoDevice, "insmod");
}

static void settings_reach_the_device(void **state)
{
	vgpuDeviceProperties properties;
	struct rig rig;

	(void)state;
	setenv("VGPU_SET", "sms=7,policy=round-robin,time_slice_us=200", 1);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_int_equal(properties.sms, 7);
	rig_end();
	unsetenv("VGPU_SET");
	rig_begin(&rig, NULL, NULL);
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_string_equal(properties.name, "vgpu v100");
	assert_int_equal(properties.sms, 80);
	rig_end();
}

static void a_forked_child_has_no_device(void **state)
{
	struct rig rig;
	uint32_t *words;
	pid_t child;
	int status;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(rig_add(&rig, words, 1, NULL));
	child = fork();
	if (!child) {
		void *memory;

		_exit(vgpuMalloc(&memory, 4) == vgpuErrorInitializationError &&
		      vgpuDeviceSynchronize() == vgpuErrorInitializationError ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	OK(rig_add(&rig, words, 1, NULL));
	assert_int_equal(rig_read(words), 2);
	rig_end();
}

static void a_trace_is_written(void **state)
{
	char path[] = "/tmp/vgpu-trace-XXXXXX", magic[8];
	int fd = mkstemp(path), kinds[VGPU_TRACE_COUNT] = { 0 };
	struct vgpu_trace_record record;
	struct rig rig;
	uint32_t *words;
	FILE *file;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	setenv("VGPU_TRACE", path, 1);
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(rig_add(&rig, words, 1, NULL));
	rig_end();
	unsetenv("VGPU_TRACE");
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(magic, 1, 8, file), 8);
	assert_memory_equal(magic, "VGPUTRC1", 8);
	while (fread(&record, sizeof(record), 1, file) == 1) {
		assert_true(record.type < VGPU_TRACE_COUNT);
		kinds[record.type]++;
	}
	fclose(file);
	unlink(path);
	assert_int_equal(kinds[VGPU_TRACE_CONTEXT_OPEN], 1);
	assert_int_equal(kinds[VGPU_TRACE_CONTEXT_CLOSE], 1);
	assert_int_equal(kinds[VGPU_TRACE_KERNEL_START], 1);
	assert_int_equal(kinds[VGPU_TRACE_KERNEL_END], 1);
	assert_int_equal(kinds[VGPU_TRACE_BLOCK_START], 1);
}

static void errors_have_names(void **state)
{
	(void)state;
	assert_string_equal(vgpuGetErrorName(vgpuErrorIllegalAddress), "vgpuErrorIllegalAddress");
	assert_string_equal(vgpuGetErrorString(vgpuSuccess), "no error");
	assert_string_equal(vgpuGetErrorName((vgpuError_t)12345), "unrecognized error code");
}

/* A program may print the reason: there always is one. */
static void a_module_without_room(void **state)
{
	static const char variable[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
				       ".visible .global .align 4 .b8 all[4194304];\n"
				       ".visible .entry k()\n{\n\tret;\n}\n";
	static const char none[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
				   ".visible .entry k()\n{\n\tret;\n}\n";
	vgpuModule_t module;
	vgpuError_t error = vgpuSuccess;
	struct rig rig;
	void *most;

	(void)state;
	rig_begin(&rig, NULL, "16M");
	OK(vgpuMalloc(&most, 14 << 20));
	assert_int_equal(vgpuModuleLoad(&module, variable), vgpuErrorMemoryAllocation);
	assert_string_equal(vgpuGetLastMessage(),
			    "no 4194304 bytes for the variables of the module: out of memory");
	for (uint32_t n = 0; n < 100000 && error == vgpuSuccess; n++)
		error = vgpuModuleLoad(&module, none);
	assert_int_equal(error, vgpuErrorMemoryAllocation);
	assert_string_equal(vgpuGetLastMessage(),
			    "the device does not load the module: out of memory");
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_settings_are_refused),
		cmocka_unit_test(launches_that_cannot_be),
		cmocka_unit_test(a_fault_sticks_and_tells_where),
		cmocka_unit_test(a_fault_names_the_source),
		cmocka_unit_test(one_past_the_end_is_a_fault),
		cmocka_unit_test(modules_have_names),
		cmocka_unit_test(functions_tell_what_they_need),
		cmocka_unit_test(more_shared_memory_is_asked_for),
		cmocka_unit_test(settings_reach_the_device),
		cmocka_unit_test(a_forked_child_has_no_device),
		cmocka_unit_test(a_trace_is_written),
		cmocka_unit_test(a_module_without_room),
		cmocka_unit_test(errors_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
