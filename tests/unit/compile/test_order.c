// SPDX-License-Identifier: MIT
/*
 * Memory order, scope and cache operator from PTX to the byte of the instruction that has them, how
 * the disassembler writes them, and what does not go together.
 */
#include "ptx_run.h"
#include "vgpu_runtime.h"

/* a kernel around the line that is looked at */
#define BEFORE	PTX_HEAD									\
	".visible .entry k(.param .u64 p)\n{\n"							\
	".reg .b32 %r<4>;\n.reg .b64 %q<4>;\n.reg .b64 %d;\n.shared .align 8 .b8 s[64];\n"	\
	".local .align 8 .b8 mine[64];\n"							\
	"ld.param.u64 %q0, [p];\nld.param.u32 %r0, [p];\n"
#define BEHIND	"\nst.global.u32 [%q0+96], %r1;\nret;\n}\n"

#define M(order, scope, cache) \
	VGPU_MEM(VGPU_ORDER_##order, VGPU_SCOPE_##scope, VGPU_CACHE_##cache)

static const struct vgpu_insn *code_of(const struct vgpu_program *program, uint32_t *count)
{
	const struct vgpu_vass_header *h =
		(const struct vgpu_vass_header *)program->binaries[0].bytes;

	assert_int_equal(h->version, VGPU_VASS_VERSION);
	*count = h->code_count;
	return vgpu_program_code(program, 0);
}

/*
 * The line compiles to an instruction `op', which has `mem' and is written as `text'; where a fence
 * goes with it, that has `fence'. What is loaded is stored, or the load would be removed.
 */
static void bits(void **state)
{
	static const struct {
		const char *ptx;
		unsigned int op, mem;
		const char *text;
		unsigned int fence;
	} cases[] = {
		{ "ld.global.u32 %r1, [%q0];", VGPU_OP_LDG, 0, "LDG.32 ", 0 },
		{ "ld.weak.global.u32 %r1, [%q0];", VGPU_OP_LDG, 0, "LDG.32 ", 0 },
		{ "ld.global.ca.u32 %r1, [%q0];", VGPU_OP_LDG, M(WEAK, CTA, CA), "LDG.CA.32 ", 0 },
		{ "ld.weak.global.cg.u32 %r1, [%q0];", VGPU_OP_LDG, M(WEAK, CTA, CG), "LDG.CG.32 ",
		  0 },
		{ "ld.global.cs.u32 %r1, [%q0];", VGPU_OP_LDG, M(WEAK, CTA, CS), "LDG.CS.32 ", 0 },
		{ "ld.global.lu.u32 %r1, [%q0];", VGPU_OP_LDG, M(WEAK, CTA, LU), "LDG.LU.32 ", 0 },
		{ "ld.cv.u32 %r1, [%q0];", VGPU_OP_LD, M(WEAK, CTA, CV), "LD.CV.32 ", 0 },
		{ "ld.global.nc.u32 %r1, [%q0];", VGPU_OP_LDG, M(NC, CTA, NONE), "LDG.NC.32 ", 0 },
		{ "ld.global.cs.nc.u32 %r1, [%q0];", VGPU_OP_LDG, M(NC, CTA, CS), "LDG.NC.CS.32 ",
		  0 },
		{ "ld.global.L1::evict_last.L2::128B.u32 %r1, [%q0];", VGPU_OP_LDG, 0, "LDG.32 ",
		  0 },
		{ "ld.volatile.global.u32 %r1, [%q0];", VGPU_OP_LDG, M(RELAXED, SYS, NONE),
		  "LDG.RELAXED.SYS.32 ", 0 },
		{ "ld.relaxed.cta.global.u32 %r1, [%q0];", VGPU_OP_LDG, M(RELAXED, CTA, NONE),
		  "LDG.RELAXED.CTA.32 ", 0 },
		{ "ld.relaxed.gpu.u32 %r1, [%q0];", VGPU_OP_LD, M(RELAXED, GPU, NONE),
		  "LD.RELAXED.GPU.32 ", 0 },
		{ "ld.acquire.gpu.global.u32 %r1, [%q0];", VGPU_OP_LDG, M(ACQUIRE, GPU, NONE),
		  "LDG.ACQUIRE.GPU.32 ", M(ACQUIRE, GPU, NONE) },
		{ "ld.acquire.sys.shared.u32 %r1, [s];", VGPU_OP_LDS, M(ACQUIRE, SYS, NONE),
		  "LDS.ACQUIRE.SYS.32 ", M(ACQUIRE, SYS, NONE) },
		{ "ld.volatile.shared.v2.u32 {%r1, %r2}, [s];", VGPU_OP_LDS, M(RELAXED, SYS, NONE),
		  "LDS.RELAXED.SYS.32x2 ", 0 },
		{ "st.global.u32 [%q0], %r0;", VGPU_OP_STG, 0, "STG.32 ", 0 },
		{ "st.global.wb.u32 [%q0], %r0;", VGPU_OP_STG, M(WEAK, CTA, WB), "STG.WB.32 ", 0 },
		{ "st.global.cg.u32 [%q0], %r0;", VGPU_OP_STG, M(WEAK, CTA, CG), "STG.CG.32 ", 0 },
		{ "st.global.cs.u32 [%q0], %r0;", VGPU_OP_STG, M(WEAK, CTA, CS), "STG.CS.32 ", 0 },
		{ "st.wt.u64 [%q0], %q0;", VGPU_OP_ST, M(WEAK, CTA, WT), "ST.WT.64 ", 0 },
		{ "st.volatile.global.u32 [%q0], %r0;", VGPU_OP_STG, M(RELAXED, SYS, NONE),
		  "STG.RELAXED.SYS.32 ", 0 },
		{ "st.relaxed.sys.global.u32 [%q0], %r0;", VGPU_OP_STG, M(RELAXED, SYS, NONE),
		  "STG.RELAXED.SYS.32 ", 0 },
		{ "st.release.gpu.global.u32 [%q0], %r0;", VGPU_OP_STG, M(RELEASE, GPU, NONE),
		  "STG.RELEASE.GPU.32 ", M(RELEASE, GPU, NONE) },
		{ "st.release.cta.shared.u32 [s], %r0;", VGPU_OP_STS, M(RELEASE, CTA, NONE),
		  "STS.RELEASE.CTA.32 ", M(RELEASE, CTA, NONE) },
		{ "atom.global.add.u32 %r1, [%q0], %r0;", VGPU_OP_ATOMG, M(RELAXED, GPU, NONE),
		  "ATOMG.RELAXED.GPU.ADD ", 0 },
		{ "atom.relaxed.sys.global.cas.b32 %r1, [%q0], %r0, 7;", VGPU_OP_ATOMG,
		  M(RELAXED, SYS, NONE), "ATOMG.RELAXED.SYS.CAS ", 0 },
		{ "atom.acquire.cta.shared.exch.b32 %r1, [s], %r0;", VGPU_OP_ATOMS,
		  M(ACQUIRE, CTA, NONE), "ATOMS.ACQUIRE.CTA.EXCH ", M(ACQUIRE, CTA, NONE) },
		{ "atom.release.exch.b64 %q1, [%q0], %q0; st.global.u64 [%q0+8], %q1;",
		  VGPU_OP_ATOMQ, M(RELEASE, GPU, NONE), "ATOMQ.RELEASE.GPU.EXCH ",
		  M(RELEASE, GPU, NONE) },
		{ "atom.acquire.global.add.u32 %r2, [%q0], %r0;", VGPU_OP_ATOMG,
		  M(ACQUIRE, GPU, NONE), "ATOMG.ACQUIRE.GPU.ADD [", M(ACQUIRE, GPU, NONE) },
		{ "red.cta.global.max.u32 [%q0], %r0;", VGPU_OP_ATOMG, M(RELAXED, CTA, NONE),
		  "ATOMG.RELAXED.CTA.MAX [", 0 },
		{ "red.release.gpu.global.or.b32 [%q0], %r0;", VGPU_OP_ATOMG,
		  M(RELEASE, GPU, NONE), "ATOMG.RELEASE.GPU.OR [", M(RELEASE, GPU, NONE) },
		{ "membar.cta;", VGPU_OP_MEMBAR, M(SC, CTA, NONE), "MEMBAR.SC.CTA", 0 },
		{ "membar.gl;", VGPU_OP_MEMBAR, M(SC, GPU, NONE), "MEMBAR.SC.GPU", 0 },
		{ "membar.sys;", VGPU_OP_MEMBAR, M(SC, SYS, NONE), "MEMBAR.SC.SYS", 0 },
		{ "fence.cta;", VGPU_OP_MEMBAR, M(ACQ_REL, CTA, NONE), "MEMBAR.ACQ_REL.CTA", 0 },
		{ "fence.acq_rel.gpu;", VGPU_OP_MEMBAR, M(ACQ_REL, GPU, NONE),
		  "MEMBAR.ACQ_REL.GPU", 0 },
		{ "fence.sc.sys;", VGPU_OP_MEMBAR, M(SC, SYS, NONE), "MEMBAR.SC.SYS", 0 },
		{ "fence.acquire.gpu;", VGPU_OP_MEMBAR, M(ACQUIRE, GPU, NONE),
		  "MEMBAR.ACQUIRE.GPU", 0 },
		{ "fence.release.cta;", VGPU_OP_MEMBAR, M(RELEASE, CTA, NONE),
		  "MEMBAR.RELEASE.CTA", 0 },
		/* the space that is found for a generic address may have no order or operator */
		{ "cvta.local.u64 %d, 16; st.volatile.u32 [%d], %r0; ld.volatile.u32 %r1, [%d];",
		  VGPU_OP_LDL, 0, "LDL.32 ", 0 },
		{ "mov.u64 %q1, s; cvta.shared.u64 %d, %q1; ld.cg.u32 %r1, [%d];", VGPU_OP_LDS, 0,
		  "LDS.32 ", 0 },
		{ "mov.u64 %q1, s; cvta.shared.u64 %d, %q1; ld.relaxed.cta.u32 %r1, [%d];",
		  VGPU_OP_LDS, M(RELAXED, CTA, NONE), "LDS.RELAXED.CTA.32 ", 0 },
		{ "ld.param.cg.u32 %r1, [p+4];", VGPU_OP_LDP, 0, "LDP.32 ", 0 },
		{ "ld.shared.ca.u32 %r1, [s];", VGPU_OP_LDS, 0, "LDS.32 ", 0 },
		{ "ld.local.lu.u32 %r1, [mine];", VGPU_OP_LDL, M(WEAK, CTA, LU), "LDL.LU.32 ", 0 },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct text ptx = { 0 };
		struct vgpu_program *program;
		const struct vgpu_insn *code;
		uint32_t count, found = 0, fences = 0;
		char text[128];

		text_add(&ptx, "%s%s%s", BEFORE, cases[n].ptx, BEHIND);
		program = ptx_compile(ptx.text, 0);
		code = code_of(program, &count);
		for (uint32_t i = 0; i < count; i++) {
			if (code[i].op == VGPU_OP_MEMBAR && cases[n].op != VGPU_OP_MEMBAR) {
				assert_int_equal(code[i].mem, cases[n].fence);
				fences++;
				continue;
			}
			vgpu_disassemble(&code[i], text, sizeof(text));
			if (code[i].op == cases[n].op && code[i].mem == cases[n].mem &&
			    !strncmp(text, cases[n].text, strlen(cases[n].text)))
				found++;
		}
		if (!found || fences != !!cases[n].fence) {
			for (uint32_t i = 0; i < count; i++) {
				vgpu_disassemble(&code[i], text, sizeof(text));
				print_error("%s\n", text);
			}
			fail_msg("`%s': no %s with %#x, or %u fences", cases[n].ptx, cases[n].text,
				 cases[n].mem, fences);
		}
		vgpu_program_free(program);
		text_free(&ptx);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *ptx, *why;
	} cases[] = {
		{ "ld.release.gpu.global.u32 %r1, [%q0];", "memory order .release" },
		{ "ld.acq_rel.gpu.global.u32 %r1, [%q0];", "memory order .acq_rel" },
		{ "ld.sc.gpu.global.u32 %r1, [%q0];", "memory order .sc" },
		{ "st.acquire.gpu.global.u32 [%q0], %r0;", "memory order .acquire" },
		{ "ld.relaxed.global.u32 %r1, [%q0];", "wants a scope" },
		{ "ld.acquire.global.u32 %r1, [%q0];", "wants a scope" },
		{ "st.release.global.u32 [%q0], %r0;", "wants a scope" },
		{ "ld.weak.gpu.global.u32 %r1, [%q0];", "scope .gpu without" },
		{ "ld.sys.global.u32 %r1, [%q0];", "scope .sys without" },
		{ "ld.volatile.gpu.global.u32 %r1, [%q0];", ".volatile has no scope" },
		{ "ld.relaxed.acquire.gpu.global.u32 %r1, [%q0];", ".relaxed and .acquire do not" },
		{ "ld.relaxed.gpu.sys.global.u32 %r1, [%q0];", ".gpu and .sys do not" },
		{ "ld.mmio.relaxed.sys.global.u32 %r1, [%q0];", "modifier .mmio" },
		{ "ld.relaxed.cluster.global.u32 %r1, [%q0];", "modifier .cluster" },
		{ "ld.global.wb.u32 %r1, [%q0];", "cache operator .wb" },
		{ "st.global.ca.u32 [%q0], %r0;", "cache operator .ca" },
		{ "st.global.lu.u32 [%q0], %r0;", "cache operator .lu" },
		{ "ld.global.ca.cg.u32 %r1, [%q0];", "cache operator .cg" },
		{ "ld.global.lu.nc.u32 %r1, [%q0];", "cache operator .lu" },
		{ "ld.relaxed.gpu.global.cg.u32 %r1, [%q0];", "weak accesses only" },
		{ "ld.volatile.global.cv.u32 %r1, [%q0];", "weak accesses only" },
		{ "ld.relaxed.gpu.global.nc.u32 %r1, [%q0];", "weak loads only" },
		{ "ld.nc.u32 %r1, [%q0];", ".nc is for global" },
		{ "ld.shared.nc.u32 %r1, [s];", ".nc is for global" },
		{ "st.global.nc.u32 [%q0], %r0;", ".nc is for loads" },
		{ "atom.volatile.global.add.u32 %r1, [%q0], 1;", "memory order .volatile" },
		{ "atom.weak.global.add.u32 %r1, [%q0], 1;", "memory order .weak" },
		{ "atom.sc.global.add.u32 %r1, [%q0], 1;", "memory order .sc" },
		{ "atom.global.cg.add.u32 %r1, [%q0], 1;", "modifier .cg" },
		{ "red.acquire.gpu.global.add.u32 [%q0], 1;", "memory order .acquire" },
		{ "red.acq_rel.gpu.global.add.u32 [%q0], 1;", "memory order .acq_rel" },
		{ "fence.relaxed.gpu;", "memory order .relaxed" },
		{ "fence.volatile.gpu;", "memory order .volatile" },
		{ "fence.acq_rel;", "a fence wants a scope" },
		{ "fence;", "a fence wants a scope" },
		{ "membar;", "one level" },
		{ "membar.L1;", "one level" },
		{ "membar.cta.sys;", "one level" },
		{ "membar.gpu;", "modifier .gpu" },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct text ptx = { 0 };

		text_add(&ptx, "%s%s%s", BEFORE, cases[n].ptx, BEHIND);
		ptx_refused(ptx.text, cases[n].why);
		text_free(&ptx);
	}
}

/* What no compiler writes is still readable. */
static void disassembly(void **state)
{
	static const struct {
		struct vgpu_insn insn;
		const char *text;
	} cases[] = {
		{ { .op = VGPU_OP_CALL, .guard = VGPU_PT }, "CALL" },
		{ { .op = VGPU_OP_CALLI, .guard = VGPU_PT }, "CALLI" },
		{ { .op = VGPU_OP_TXABORT, .guard = VGPU_PT }, "TXABORT" },
		{ { .op = 0xee }, "?238" },
		{ { .op = VGPU_OP_LDG, .mem = 0xff, .guard = VGPU_PT }, "LDG.?.SYS.WT.8 R0, [Q0]" },
		{ { .op = VGPU_OP_LDG, .mem = M(WEAK, CLUSTER, NONE), .guard = VGPU_PT },
		  "LDG.CLUSTER.8 R0, [Q0]" },
		{ { .op = VGPU_OP_MEMBAR, .guard = VGPU_PT }, "MEMBAR" },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		char text[128];

		vgpu_disassemble(&cases[n].insn, text, sizeof(text));
		assert_string_equal(text, cases[n].text);
	}
}

/* A program that uses all of it runs on the device, and the values are what they are without. */
static void runs(void **state)
{
	struct vgpuModule *module;
	uint32_t in[64], out[64];

	(void)state;
	ptx_begin();
	module = ptx_load(
		PTX_HEAD
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<9>;\n"
		".reg .b64 %q<9>;\n.shared .align 4 .b8 s[256];\nmov.u64 %q8, s;\n"
		"ld.param.u64 %q0, [in];\nld.param.u64 %q1, [out];\nmov.u32 %r0, %tid.x;\n"
		"mul.wide.u32 %q2, %r0, 4;\nadd.s64 %q0, %q0, %q2;\nadd.s64 %q1, %q1, %q2;\n"
		"add.s64 %q8, %q8, %q2;\n"
		"ld.global.nc.u32 %r1, [%q0];\nld.global.cs.u32 %r2, [%q0];\n"
		"ld.acquire.gpu.u32 %r3, [%q0];\nst.release.cta.shared.u32 [%q8], %r3;\n"
		"fence.sc.cta;\nld.volatile.shared.u32 %r4, [%q8];\n"
		"st.global.wt.u32 [%q1], 5;\natom.acq_rel.sys.global.add.u32 %r5, [%q1], %r4;\n"
		"red.release.gpu.global.add.u32 [%q1], %r2;\nmembar.sys;\n"
		"ld.relaxed.sys.global.u32 %r6, [%q1];\nadd.u32 %r6, %r6, %r1;\n"
		"add.u32 %r6, %r6, %r5;\nst.relaxed.gpu.global.u32 [%q1], %r6;\nret;\n}\n",
		0);
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i * 77;
	memset(out, 0xee, sizeof(out));
	ptx_launch(module, "k", 64, in, sizeof(in), out, sizeof(out));
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 10 + 3 * in[i]);
	ptx_end();
}

