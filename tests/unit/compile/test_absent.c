// SPDX-License-Identifier: MIT
/*
 * What PTX 8 has for sm_90 and this device has not, instruction by instruction and register by
 * register: each is refused when the module is loaded, by its name and with what it belongs to. And
 * a load whose result nobody reads: one with an order, or volatile, is made, and faults.
 */
#include "ptx_run.h"
#include "vgpu_runtime.h"

#define SM90	".version 8.3\n.target sm_90a\n.address_size 64\n"
#define REGISTERS										\
	"{\n.reg .b16 %%h<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%q<9>;\n.reg .f32 %%f<9>;\n"	\
	".reg .pred %%p<9>;\n.shared .align 128 .b8 s[256];\n"

#define CLUSTERS "clusters of blocks, which are not there: they are of sm_90"
#define BULK	 "bulk and tensor copies, which are not there: they are of sm_90"
#define STORES	 "asynchronous stores to clusters, which are not there: they are of sm_90"
#define PRODUCTS "products by groups of four warps, which are not there: they are of sm_90a"
#define MULTIMEM "memory of several devices at once, which is not there: it is of sm_90"
#define PAIRS	 "pairs of 16-bit integers, which are not there: they are of sm_90"
#define PROXIES	 "proxies of memory"

/* The line's word that the message has, and why */
static const struct {
	const char *line, *name, *why;
} instructions[] = {
	{ "barrier.cluster.arrive;", "barrier.cluster.arrive", CLUSTERS },
	{ "barrier.cluster.arrive.release.aligned;", ".cluster", CLUSTERS },
	{ "barrier.cluster.arrive.relaxed;", ".cluster", CLUSTERS },
	{ "barrier.cluster.wait;", "barrier.cluster.wait", CLUSTERS },
	{ "barrier.cluster.wait.acquire.aligned;", ".cluster", CLUSTERS },
	{ "mapa.u64 %q1, %q2, %r1;", "mapa.u64", CLUSTERS },
	{ "mapa.shared::cluster.u32 %r2, s, %r1;", "mapa", CLUSTERS },
	{ "getctarank.u32 %r1, %q1;", "getctarank", CLUSTERS },
	{ "getctarank.shared::cluster.u32 %r1, %r2;", "getctarank", CLUSTERS },
	{ "ld.shared::cluster.u32 %r1, [%r2];", ".shared::cluster", CLUSTERS },
	{ "st.shared::cluster.u32 [%r2], %r1;", ".shared::cluster", CLUSTERS },
	{ "atom.shared::cluster.add.u32 %r1, [%r2], 1;", ".shared::cluster", CLUSTERS },
	{ "red.shared::cluster.add.u32 [%r2], 1;", ".shared::cluster", CLUSTERS },
	{ "cvta.shared::cluster.u64 %q1, %q2;", ".shared::cluster", CLUSTERS },
	{ "cvta.to.shared::cluster.u64 %q1, %q2;", ".shared::cluster", CLUSTERS },
	{ "isspacep.shared::cluster %p1, %q1;", ".shared::cluster", CLUSTERS },
	{ "ld.relaxed.cluster.global.u32 %r1, [%q1];", ".cluster", CLUSTERS },
	{ "ld.acquire.cluster.u32 %r1, [%q1];", ".cluster", CLUSTERS },
	{ "st.release.cluster.global.u32 [%q1], %r1;", ".cluster", CLUSTERS },
	{ "atom.acq_rel.cluster.global.add.u32 %r1, [%q1], 1;", ".cluster", CLUSTERS },
	{ "red.relaxed.cluster.global.add.u32 [%q1], 1;", ".cluster", CLUSTERS },
	{ "fence.acq_rel.cluster;", ".cluster", CLUSTERS },
	{ "fence.sc.cluster;", ".cluster", CLUSTERS },
	{ "fence.mbarrier_init.release.cluster;", ".mbarrier_init", CLUSTERS },
	{ "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];", ".cluster", CLUSTERS },
	{ "mbarrier.arrive.shared::cluster.b64 _, [%r1];", ".shared::cluster", CLUSTERS },
	{ "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r1], 16;", ".shared::cluster",
	  CLUSTERS },
	{ "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;", ".cluster",
	  CLUSTERS },
	{ "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;", ".cluster",
	  CLUSTERS },
	{ "mbarrier.test_wait.acquire.cluster.shared::cta.b64 %p1, [%r1], %q1;", ".cluster",
	  CLUSTERS },
	{ "mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, [%r1], 0;", ".cluster",
	  CLUSTERS },
	{ "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
	  ".mbarrier::complete_tx::bytes", STORES },
	{ "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
	  "[%r1], %r2, [%r3];", ".mbarrier::complete_tx::bytes", STORES },
	{ "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%q1], %r2, "
	  "[%r3];", ".bulk", BULK },
	{ "cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r2], %r3;", ".bulk", BULK },
	{ "cp.async.bulk.commit_group;", ".bulk", BULK },
	{ "cp.async.bulk.wait_group.read 0;", ".bulk", BULK },
	{ "cp.async.bulk.prefetch.L2.global [%q1], %r1;", ".bulk", BULK },
	{ "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%q1, {%r1}];", ".bulk", BULK },
	{ "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q1, {%r1, %r2}], [%r3];",
	  ".bulk", BULK },
	{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%q1], [%r1], %r2;",
	  ".reduce", BULK },
	{ "tensormap.replace.tile.global_address.global.b1024.b64 [%q1], %q2;", ".replace", BULK },
	{ "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
	  "[%q1], [%r1], 128;", ".cp_fenceproxy", BULK },
	{ "prefetch.tensormap [%q1];", ".tensormap", BULK },
	{ "fence.proxy.async;", ".proxy", PROXIES },
	{ "fence.proxy.async.shared::cta;", ".proxy", PROXIES },
	{ "fence.proxy.tensormap::generic.acquire.gpu [%q1], 128;", ".proxy", PROXIES },
	{ "wgmma.fence.sync.aligned;", ".fence", PRODUCTS },
	{ "wgmma.commit_group.sync.aligned;", "wgmma.commit_group", PRODUCTS },
	{ "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group", PRODUCTS },
	{ "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %q1, %q2, 1, 1, "
	  "1, 0, 0;", ".mma_async", PRODUCTS },
	{ "setmaxnreg.inc.sync.aligned.u32 64;", "setmaxnreg.inc", "of sm_90a" },
	{ "setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.dec", "of sm_90a" },
	{ "multimem.ld_reduce.global.add.u32 %r1, [%q1];", ".ld_reduce", MULTIMEM },
	{ "multimem.st.global.u32 [%q1], %r1;", ".st", MULTIMEM },
	{ "multimem.red.global.add.u32 [%q1], %r1;", "multimem.red", MULTIMEM },
	{ "add.u16x2 %r1, %r2, %r3;", ".u16x2", PAIRS },
	{ "max.s16x2 %r1, %r2, %r3;", ".s16x2", PAIRS },
	{ "min.relu.s16x2 %r1, %r2, %r3;", ".s16x2", PAIRS },
	{ "min.relu.s32 %r1, %r2, %r3;", "min.relu.s32", ".relu" },
	{ "atom.global.add.v2.f32 {%f1,%f2}, [%q1], {%f3,%f4};", "atom.global", ".v2" },
	{ "red.global.add.v4.f32 [%q1], {%f1,%f2,%f3,%f4};", "red.global", ".v4" },
	{ "atom.global.min.noftz.f16x2 %r1, [%q1], %r2;", "atom.global.min", "of halves" },
	{ "cvt.rni.bf16.bf16 %h1, %h2;", "cvt.rni.bf16.bf16", "of .bf16 there are" },
	{ "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;", ".alloc",
	  "no such" },
};

