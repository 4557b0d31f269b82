// SPDX-License-Identifier: MIT
/*
 * What the compiler refuses, and that it says why; and thousands of damaged programs, of which none
 * may harm it: each is refused or becomes a binary that the device's verifier accepts.
 */
#include <errno.h>

#include "ptx_run.h"
#include "vgpu_runtime.h"

#define KERNEL(body)	PTX_HEAD \
	".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" \
			".reg .f32 %f<9>;\n.reg .pred %p<9>;\n.reg .f16 %h<3>;\n" body "\nret;\n}\n"

static void refusals(void **state)
{
	(void)state;
	ptx_refused("hello", "syntax error");
	ptx_refused(PTX_HEAD ".address_size 32", "only 64");
	ptx_refused(KERNEL("frobnicate.u32 %r1, %r2;"), "ptx line 11: `frobnicate'");
	ptx_refused(KERNEL("add.u32 %r1, %r2, %nosuch;"), "`%nosuch'");
	ptx_refused(KERNEL("add.u32 %r1, %r2, %rd3;"), "register `%rd3' is .b64");
	ptx_refused(KERNEL("add.u32 %r1, %r2;"), "2 operands where 3");
	ptx_refused(KERNEL("add.rn.u32 %r1, %r2, %r3;"), "rounding");
	ptx_refused(KERNEL("div.f16 %h0, %h1, %h2;"), "type .f16");
	ptx_refused(KERNEL("add.lo.u32 %r1, %r2, %r3;"), "modifier .lo");
	ptx_refused(KERNEL("bra nowhere;"), "`nowhere' is not declared");
	ptx_refused(KERNEL("here: here: bra here;"), "declared twice");
	ptx_refused(KERNEL("elect.sync %r1, %r2;"), "elect");
	ptx_refused(KERNEL("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
			   "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}, %r5;"),
		    "5 operands where 4");
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex, {%f1,%f2}];"), "`tex'");
	ptx_refused(KERNEL("bar.sync %r1;"), "must be a constant");
	ptx_refused(KERNEL("bar.sync 0, 33;"), "multiple of 32");
	ptx_refused(KERNEL("bar.arrive 0, 64;"), "without waiting");
	ptx_refused(KERNEL("atom.global.max.f32 %f1, [%rd1], %f2;"), "floats can only be added");
	ptx_refused(KERNEL("ld.local.u32 %r1, [4294967296];"), "offset 4294967296");
	ptx_refused(KERNEL("ld.param.u32 %r1, [7378697629483820647];"), "more than 32 bits");
	ptx_refused(KERNEL("atom.shared.add.u32 %r1, [%r2+4294967296], 1;"), "more than 32 bits");
	ptx_refused(KERNEL("ld.shared.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd5];"),
		    "more than 16 bytes");
	ptx_refused(KERNEL("st.param.u32 [p], %r1;"), "cannot be written");
	ptx_refused(KERNEL("ld.param.u64 %rd1, [p+8];"), "outside the 8 bytes");
	ptx_refused(KERNEL("ld.global.u32 %r1, [%r2];"), "too narrow");
	ptx_refused(
		PTX_HEAD
		".extern .global .u32 away;\n.entry k() { .reg .b32 %r; ld.global.u32 %r, [away]; "
		"ret; }",
		"unresolved external variable `away'");
	ptx_refused(PTX_HEAD ".global .u32 x = {1, 2};", "2 values for 1");
	ptx_refused(PTX_HEAD
		    ".entry k() { .local .b8 big[600000]; .reg .b64 %r; mov.u64 %r, big; ret; }",
		    "local memory");
	ptx_refused(PTX_HEAD ".entry k(.param .b8 p[32765]) { ret; }", "32764");
}

static void refused_calls(void **state)
{
	(void)state;
	ptx_refused(PTX_HEAD ".extern .func away();\n.entry k() { call away; ret; }",
		    "unresolved external function `away'");
	ptx_refused(PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
			     ".entry k() { .param .b64 x; .param .b32 z; call (z), vprintf, (x); "
			     "ret; }",
		    "other parameters");
	ptx_refused(PTX_HEAD ".func f(.param .b32 a) { ret; }\n.entry k() { call f; ret; }",
		    "1 parameters");
	ptx_refused(KERNEL("call (%r1), 5, (%r2);"), "name or address");
}

