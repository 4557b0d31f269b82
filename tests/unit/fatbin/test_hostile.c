// SPDX-License-Identifier: MIT
/*
 * Device code as a hostile program passes it to cuModuleLoadData(), cuLibraryLoadData() and
 * cuLinkAddData(): nothing, cut off, with wrong lengths, with bytes that are wrong. Each call
 * returns one of its own codes; nothing behind the code is read, nothing is lost (ASan).
 */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/cuda.h"
#include "fat_build.h"
#include "vgpu_runtime.h"

#define OK(call)		assert_int_equal((call), CUDA_SUCCESS)
#define REFUSED(call, error)	assert_int_equal((call), (error))
#define ROUNDS			150	/* of each kind of code */

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 41;\n"
	".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a];\n"
	" add.s32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n"
	".visible .entry set(.param .u64 where, .param .u32 value)\n"
	"{\n	.reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
	"	ld.param.u64 %rd1, [where]; ld.param.u32 %r1, [value];\n"
	"	st.global.u32 [%rd1], %r1;\n	ret;\n}\n";

static CUcontext context;

static int begin(void **state)
{
	(void)state;
	setenv("VGPU_TRANSPORT", "embedded", 1);
	return cuInit(0) || cuCtxCreate(&context, 0, 0);
}

static int end(void **state)
{
	(void)state;
	return cuCtxDestroy(context);
}

/* The codes of a module that is not loaded. */
static void is_own(CUresult result)
{
	switch (result) {
	case CUDA_SUCCESS:
	case CUDA_ERROR_INVALID_VALUE:
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
	case CUDA_ERROR_OUT_OF_MEMORY:
	case CUDA_ERROR_NOT_SUPPORTED:
		return;
	default:
		fail_msg("error %d", result);
	}
}

/*
 * Memory that ends where the code ends: what is behind it cannot be read. One more byte in front of
 * it is there.
 */
static uint8_t *room;
static size_t room_bytes;

static uint8_t *at_the_end(const void *code, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!room) {
		room_bytes = 16 * page;
		room = mmap(NULL, room_bytes + page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(room, MAP_FAILED);
		assert_int_equal(mprotect(room + room_bytes, page, PROT_NONE), 0);
	}
	assert_true(bytes <= room_bytes);
	return memcpy(room + room_bytes - bytes, code, bytes);
}

/* By all three ways. @bytes is what the linker is told. */
static void load(const void *code, size_t bytes)
{
	CUlinkState link;
	CUlibrary library;
	CUmodule module;
	CUfunction function;
	CUkernel kernel;
	CUresult result;
	size_t cubin_bytes;
	void *cubin;

	result = cuModuleLoadData(&module, code);
	is_own(result);
	if (result == CUDA_SUCCESS) {
		result = cuModuleGetFunction(&function, module, "set");
		assert_true(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_FOUND);
		OK(cuModuleUnload(module));
	}
	result = cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
	is_own(result);
	if (result == CUDA_SUCCESS) {
		result = cuLibraryGetKernel(&kernel, library, "set");
		if (result != CUDA_ERROR_NOT_FOUND)
			is_own(result);
		OK(cuLibraryUnload(library));
	}
	OK(cuLinkCreate(0, NULL, NULL, &link));
	result = cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, (void *)(uintptr_t)code, bytes, "code",
			       0, NULL, NULL);
	is_own(result);
	if (result == CUDA_SUCCESS) {
		result = cuLinkComplete(link, &cubin, &cubin_bytes);
		is_own(result);
	}
	OK(cuLinkDestroy(link));
}

/* ---- what the code is in ------------------------------------------------- */

static struct fat fat_of(enum vgpu_packing packing)
{
	struct fat fat;

	fat_begin(&fat);
	fat_add_sass(&fat, 80);
	fat_add_ptx(&fat, 70, ptx, packing);
	return fat;
}

/* An ELF file with one section besides the names, and the table of sections at the end. */
static size_t elf_with(uint8_t *file, const char *name, const void *data, size_t size)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)file;
	size_t names = sizeof(*header) + ((size + 7) & ~(size_t)7);
	size_t table = (names + strlen(name) + 2 + 7) & ~(size_t)7;
	Elf64_Shdr *sections = (Elf64_Shdr *)(file + table);

	memset(file, 0, table + 3 * sizeof(*sections));
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_ident[EI_VERSION] = EV_CURRENT;
	header->e_shoff = table;
	header->e_ehsize = sizeof(*header);
	header->e_shentsize = sizeof(*sections);
	header->e_shnum = 3;
	header->e_shstrndx = 2;
	memcpy(file + sizeof(*header), data, size);
	memcpy(file + names + 1, name, strlen(name));
	sections[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof(*header), .sh_size = size
	};
	sections[2] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = strlen(name) + 2
	};
	return table + 3 * sizeof(*sections);
}