static const struct {
	const char *name, *why;
} registers[] = {
	{ "%clusterid.x", CLUSTERS },	   { "%clusterid.z", CLUSTERS },
	{ "%nclusterid.y", CLUSTERS },	   { "%cluster_ctaid.x", CLUSTERS },
	{ "%cluster_nctaid.x", CLUSTERS }, { "%cluster_ctarank", CLUSTERS },
	{ "%cluster_nctarank", CLUSTERS }, { "%aggr_smem_size", "of sm_90" },
	{ "%current_graph_exec", "graphs" },
};

static const char *const directives[] = {
	".reqnctapercluster 2", ".reqnctapercluster 2, 1, 1", ".explicitcluster",
	".explicitcluster .reqnctapercluster 4", ".maxclusterrank 8",
	".maxntid 64 .reqnctapercluster 1",
};

static void refused(const char *directive, const char *body, const char *name, const char *why)
{
	struct text t = { 0 };

	text_add(&t, SM90 ".visible .entry k(.param .u64 p) %s\n" REGISTERS "%s\nret;\n}\n",
		 directive, body);
	ptx_refused(t.text, "ptx line ");
	ptx_refused(t.text, name);
	ptx_refused(t.text, why);
	text_free(&t);
}

static void of_sm_90(void **state)
{
	char line[96];

	(void)state;
	for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++)
		refused("", instructions[i].line, instructions[i].name, instructions[i].why);
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		snprintf(line, sizeof(line), "mov.u32 %%r1, %s; st.global.u32 [%%q1], %%r1;",
			 registers[i].name);
		refused("", line, registers[i].name, registers[i].why);
	}
	refused("", "mov.pred %p1, %is_explicit_cluster;", "%is_explicit_cluster", CLUSTERS);
	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		refused(directives[i], "", "cluster", CLUSTERS);
}

