// SPDX-License-Identifier: MIT
/*
 * Calls that are not inlined: by address, as tables of functions and virtual functions make them,
 * and recursive ones. Lanes of a warp call different functions and go to different depths; each
 * gets its own result, and all are together again behind the call.
 */
#include "ptx_run.h"
#include "vgpu_runtime.h"

#define THREADS 96

#define OPEN                                                                              \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out) {\n"                      \
	".reg .b64 %in, %out, %f, %d<8>;\n.reg .b32 %t, %n, %r<12>;\n.reg .pred %p<4>;\n" \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"   \
	"mul.wide.u32 %d0, %t, 4;\nadd.u64 %in, %in, %d0;\nadd.u64 %out, %out, %d0;\n"    \
	"ld.global.u32 %n, [%in];\n"
#define CLOSE "st.global.u32 [%out], %r0;\nret;\n}\n"
/* %r0 = (%f)(%n) */
#define CALL                                                         \
	"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %n;\n"    \
	"proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n" \
	"call (r), %f, (a), proto;\nld.param.b32 %r0, [r]; }\n"

#define ONE_WORD(name, body)                                                  \
	".func (.param .b32 r) " name "(.param .b32 a) {\n.reg .b32 %x<4>;\n" \
	"ld.param.b32 %x0, [a];\n" body "st.param.b32 [r], %x0;\nret;\n}\n"

#define THREE                                          \
	ONE_WORD("plus", "add.u32 %x0, %x0, 7;\n")     \
	ONE_WORD("times", "mul.lo.u32 %x0, %x0, 3;\n") \
	ONE_WORD("flip", "xor.b32 %x0, %x0, 0xff;\n")

static uint32_t three(uint32_t which, uint32_t n)
{
	return which == 0 ? n + 7 : which == 1 ? n * 3 : n ^ 0xff;
}

static void run(const char *ptx, uint32_t max_regs, const uint32_t *in, uint32_t *out)
{
	struct vgpuModule *module;

	ptx_begin();
	module = ptx_load(ptx, max_regs);
	memset(out, 0xee, THREADS * sizeof(*out));
	ptx_launch(module, "k", THREADS, in, THREADS * sizeof(*in), out, THREADS * sizeof(*out));
	ptx_end();
}

static void count_up(uint32_t in[THREADS])
{
	for (uint32_t i = 0; i < THREADS; i++)
		in[i] = i;
}

/* Lanes take functions 0, 1, 2, 0 … of a table, and meet behind the call. */
static void lanes_call_different_functions(void **state)
{
	static const uint32_t registers[] = {0, 64, 32, 16};
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	count_up(in);
	for (unsigned int i = 0; i < 4; i++) {
		run(PTX_HEAD THREE
		    ".global .align 8 .u64 table[3] = {plus, times, flip};\n" OPEN
		    "rem.u32 %r1, %t, 3;\nmul.wide.u32 %d1, %r1, 8;\nmov.u64 %d2, table;\n"
		    "add.u64 %d2, %d2, %d1;\nld.global.u64 %f, [%d2];\n" CALL
		    "activemask.b32 %r2;\nsetp.ne.u32 %p0, %r2, 0xffffffff;\n@%p0 mov.u32 %r0, 0;\n"
		    "bar.sync 0;\n" CLOSE,
		    registers[i], in, out);
		for (uint32_t t = 0; t < THREADS; t++)
			assert_int_equal(out[t], three(t % 3, t));
	}
}

/* Two calls one after the other, under a branch that only some lanes take, addresses by mov. */
static void calls_under_branches(void **state)
{
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	count_up(in);
	run(PTX_HEAD THREE OPEN
	    "mov.u32 %r5, 1000;\nmov.u64 %f, plus;\nmov.u64 %d1, flip;\nand.b32 %r1, %t, 1;\n"
	    "setp.eq.u32 %p0, %r1, 1;\n@%p0 mov.u64 %f, %d1;\nmov.u32 %r0, %n;\n"
	    "setp.gt.u32 %p1, %t, 40;\n@%p1 bra skip;\n" CALL "mov.u32 %n, %r0;\n"
	    "skip:\nmov.u64 %f, times;\n@!%p0 "
	    "bra last;\n" CALL "last:\nactivemask.b32 %r2;\nadd.u32 %r0, %r0, %r5;\n"
	    "setp.ne.u32 %p2, %r2, 0xffffffff;\n@%p2 mov.u32 %r0, 0;\n" CLOSE,
	    0, in, out);
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t n = t > 40 ? t : three(t % 2 ? 2 : 0, t);

		assert_int_equal(out[t], (t % 2 ? n * 3 : n) + 1000);
	}
}