struct code {
	const char *name;
	uint8_t bytes[40960];
	size_t size;
};

/* Each kind once; false behind the last. */
static bool code_of(unsigned int kind, struct code *code)
{
	struct fat fat = fat_of(kind == 2 ? VGPU_LZ4 : kind == 3 ? VGPU_ZSTD : VGPU_PLAIN);

	switch (kind) {
	case 0:
		memcpy(code->bytes, ptx, sizeof(ptx));
		code->size = sizeof(ptx);
		return true;
	case 1:
	case 2:
	case 3:
		memcpy(code->bytes, fat.bytes, fat.size);
		code->size = fat.size;
		return true;
	case 4:
		code->size = elf_with(code->bytes, ".nv_fatbin", fat.bytes, fat.size);
		return true;
	case 5:
		code->size = elf_with(code->bytes, ".nv_debug_ptx_txt", ptx, sizeof(ptx));
		return true;
	default:
		return false;
	}
}

/* ---- the cases ----------------------------------------------------------- */

static void all_kinds_load(void **state)
{
	struct code code;
	CUmodule module;
	CUfunction function;

	(void)state;
	for (unsigned int kind = 0; code_of(kind, &code); kind++) {
		CUresult result = cuModuleLoadData(&module, at_the_end(code.bytes, code.size));

		if (result != CUDA_SUCCESS)
			fail_msg("kind %u: %s", kind, vgpuGetLastMessage());
		OK(cuModuleGetFunction(&function, module, "set"));
		OK(cuModuleUnload(module));
	}
}