/* ---- results ------------------------------------------------------------ */

static void reported_resources(void **state)
{
	struct vgpu_program *program = ptx_compile(
		PTX_HEAD
		".const .u32 data[4] = {1, 2};\n.visible .global .align 8 .u64 there = "
		"generic(data)+8;\n"
		".entry k(.param .u8 a, .param .u64 b, .param .align 8 .b8 c[12]) .maxntid 64, 2, "
		"1\n"
		"{ .shared .b8 s[100]; .reg .b32 %r<3>; .reg .b64 %d<2>; mov.u32 %r1, %tid.x; "
		"st.shared.u32 [s], %r1;\n"
		"ld.param.u64 %d0, [b]; mov.u64 %d1, data; st.global.u32 [%d1], %r1; ret; }\n",
		0);
	const struct vgpu_program_kernel *k = program->kernels;

	(void)state;
	assert_int_equal(program->kernel_count, 1);
	assert_string_equal(k->name, "k");
	assert_int_equal(k->vass.regs, 1);
	assert_int_equal(k->max_live, 1);
	assert_int_equal(k->spilled_bytes, 0);
	assert_int_equal(k->vass.shared_bytes, 100);
	assert_int_equal(k->vass.max_threads, 128);
	assert_int_equal(k->vass.param_bytes, 28);
	assert_int_equal(k->param_count, 3);
	assert_int_equal(k->params[1].offset, 8);
	assert_int_equal(k->params[2].size, 12);
	assert_int_equal(program->symbol_count, 2);
	assert_int_equal(program->reloc_count, 2);	/* the word of `there', the store */
	vgpu_program_link(program, 0x100000);
	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (!strcmp(program->symbols[i].name, "there")) {
			uint64_t word, data = program->symbols[1 - i].offset;

			memcpy(&word, program->data + program->symbols[i].offset, 8);
			assert_int_equal(word, 0x100000 + data + 8);
		}
	vgpu_program_free(program);
}

/* Variables whose address is known: not in the data segment, wherever they are defined. */
static void placed_variables(void **state)
{
	static const char ptx[] = PTX_HEAD
		".visible .global .u32 here = 5;\n.extern .global .u32 far[];\n.global .u32 own;\n"
		".global .align 8 .u64 p[2] = { generic(here), generic(far)+12 };\n"
		".entry k() { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.global.u32 %r0, [far+4];\n"
		"mov.u64 %d0, here; st.global.u32 [%d0+8], %r0; st.global.u32 [own], %r0; ret; }\n";
	static const struct vgpu_placed_symbol placed[] = {
		{ "far", 0x7f0000002000 }, { "nowhere", 1 }, { "here", 0x7f0000001000 }
	};
	struct vgpu_compile_options options = { .placed = placed, .placed_count = 3 };
	const struct vgpu_insn *code;
	struct vgpu_program *program;
	uint64_t words[2];
	char *message;
	int found = 0;

	(void)state;
	assert_int_equal(vgpu_compile_ptx(ptx, sizeof(ptx) - 1, NULL, &program, &message), -EINVAL);
	assert_non_null(strstr(message, "unresolved external variable `far'"));
	free(message);
	assert_int_equal(vgpu_compile_ptx(ptx, sizeof(ptx) - 1, &options, &program, &message), 0);
	assert_int_equal(program->symbol_count, 2);
	assert_int_equal(program->reloc_count, 1);	/* the store to `own' */
	vgpu_program_link(program, 0x100000);
	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (!strcmp(program->symbols[i].name, "p")) {
			memcpy(words, program->data + program->symbols[i].offset, 16);
			assert_int_equal(words[0], 0x7f0000001000);
			assert_int_equal(words[1], 0x7f000000200c);
		}
	code = vgpu_program_code(program, 0);
	for (uint32_t i = 0; i < program->binaries[0].insn_count; i++)
		found += code[i].imm == 0x7f0000001008 || code[i].imm == 0x7f0000002004;
	assert_int_equal(found, 2);
	vgpu_program_free(program);
}

/* ---- damage ------------------------------------------------------------- */