#define FIB                                                                                   \
	".func (.param .b32 r) fib(.param .b32 a) {\n.reg .b32 %x<6>;\n.reg .pred %p;\n"      \
	"ld.param.b32 %x0, [a];\nsetp.lt.u32 %p, %x0, 2;\nmov.u32 %x3, %x0;\n@%p bra done;\n" \
	"sub.u32 %x1, %x0, 1;\n{ .param .b32 q; .param .b32 s; st.param.b32 [q], %x1;\n"      \
	"call (s), fib, (q);\nld.param.b32 %x2, [s]; }\n"                                     \
	"sub.u32 %x1, %x0, 2;\n{ .param .b32 q; .param .b32 s; st.param.b32 [q], %x1;\n"      \
	"call (s), fib, (q);\nld.param.b32 %x4, [s]; }\nadd.u32 %x3, %x2, %x4;\n"             \
	"done:\nst.param.b32 [r], %x3;\nret;\n}\n"

static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void recursion_to_different_depths(void **state)
{
	static const uint32_t registers[] = {0, 32};
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		in[i] = i % 9;
	for (unsigned int i = 0; i < 2; i++) {
		run(PTX_HEAD FIB OPEN
		    "{ .param .b32 q; .param .b32 s; st.param.b32 [q], %n;\n"
		    "call (s), fib, (q);\nld.param.b32 %r0, [s]; }\n"
		    "activemask.b32 %r2;\nsetp.ne.u32 %p0, %r2, 0xffffffff;\n"
		    "@%p0 mov.u32 %r0, 999;\n" CLOSE,
		    registers[i], in, out);
		for (uint32_t t = 0; t < THREADS; t++)
			assert_int_equal(out[t], fib(t % 9));
	}
}

/*
 * Recursion by address and through another function; 64-bit registers, predicates and a variable
 * with an address live across the calls. down(n) = n ? 3 n + even(n) + up(n - 1) : 5, where up
 * calls what it is given, with n.
 */
#define MUTUAL                                                                                   \
	".func (.param .b64 r) up(.param .b32 a, .param .b64 f);\n"                              \
	".func (.param .b64 r) down(.param .b32 a, .param .b64 f) {\n"                           \
	".local .align 8 .b8 keep[16];\n.reg .b64 %q<8>;\n.reg .b32 %x<6>;\n.reg .pred %p<3>;\n" \
	"ld.param.b32 %x0, [a];\nld.param.b64 %q0, [f];\nmov.u64 %q1, 5;\n"                      \
	"setp.eq.u32 %p0, %x0, 0;\n@%p0 bra done;\n"                                             \
	"mov.u64 %q2, keep;\ncvta.local.u64 %q3, %q2;\nmul.lo.u32 %x1, %x0, 3;\n"                \
	"st.local.u32 [%q2+4], %x1;\nand.b32 %x2, %x0, 1;\nsetp.eq.u32 %p1, %x2, 0;\n"           \
	"sub.u32 %x3, %x0, 1;\n"                                                                 \
	"{ .param .b32 b; .param .b64 g; .param .b64 s; st.param.b32 [b], %x3;\n"                \
	"st.param.b64 [g], %q0;\ncall (s), up, (b, g);\nld.param.b64 %q4, [s]; }\n"              \
	"ld.u32 %x4, [%q3+4];\ncvt.u64.u32 %q5, %x4;\nadd.u64 %q1, %q4, %q5;\n"                  \
	"@%p1 add.u64 %q1, %q1, 1;\n"                                                            \
	"done:\nst.param.b64 [r], %q1;\nret;\n}\n"                                               \
	".func (.param .b64 r) up(.param .b32 a, .param .b64 f) {\n"                             \
	".reg .b64 %q<8>;\n.reg .b32 %x<6>;\n"                                                   \
	"ld.param.b32 %x0, [a];\nld.param.b64 %q0, [f];\n"                                       \
	"{ .param .b32 b; .param .b64 g; .param .b64 s; st.param.b32 [b], %x0;\n"                \
	"st.param.b64 [g], %q0;\n"                                                               \
	"pr: .callprototype (.param .b64 _) _ (.param .b32 _, .param .b64 _);\n"                 \
	"call (s), %q0, (b, g), pr;\nld.param.b64 %q4, [s]; }\n"                                 \
	"st.param.b64 [r], %q4;\nret;\n}\n"