static void nothing_is_refused(void **state)
{
	CUjit_option option = CU_JIT_ERROR_LOG_BUFFER, wrong = 9999;
	CUlinkState link;
	CUlibrary library;
	CUmodule module;
	size_t bytes;
	void *cubin, *value = NULL;

	(void)state;
	REFUSED(cuModuleLoadData(NULL, ptx), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, (void *)1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, (void *)-1ul), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
	REFUSED(cuModuleLoadDataEx(&module, ptx, 1, NULL, &value), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadDataEx(&module, ptx, 1, &option, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadDataEx(&module, ptx, 1, &wrong, &value), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoad(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoad(&module, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
	REFUSED(cuModuleLoadFatBinary(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	/* a log without a place is no place to write to */
	REFUSED(cuModuleLoadDataEx(&module, "wrong", 1, &option, &value), CUDA_ERROR_INVALID_IMAGE);

	REFUSED(cuLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLibraryLoadData(&library, ptx, NULL, NULL, 3, NULL, NULL, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLibraryLoadData(&library, (void *)8, NULL, NULL, 0, NULL, NULL, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLibraryUnload(NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLibraryUnload((CUlibrary)&bytes), CUDA_ERROR_INVALID_HANDLE);

	REFUSED(cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkCreate(2, NULL, NULL, &link), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkCreate(1, &wrong, &value, &link), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddData(NULL, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof(ptx), "", 0,
			      NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLinkComplete(NULL, &cubin, &bytes), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLinkDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
	OK(cuLinkCreate(0, NULL, NULL, &link));
	REFUSED(cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 10, "", 0, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, 0, "", 0, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddData(link, 77, (void *)(uintptr_t)ptx, sizeof(ptx), "", 0, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)64, 100, "", 0, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddFile(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL),
		CUDA_ERROR_FILE_NOT_FOUND);
	REFUSED(cuLinkComplete(link, NULL, &bytes), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLinkComplete(link, &cubin, &bytes), CUDA_ERROR_INVALID_IMAGE);
	/* no name, and no place for the size, are nothing wrong */
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof(ptx), NULL, 0, NULL,
			 NULL));
	OK(cuLinkComplete(link, &cubin, NULL));
	OK(cuLinkDestroy(link));
}

/* At every length, with nothing behind. */
static void cut_off_anywhere(void **state)
{
	struct code code;
	CUmodule module;

	(void)state;
	for (unsigned int kind = 0; code_of(kind, &code); kind++)
		for (size_t size = 0; size < code.size; size += size < 200 ? 1 : 23) {
			uint8_t *cut = at_the_end(code.bytes, size);
			CUresult result = cuModuleLoadData(&module, cut);

			is_own(result);
			/* without its names a file has no section that counts */
			if (result == CUDA_SUCCESS)
				fail_msg("kind %u, %zu bytes", kind, size);
			if (size)
				load(cut, size);
		}
}

/* Shorter or longer than it is, up to more than there is memory. */
static void with_a_wrong_length(void **state)
{
	static const size_t lengths[] = { 1, 3, 8, 15, 16, 17, 79, 80, 100, 1u << 20,
					  1ull << 40, ~0ull, ~0ull - 4095, 1ull << 63 };
	struct code code;

	(void)state;
	for (unsigned int kind = 0; code_of(kind, &code); kind++)
		for (size_t n = 0; n < sizeof(lengths) / sizeof(*lengths); n++)
			load(at_the_end(code.bytes, code.size), lengths[n]);
}

static uint64_t seed = 1;

static uint64_t pick(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static void change(struct code *code)
{
	static const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff, ' ', '\n', ';', '{', '}', '"' };
	static const uint64_t words[] = { 0, 1, ~0ull, 1ull << 31, 1ull << 32, 1ull << 63,
					  0x7fffffff, 4096, 1ull << 20 };
	size_t at = pick(code->size), fields = (code->size < 512 ? code->size : 512) / 8, more;

	switch (pick(5)) {
	case 0:
		code->bytes[at] ^= (uint8_t)(1u << pick(8));
		break;
	case 1:
		code->bytes[at] = bytes[pick(sizeof(bytes))];
		break;
	case 2:
		/* a field of a header */
		at = fields ? 8 * pick(fields) : 0;
		memcpy(code->bytes + at, &words[pick(sizeof(words) / sizeof(*words))],
		       pick(2) ? 4 : 8);
		break;
	case 3:
		code->size = 1 + pick(code->size);
		break;
	default:
		/* a piece of it again */
		more = 1 + pick(64);
		if (at + 2 * more < code->size)
			memmove(code->bytes + at, code->bytes + at + more, more);
		break;
	}
}

static void with_bytes_that_are_wrong(void **state)
{
	struct code code;

	(void)state;
	for (unsigned int kind = 0; code_of(kind, &code); kind++)
		for (unsigned int round = 0; round < ROUNDS; round++) {
			code_of(kind, &code);
			for (uint64_t n = 1 + pick(4); n; n--)
				change(&code);
			load(at_the_end(code.bytes, code.size), code.size);
		}
}

/* What host code registers: pointers, which may lead anywhere. */
static void wrappers_that_lead_nowhere(void **state)
{
	struct fat fat = fat_of(VGPU_PLAIN);
	const void *list[4] = { fat.bytes, (void *)16, NULL, NULL };
	struct vgpu_wrapper wrapper = { VGPU_WRAPPER_MAGIC, 1, fat.bytes, NULL };
	const void *own = &wrapper;
	CUmodule module;

	(void)state;
	OK(cuModuleLoadData(&module, &wrapper));
	OK(cuModuleUnload(module));
	for (unsigned int version = 0; version < 4; version++) {
		wrapper.version = version;
		wrapper.data = NULL;
		load(&wrapper, sizeof(wrapper));
		wrapper.data = (void *)24;
		load(&wrapper, sizeof(wrapper));
		wrapper.data = (void *)-8ul;
		load(&wrapper, sizeof(wrapper));
		wrapper.data = &wrapper;
		load(&wrapper, sizeof(wrapper));
		wrapper.data = fat.bytes;
		wrapper.fatbins = list;
		load(&wrapper, sizeof(wrapper));
		wrapper.fatbins = (void *)40;
		load(&wrapper, sizeof(wrapper));
		wrapper.fatbins = &own;
		load(&wrapper, sizeof(wrapper));
		wrapper.fatbins = NULL;
		load(at_the_end(&wrapper, sizeof(wrapper)), sizeof(wrapper));
		load(at_the_end(&wrapper, 20), 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_load),
		cmocka_unit_test(nothing_is_refused),
		cmocka_unit_test(cut_off_anywhere),
		cmocka_unit_test(with_a_wrong_length),
		cmocka_unit_test(with_bytes_that_are_wrong),
		cmocka_unit_test(wrappers_that_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