static const char sample[] = PTX_HEAD
	".visible .const .align 4 .f32 tab[4] = {0f3f800000, 0f40000000, 3.0, 4.0};\n"
	".visible .global .align 8 .u64 ptr[2] = {generic(tab)+4, 7};\n"
	".extern .shared .align 16 .b8 dyn[];\n"
	".func (.param .b32 r) add3(.param .b32 a, .param .align 4 .b8 s[8])\n"
	"{\n.reg .b32 %r<5>;\n.reg .pred %p;\nld.param.b32 %r1, [a];\nld.param.v2.b32 {%r2, %r3}, "
	"[s];\n"
	"setp.gt.s32 %p, %r1, 0;\n@%p bra $L1;\nneg.s32 %r1, %r1;\n$L1:\nmad.lo.s32 %r4, %r1, "
	"%r2, %r3;\n"
	"st.param.b32 [r+0], %r4;\nret;\n}\n"
	".visible .entry k(\n.param .u64 k_p0,\n.param .u32 k_p1\n)\n.maxntid 128, 1, 1\n{\n"
	".local .align 8 .b8 depot[32];\n.reg .b64 %SP;\n.reg .b64 %SPL;\n.reg .pred %p<6>;\n.reg "
	".b16 %rs<4>;\n"
	".reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<12>;\n.reg .f64 %fd<4>;\n.shared "
	".align 4 .b8 sm[512];\n"
	"mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\nld.param.u64 %rd1, "
	"[k_p0];\nld.param.u32 %r1, [k_p1];\n"
	"cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmad.lo.s32 "
	"%r4, %r3, 128, %r2;\n"
	"setp.ge.s32 %p1, %r4, %r1;\n@%p1 bra $DONE;\nmul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, "
	"%rd2, %rd3;\n"
	"ld.global.f32 %f1, [%rd4];\nst.u32 [%SP+4], %r4;\nmov.u32 %r5, 0;\nmov.f32 %f3, "
	"0f00000000;\n$LOOP:\n"
	"and.b32 %r6, %r5, 3;\nmul.wide.u32 %rd5, %r6, 4;\nmov.u64 %rd6, tab;\nadd.s64 %rd7, "
	"%rd6, %rd5;\n"
	"ld.const.f32 %f2, [%rd7];\nfma.rn.ftz.f32 %f3, %f1, %f2, %f3;\nadd.s32 %r5, %r5, 1;\n"
	"setp.lt.u32 %p2, %r5, 10;\n@%p2 bra $LOOP;\n"
	"{ // call\n.param .b32 a0;\n.param .align 4 .b8 a1[8];\n.param .b32 r0;\nst.param.b32 "
	"[a0+0], %r5;\n"
	"st.param.v2.b32 [a1+0], {%r4, %r1};\ncall.uni (r0), add3, (a0, a1);\nld.param.b32 %r7, "
	"[r0+0];\n}\n"
	"shl.b32 %r8, %r2, 2;\nmov.u32 %r9, sm;\nadd.s32 %r10, %r9, %r8;\nst.shared.u32 [%r10], "
	"%r7;\nbar.sync 0;\n"
	"ld.shared.v2.u32 {%r11, %r12}, [sm+8];\nshfl.sync.bfly.b32 %r13|%p3, %r11, 16, 31, -1;\n"
	"vote.sync.ballot.b32 %r14, %p3, -1;\ncvt.u16.u32 %rs1, %r14;\nshr.s16 %rs2, %rs1, "
	"3;\nsetp.eq.b16 %p4, %rs2, 0;\n"
	"selp.b32 %r15, %r12, 5, %p4;\ncvt.rn.f64.s32 %fd1, %r15;\nsqrt.rn.f64 %fd2, "
	"%fd1;\ncvt.rzi.s64.f64 %rd8, %fd2;\n"
	"atom.global.add.u64 %rd9, [ptr+8], %rd8;\n@!%p4 st.shared.v4.f32 [dyn+16], {%f1, %f2, "
	"%f3, %f3};\n"
	"ld.acquire.gpu.global.u32 %r17, [ptr+8];\nst.release.cta.shared.u32 [%r10], %r17;\n"
	"ld.global.cg.u32 %r18, [%rd4];\nfence.sc.sys;\nred.relaxed.gpu.global.or.b32 [ptr+8], "
	"%r18;\n"
	"div.u32 %r16, %r15, %r4;\nst.global.f32 [%rd4], %f3;\nst.global.u32 [%rd4+4], "
	"%r16;\n$DONE:\nret;\n}\n";