static void recursion_by_address(void **state)
{
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		in[i] = i % 7;
	run(PTX_HEAD MUTUAL OPEN
	    "mov.u64 %f, down;\n"
	    "{ .param .b32 b; .param .b64 g; .param .b64 s; st.param.b32 [b], %n;\n"
	    "st.param.b64 [g], %f;\ncall (s), down, (b, g);\nld.param.b64 %d4, [s]; }\n"
	    "cvt.u32.u64 %r0, %d4;\n" CLOSE,
	    0, in, out);
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t want = 5;

		for (uint32_t n = 1; n <= t % 7; n++)
			want += 3 * n + (n % 2 == 0);
		assert_int_equal(out[t], want);
	}
}

/* A byte, a half word, a double, 24 bytes and a register in; 32 bytes out. */
static void parameters_of_all_sizes(void **state)
{
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	count_up(in);
	run(PTX_HEAD
	    ".func (.param .align 16 .b8 r[32]) all(.param .b8 a, .param .b16 b, .param .b64 c,\n"
	    ".param .align 8 .b8 d[24], .param .b32 e) {\n"
	    ".reg .b64 %q<8>;\n.reg .b32 %x<6>;\n.reg .b16 %h<4>;\n.reg .f64 %f;\n"
	    "ld.param.u8 %h0, [a];\nld.param.u16 %h1, [b];\nld.param.f64 %f, [c];\n"
	    "ld.param.u64 %q0, [d];\nld.param.u32 %x0, [d+12];\nld.param.u64 %q1, [d+16];\n"
	    "ld.param.u32 %x1, [e];\nadd.u16 %h2, %h0, %h1;\ncvt.u32.u16 %x2, %h2;\n"
	    "cvt.rzi.u32.f64 %x3, %f;\nadd.u64 %q2, %q0, %q1;\n"
	    "st.param.v2.b32 [r], {%x2, %x3};\nst.param.b64 [r+8], %q2;\n"
	    "st.param.b32 [r+16], %x0;\nst.param.b32 [r+28], %x1;\nret;\n}\n" OPEN
	    ".reg .f64 %fd;\n.reg .b16 %s<3>;\nmov.u64 %f, all;\ncvt.rn.f64.u32 %fd, %t;\n"
	    "cvt.u16.u32 %s0, %t;\nmov.u16 %s1, 1000;\ncvt.u64.u32 %d1, %t;\n"
	    "{ .param .b8 a; .param .b16 b; .param .b64 c; "
	    ".param .align 8 .b8 d[24]; .param .b32 e;\n"
	    ".param .align 16 .b8 r[32];\n"
	    "st.param.b8 [a], %s0;\nst.param.b16 [b], %s1;\nst.param.f64 [c], %fd;\n"
	    "st.param.b64 [d], %d1;\nst.param.b32 [d+8], 1;\nst.param.b32 [d+12], 77;\n"
	    "st.param.b64 [d+16], 500;\nst.param.b32 [e], %n;\n"
	    "pr: .callprototype (.param .align 16 .b8 _[32]) _ ("
	    ".param .b8 _, .param .b16 _, .param .b64 _,\n"
	    " .param .align 8 .b8 _[24], .param .b32 _);\n"
	    "call (r), %f, (a, b, c, d, e), pr;\n"
	    "ld.param.b32 %r1, [r];\nld.param.b32 %r2, [r+4];\nld.param.b64 %d2, [r+8];\n"
	    "ld.param.b32 %r3, [r+16];\nld.param.b32 %r4, [r+28]; }\n"
	    "cvt.u32.u64 %r5, %d2;\nadd.u32 %r0, %r1, %r2;\nadd.u32 %r0, %r0, %r3;\n"
	    "add.u32 %r0, %r0, %r4;\nadd.u32 %r0, %r0, %r5;\n" CLOSE,
	    0, in, out);
	for (uint32_t t = 0; t < THREADS; t++)
		assert_int_equal(out[t], (t + 1000) + t + 77 + t + (t + 500));
}

/* Registers as parameters and results, a constant, and shared memory that only the callee names. */
static void registers_and_shared_memory(void **state)
{
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	count_up(in);
	run(PTX_HEAD
	    ".shared .align 4 .b32 cell[128];\n"
	    ".func (.reg .b32 r) put(.reg .b32 a, .reg .b32 b) {\n.reg .b32 %x<4>;\n"
	    "mov.u32 %x0, cell;\nmad.lo.u32 %x1, a, 4, %x0;\nst.shared.b32 [%x1], b;\nbar.sync 0;\n"
	    "xor.b32 %x2, a, 1;\n"
	    "mad.lo.u32 %x1, %x2, 4, %x0;\nld.shared.b32 r, [%x1];\nret;\n}\n" OPEN
	    "mov.u64 %f, put;\nmul.lo.u32 %r1, %t, 10;\n"
	    "pr: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _);\n"
	    "call (%r0), %f, (%t, %r1), pr;\ncall (%r2), %f, (%t, 5), pr;\n"
	    "add.u32 %r0, %r0, %r2;\n" CLOSE,
	    0, in, out);
	for (uint32_t t = 0; t < THREADS; t++)
		assert_int_equal(out[t], (t ^ 1) * 10 + 5);
}