/* What sm_90 has and is there, beside the above: it must not be refused with it. */
static void there(void **state)
{
	static const char *const lines[] = {
		"griddepcontrol.wait;", "elect.sync %r1|%p1, 0xffffffff;",
		"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};",
		"mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], 0;",
		"ld.acquire.gpu.global.u32 %r1, [%q1];", "barrier.cta.sync 0;",
		"isspacep.shared::cta %p1, %q1;",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text),
			 SM90 ".visible .entry k(.param .u64 p)\n" REGISTERS "%s\nret;\n}\n",
			 lines[i]);
		vgpu_program_free(ptx_compile(text, 0));
	}
}

/* How a kernel ends that only has this line, whose address is none, and reads no result of it. */
static void unread(void **state)
{
	static const struct {
		const char *line;
		bool made;
	} cases[] = {
		{ "ld.volatile.global.u32 %r1, [%q1];", true },
		{ "ld.volatile.u64 %q2, [%q1];", true },
		{ "ld.volatile.global.v2.u32 {%r1, %r2}, [%q1];", true },
		{ "ld.volatile.global.v4.f32 {%f1, %f2, %f3, %f4}, [%q1];", true },
		{ "ld.volatile.global.s8 %r1, [%q1];", true },
		{ "ld.relaxed.gpu.global.u32 %r1, [%q1];", true },
		{ "ld.relaxed.cta.u16 %h1, [%q1];", true },
		{ "ld.acquire.sys.global.u32 %r1, [%q1];", true },
		{ "ld.volatile.global.u32 %r1, [%q1]; shr.u32 %r2, %r1, 31; and.b32 %r2, %r2, 0;",
		  true },
		{ "atom.global.add.u32 %r1, [%q1], 1;", true },
		{ "atom.global.add.u32 %r1, [%q1], 0;", true },
		{ "atom.global.add.u32 _, [%q1], 1;", true },
		{ "atom.global.exch.b32 %r1, [%q1], 1;", true },
		{ "atom.relaxed.sys.global.cas.b32 %r1, [%q1], 1, 1;", true },
		{ "atom.global.cas.b64 %q2, [%q1], 1, 1;", true },
		{ "atom.global.or.b32 %r1, [%q1], 0;", true },
		{ "atom.global.cas.b16 %h1, [%q1], 1, 1;", true },
		{ "red.global.add.f32 [%q1], 0f00000000;", true },
		/* weak, as of asm volatile("ld.global..."): PTX does not say that it was */
		{ "ld.global.u32 %r1, [%q1];", false },
		{ "ld.weak.global.u32 %r1, [%q1];", false },
		{ "ld.global.nc.u32 %r1, [%q1];", false },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct vgpuModule *module;
		vgpuError_t expected = cases[i].made ? vgpuErrorIllegalAddress : vgpuSuccess;

		ptx_begin();
		/* the kernel's parameters are null */
		snprintf(text, sizeof(text),
			 PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n" REGISTERS
				  "ld.param.u64 %%q1, [in];\n%s\nret;\n}\n",
			 cases[i].line);
		module = ptx_load(text, 0);
		if (ptx_outcome(module, "k", 1) != expected)
			fail_msg("%s: %s expected", cases[i].line, vgpuGetErrorName(expected));
		ptx_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_sm_90),
		cmocka_unit_test(there),
		cmocka_unit_test(unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