static void damage(char *text, size_t *len, uint64_t *seed)
{
	size_t at = ptx_random(seed) % *len, other = ptx_random(seed) % *len, n,
	       room = sizeof(sample) * 2;

	switch (ptx_random(seed) % 7) {
	case 0:		/* a bit */
		text[at] ^= (char)(1 << ptx_random(seed) % 8);
		break;
	case 1:		/* the end */
		*len = at + 1;
		break;
	case 2:		/* some bytes go */
		n = ptx_random(seed) % 12;
		n = n > *len - at ? *len - at : n;
		memmove(text + at, text + at + n, *len - at - n);
		*len -= n;
		break;
	case 3:		/* some bytes come twice */
		n = ptx_random(seed) % 40;
		if (other + n > *len || *len + n > room)
			break;
		memmove(text + at + n, text + at, *len - at);
		memmove(text + at, text + (other + n > at ? 0 : other), n);
		*len += n;
		break;
	case 4:		/* a digit */
		while (at < *len && (text[at] < '0' || text[at] > '9'))
			at++;
		if (at < *len)
			text[at] = (char)('0' + ptx_random(seed) % 10);
		break;
	/* two words of one kind change places: registers, labels, types stay what they are */
	case 5:
		while (at < *len && text[at] != '%')
			at++;
		while (other < *len && text[other] != '%')
			other++;
		for (n = 0; n < 3 && at + n < *len && other + n < *len; n++) {
			char swap = text[at + n];

			text[at + n] = text[other + n];
			text[other + n] = swap;
		}
		break;
	default:	/* a line moves */
		while (at < *len && text[at] != '\n')
			at++;
		for (n = 1; at + n < *len && text[at + n] != '\n'; n++)
			;
		if (at + n < *len && other + n < at) {
			char line[256];

			n = n < sizeof(line) ? n : sizeof(line);
			memcpy(line, text + at, n);
			memmove(text + other + n, text + other, at - other);
			memcpy(text + other, line, n);
		}
		break;
	}
	if (!*len)
		*len = 1;
}

static void damaged_programs(void **state)
{
	const char *count = getenv("VGPU_TEST_COUNT");
	unsigned int tries = count ? (unsigned int)strtoul(count, NULL, 0) : 6000, taken = 0;
	uint64_t seed = 7;

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < tries; i++) {
		char *text = calloc(1, sizeof(sample) * 2 + 64), *exact, *message;
		struct vgpu_compile_options options = { .max_regs = i % 3 ? 0 : 16 };
		size_t len = sizeof(sample) - 1;
		struct vgpu_program *program;
		struct vgpuModule *module;
		unsigned int times = 1 + (unsigned int)(ptx_random(&seed) % 3);

		assert_non_null(text);
		memcpy(text, sample, sizeof(sample));
		while (times--)
			damage(text, &len, &seed);
		exact = malloc(len);	/* so that ASan sees a read behind the end */
		assert_non_null(exact);
		memcpy(exact, text, len);
		if (!vgpu_compile_ptx(exact, len, &options, &program, &message)) {
			vgpu_program_free(program);
			text[len] = 0;
			if (strlen(text) == len && taken++ % 4 == 0) {
				module = ptx_load(text, options.max_regs);
				assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
			}
		} else {
			assert_non_null(message);
			assert_null(program);
		}
		free(message);
		free(exact);
		free(text);
	}
	ptx_end();
	/* else the damage is too crude to test more than the parser */
	assert_true(taken > tries / 20);
}

static void undamaged_program(void **state)
{
	(void)state;
	vgpu_program_free(ptx_compile(sample, 0));
	vgpu_program_free(ptx_compile(sample, 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),	      cmocka_unit_test(refused_calls),
		cmocka_unit_test(reported_resources), cmocka_unit_test(placed_variables),
		cmocka_unit_test(undamaged_program),
		cmocka_unit_test(damaged_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