/* A loop around a call keeps what it counts; the functions call others, which are inlined. */
static void calls_in_loops(void **state)
{
	uint32_t in[THREADS], out[THREADS];

	(void)state;
	count_up(in);
	run(PTX_HEAD THREE ONE_WORD(
		    "both",
		    "{ .param .b32 q; .param .b32 s; st.param.b32 [q], %x0; call (s), plus, (q);\n"
		    "ld.param.b32 %x1, [s]; }\n"
		    "{ .param .b32 q; .param .b32 s; st.param.b32 [q], %x1;\n"
		    "call (s), times, (q); ld.param.b32 %x0, [s]; }\n") OPEN
	    "mov.u32 %r5, 0;\nrem.u32 %r6, %t, 5;\nmov.u64 %f, both;\nmov.u64 %d1, flip;\n"
	    "loop:\nsetp.ge.u32 %p0, %r5, %r6;\n@%p0 bra out;\n" CALL
	    "mov.u32 %n, %r0;\nadd.u32 %r5, %r5, 1;\nmov.u64 %d2, %f;\nmov.u64 %f, %d1;\n"
	    "mov.u64 %d1, %d2;\nbra loop;\nout:\nmov.u32 %r0, %n;\n" CLOSE,
	    0, in, out);
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t n = t;

		for (uint32_t i = 0; i < t % 5; i++)
			n = i % 2 ? n ^ 0xff : (n + 7) * 3;
		assert_int_equal(out[t], n);
	}
}

/* ---- faults ------------------------------------------------------------- */

static void ends_with(const char *ptx, uint32_t stack, vgpuError_t error, const char *why)
{
	struct vgpu_compile_options options = {.stack_bytes = stack};
	struct vgpuModule *module;
	static vgpuFault fault;
	vgpuError_t result;

	ptx_begin();
	assert_int_equal(rt_enter(), vgpuSuccess);
	assert_int_equal(rt_leave(rt_module_load(ptx, &options, &module)), vgpuSuccess);
	result = ptx_outcome(module, "k", 32);
	assert_int_equal(result, error);
	assert_int_equal(vgpuGetFault(&fault), vgpuSuccess);
	if (why && !strstr(fault.sentence, why))
		fail_msg("`%s' does not say `%s'", fault.sentence, why);
	ptx_end();
}

#define KERNEL(body)                                                                \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out) {\n.reg .b64 %f;\n" \
	".reg .b32 %n, %r<3>;\nmov.u32 %n, %tid.x;\n" body "ret;\n}\n"

static void addresses_of_no_function(void **state)
{
	(void)state;
	ends_with(PTX_HEAD THREE KERNEL("mov.u64 %f, plus;\nmov.u64 %f, 0;\n" CALL), 0,
		  vgpuErrorLaunchFailure, "no function");
	ends_with(PTX_HEAD THREE KERNEL("mov.u64 %f, plus;\nadd.u64 %f, %f, 16;\n" CALL), 0,
		  vgpuErrorLaunchFailure, "no function");
	ends_with(PTX_HEAD KERNEL("mov.u64 %f, 4096;\n" CALL), 0, vgpuErrorLaunchFailure,
		  "no function");
	/* a kernel, whose address is for launches */
	ends_with(PTX_HEAD KERNEL("mov.u64 %f, k;\n" CALL), 0, vgpuErrorLaunchFailure,
		  "no function");
	/* a function that an abstract class has not */
	ends_with(PTX_HEAD ".extern .func __cxa_pure_virtual();\n"
			   ".global .u64 t[2] = {0, __cxa_pure_virtual};\n" KERNEL(
				   "ld.global.u64 %f, [t+8];\n" CALL),
		  0, vgpuErrorLaunchFailure, "no function");
	/* a function that takes more, and one that gives nothing */
	ends_with(
		PTX_HEAD
		".func (.param .b32 r) two(.param .b32 a, .param .b64 b, .param .b64 c) { ret; }\n"
		KERNEL(
			"mov.u64 %f, two;\n" CALL),
		0, vgpuErrorLaunchFailure, "prototype");
	ends_with(PTX_HEAD
		  ".func none(.param .b32 a) { ret; }\n" KERNEL("mov.u64 %f, none;\n" CALL),
		  0, vgpuErrorLaunchFailure, "prototype");
}