/* Any modifiers at all: refused, or a program that the device takes; some of either. */
static void random_modifiers(void **state)
{
	static const char *const names[] = { "ld", "st", "atom", "red", "fence", "membar" };
	static const char *const words[] = {
		".weak",    ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc",
		".cta",	    ".gpu",	 ".sys",     ".gl",	 ".ca",	     ".cg",	 ".cs",
		".lu",	    ".cv",	 ".wb",	     ".wt",	 ".nc",	     ".global",	 ".shared",
		".local",   ".param",	 ".const",   ".L1::evict_first",     ".add",	 ".cas",
	};
	unsigned int taken = 0, tries = 6000;
	uint64_t seed = 11;

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < tries; i++) {
		unsigned int op = (unsigned int)(ptx_random(&seed) % 6),
			     count = (unsigned int)(ptx_random(&seed) % 4);
		struct text line = { 0 }, ptx = { 0 };
		struct vgpu_program *program;
		struct vgpuModule *module;
		char *message;

		text_add(&line, "%s", names[op]);
		while (count--)
			text_add(&line, "%s",
				 words[ptx_random(&seed) % (sizeof(words) / sizeof(*words))]);
		if (op == 2 || op == 3)
			text_add(&line, "%s", ptx_random(&seed) & 3 ? ".add" : "");
		text_add(&line, "%s",
			 op == 0 ? ".u32 %r1, [%q0];" :
			 op == 1 ? ".u32 [%q0], %r0;" :
			 op == 2 ? ".u32 %r1, [%q0], %r0;" :
			 op == 3 ? ".u32 [%q0], %r0;" :
				   ";");
		text_add(&ptx, "%s%s%s", BEFORE, line.text, BEHIND);
		if (!vgpu_compile_ptx(ptx.text, ptx.len, NULL, &program, &message)) {
			vgpu_program_free(program);
			module = ptx_load(ptx.text, 0);
			assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
			taken++;
		} else {
			assert_non_null(message);
		}
		free(message);
		text_free(&line);
		text_free(&ptx);
	}
	ptx_end();
	assert_in_range(taken, tries / 20, tries - tries / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits),
		cmocka_unit_test(refusals),
		cmocka_unit_test(disassembly),
		cmocka_unit_test(random_modifiers),
		cmocka_unit_test(runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