#define DEEP                                                                                     \
	ONE_WORD(                                                                                \
		"deep",                                                                          \
		".reg .pred %p;\nsetp.eq.u32 %p, %x0, 0;\n@%p bra done;\n"                       \
		"sub.u32 %x1, %x0, 1;\n{ .param .b32 q; .param .b32 s; st.param.b32 [q], %x1;\n" \
		"call (s), deep, (q);\nld.param.b32 %x2, [s]; }\nadd.u32 %x0, %x0, %x2;\ndone:\n")
#define DEPTH(n)                                                            \
	KERNEL("{ .param .b32 q; .param .b32 s; st.param.b32 [q], " n ";\n" \
	       "call (s), deep, (q);\nld.param.b32 %r0, [s]; }\n")

static void stacks_that_overflow(void **state)
{
	(void)state;
	ends_with(PTX_HEAD DEEP DEPTH("10"), 0, vgpuSuccess, NULL);
	ends_with(PTX_HEAD DEEP DEPTH("2000"), 0, vgpuErrorIllegalAddress, "stack");
	ends_with(PTX_HEAD DEEP DEPTH("2000"), 200 << 10, vgpuSuccess, NULL);
	ends_with(PTX_HEAD DEEP DEPTH("0xffffffff"), 400 << 10, vgpuErrorIllegalAddress, "stack");
}

/* ---- refused ------------------------------------------------------------ */

static void refused_calls(void **state)
{
	(void)state;
	ptx_refused(PTX_HEAD KERNEL("{ .param .b32 a; .param .b32 r;\n"
				    "pr: .callprototype (.param .b32 _) _ ();\n"
				    "call (r), %f, (a), pr; }\n"),
		    "prototype has 0 parameters");
	ptx_refused(PTX_HEAD KERNEL("{ .param .b32 a; pr: .callprototype _ (.param .b64 _);\n"
				    "call %f, (a), pr; }\n"),
		    "`a' has 4 bytes where 8");
	ptx_refused(PTX_HEAD KERNEL("pr: .callprototype _ (.param _);\ncall %f, (%n), pr;\n"),
		    "callprototype");
	ptx_refused(PTX_HEAD KERNEL("pr: .callprototype _ (.param .b8 _[99999999999]);\n"
				    "call %f, (%n), pr;\n"),
		    "callprototype");
	ptx_refused(PTX_HEAD KERNEL("pr: .callprototype _ (.param .b32 _\n;\ncall %f, (%n), pr;\n"),
		    "callprototype");
	ptx_refused(PTX_HEAD KERNEL("call %n, (%n);\n"), "register `%n'");
	ptx_refused(PTX_HEAD KERNEL("call %f, (%n), nowhere;\n"), "nowhere");
	ptx_refused(PTX_HEAD ".extern .func away();\n" KERNEL("mov.u64 %f, away;\n"),
		    "unresolved external function `away'");
	ptx_refused(PTX_HEAD ".extern .func away();\n.global .u64 t[2] = {0, away};\n" KERNEL(
			    "ld.global.u64 %f, [t+8];\n"),
		    "`away' in the initialiser");
	ptx_refused(PTX_HEAD ".extern .func away();\n.global .u64 t[2] = {0, away};\n"
			     ".global .u64 u = t;\n" KERNEL(""),
		    "`away' in the initialiser");
	ptx_refused(PTX_HEAD THREE ".global .u32 t[2] = {0, plus};\n" KERNEL(""), "64-bit element");
	ptx_refused(PTX_HEAD THREE KERNEL("mov.u32 %n, plus;\n"), "64 bits");
}

/* clang has constant tables of the host's functions for the device, too. */
static void tables_that_nobody_uses(void **state)
{
	(void)state;
	ptx_begin();
	ptx_load(PTX_HEAD ".extern .func away();\n.const .u64 t[2] = {0, away};\n" KERNEL(""), 0);
	ptx_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_that_nobody_uses),
		cmocka_unit_test(lanes_call_different_functions),
		cmocka_unit_test(calls_under_branches),
		cmocka_unit_test(recursion_to_different_depths),
		cmocka_unit_test(recursion_by_address),
		cmocka_unit_test(parameters_of_all_sizes),
		cmocka_unit_test(registers_and_shared_memory),
		cmocka_unit_test(calls_in_loops),
		cmocka_unit_test(addresses_of_no_function),
		cmocka_unit_test(stacks_that_overflow),
		cmocka_unit_test(refused_calls),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
