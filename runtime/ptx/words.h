/* SPDX-License-Identifier: MIT */
/*
 * The words of PTX: instruction names, and the modifiers behind them with the kinds of place they
 * may stand in. A modifier that an instruction does not list among its kinds is refused by name.
 */
#ifndef VGPU_PTX_WORDS_H
#define VGPU_PTX_WORDS_H

/* kinds of modifier */
#define PTX_K_TYPE	(1ull << 0)
#define PTX_K_RND	(1ull << 1)	/* .rn .rz .rm .rp */
#define PTX_K_RNDI	(1ull << 2)	/* .rni .rzi .rmi .rpi */
#define PTX_K_FTZ	(1ull << 3)
#define PTX_K_SAT	(1ull << 4)
#define PTX_K_APPROX	(1ull << 5)	/* .approx .full */
#define PTX_K_LOHI	(1ull << 6)
#define PTX_K_WIDE	(1ull << 7)
#define PTX_K_SPACE	(1ull << 8)
#define PTX_K_VEC	(1ull << 9)
#define PTX_K_CMP	(1ull << 10)
#define PTX_K_BOOL	(1ull << 11)
#define PTX_K_SEM	(1ull << 12)	/* memory order, scope, .volatile */
#define PTX_K_CACHE	(1ull << 13)	/* cache hints, .nc */
#define PTX_K_ATOM	(1ull << 14)
#define PTX_K_SHIFT	(1ull << 15)	/* .l .r .wrap .clamp .shiftamt */
#define PTX_K_SYNC	(1ull << 16)	/* .sync .aligned */
#define PTX_K_VOTE	(1ull << 17)
#define PTX_K_SHFL	(1ull << 18)
#define PTX_K_PRMT	(1ull << 19)
#define PTX_K_CC	(1ull << 20)
#define PTX_K_UNI	(1ull << 21)
#define PTX_K_TO	(1ull << 22)
#define PTX_K_TESTP	(1ull << 23)
#define PTX_K_BAR	(1ull << 24)
#define PTX_K_WARP	(1ull << 25)
#define PTX_K_LEVEL	(1ull << 26)	/* membar .cta .gl .sys; prefetch .L1 .L2 */
#define PTX_K_MATRIX	(1ull << 27)	/* shapes and layouts of mma and its kin */
#define PTX_K_NAN	(1ull << 28)
#define PTX_K_RELU	(1ull << 29)
#define PTX_K_GROUP	(1ull << 30)	/* of cp.async: .commit_group and so on */
#define PTX_K_FINITE	(1ull << 32)	/* .satfinite */
#define PTX_K_RNA	(1ull << 33)	/* to the nearest, ties away from zero */
#define PTX_K_WMMA	(1ull << 34)	/* of wmma alone: what it does, matrices, shapes */
#define PTX_K_MBARRIER	(1ull << 35)
#define PTX_K_SPARSE	(1ull << 36)	/* of mma */
#define PTX_K_TEXTURE	(1ull << 37)	/* of tex and its kin: geometry, level, channel, boundary */
#define PTX_K_QUERY	(1ull << 38)	/* of txq and suq: what is asked for */
#define PTX_K_VIDEO	(1ull << 39)	/* operands may have selectors: %r1.b0 */
#define PTX_K_VMAD	(1ull << 40)	/* .po .shr7 .shr15 */
#define PTX_K_DEPENDENTS	(1ull << 41)	/* .wait .launch_dependents, without effect */
#define PTX_K_MMABIT	(1ull << 42)	/* of mma and wmma: what is made of single bits */
#define PTX_K_OTHER	(1ull << 31)	/* known, and supported nowhere */

/* X(enum name, spelling, bytes, letter): types; m: of cvt and mma alone, o: of variables */
#define PTX_TYPES(X)										\
	X(U8, "u8", 1, 'u') X(U16, "u16", 2, 'u') X(U32, "u32", 4, 'u') X(U64, "u64", 8, 'u')	\
	X(S8, "s8", 1, 's') X(S16, "s16", 2, 's') X(S32, "s32", 4, 's') X(S64, "s64", 8, 's')	\
	X(B8, "b8", 1, 'b') X(B16, "b16", 2, 'b') X(B32, "b32", 4, 'b') X(B64, "b64", 8, 'b')	\
	X(B128, "b128", 16, 'b') \
	X(F16, "f16", 2, 'f') X(F32, "f32", 4, 'f') X(F64, "f64", 8, 'f') \
	X(F16X2, "f16x2", 4, 'h') X(BF16, "bf16", 2, 'f') X(BF16X2, "bf16x2", 4, 'h') \
	X(TF32, "tf32", 4, 'm') X(E4M3, "e4m3", 1, 'm') X(E5M2, "e5m2", 1, 'm') \
	X(S4, "s4", 1, 'm') X(U4, "u4", 1, 'm') X(B1, "b1", 1, 'm') \
	X(E4M3X2, "e4m3x2", 2, 'm') X(E5M2X2, "e5m2x2", 2, 'm') X(PRED, "pred", 1, 'p') \
	X(E2M3X2, "e2m3x2", 2, 'm') X(E3M2X2, "e3m2x2", 2, 'm') X(E2M1X2, "e2m1x2", 1, 'm') \
	X(TEXREF, "texref", 8, 'o') X(SURFREF, "surfref", 8, 'o')

/* X(enum name, spelling, kinds): the other modifiers */
#define PTX_MODS(X)										\
	X(RN, "rn", PTX_K_RND) X(RZ, "rz", PTX_K_RND) X(RM, "rm", PTX_K_RND) \
	X(RP, "rp", PTX_K_RND) \
	X(RNI, "rni", PTX_K_RNDI) X(RZI, "rzi", PTX_K_RNDI) X(RMI, "rmi", PTX_K_RNDI) \
	X(RPI, "rpi", PTX_K_RNDI) \
	X(FTZ, "ftz", PTX_K_FTZ) X(SAT, "sat", PTX_K_SAT) X(SATFINITE, "satfinite", PTX_K_FINITE) \
	X(RNA, "rna", PTX_K_RNA) \
	X(APPROX, "approx", PTX_K_APPROX) X(FULL, "full", PTX_K_APPROX)				\
	X(LO, "lo", PTX_K_LOHI | PTX_K_CMP) X(HI, "hi", PTX_K_LOHI | PTX_K_CMP) \
	X(WIDE, "wide", PTX_K_WIDE) \
	X(PARAM, "param", PTX_K_SPACE) X(GLOBAL, "global", PTX_K_SPACE) \
	X(CONST, "const", PTX_K_SPACE) \
	X(SHARED, "shared", PTX_K_SPACE) X(LOCAL, "local", PTX_K_SPACE)				\
	X(SHAREDCTA, "shared::cta", PTX_K_SPACE) X(SHAREDCLUSTER, "shared::cluster", PTX_K_OTHER) \
	X(V2, "v2", PTX_K_VEC) X(V4, "v4", PTX_K_VEC) X(V8, "v8", PTX_K_VEC) \
	X(EQ, "eq", PTX_K_CMP) X(NE, "ne", PTX_K_CMP) X(LT, "lt", PTX_K_CMP) \
	X(LE, "le", PTX_K_CMP) \
	X(GT, "gt", PTX_K_CMP) X(GE, "ge", PTX_K_CMP) X(LS, "ls", PTX_K_CMP) \
	X(HS, "hs", PTX_K_CMP) \
	X(EQU, "equ", PTX_K_CMP) X(NEU, "neu", PTX_K_CMP) X(LTU, "ltu", PTX_K_CMP) \
	X(LEU, "leu", PTX_K_CMP) \
	X(GTU, "gtu", PTX_K_CMP) X(GEU, "geu", PTX_K_CMP) X(NUM, "num", PTX_K_CMP)		\
	X(NAN, "nan", PTX_K_CMP) X(NANP, "NaN", PTX_K_NAN) X(XORSIGN, "xorsign", PTX_K_OTHER)	\
	X(ABSM, "abs", PTX_K_OTHER) X(RELU, "relu", PTX_K_RELU)				\
	X(AND, "and", PTX_K_BOOL | PTX_K_ATOM | PTX_K_BAR | PTX_K_MMABIT) \
	X(OR, "or", PTX_K_BOOL | PTX_K_ATOM | PTX_K_BAR) \
	X(XOR, "xor", PTX_K_BOOL | PTX_K_ATOM | PTX_K_MMABIT) \
	X(POPC, "popc", PTX_K_BAR | PTX_K_MMABIT) \
	X(ADD, "add", PTX_K_ATOM) X(MIN, "min", PTX_K_ATOM) X(MAX, "max", PTX_K_ATOM) \
	X(EXCH, "exch", PTX_K_ATOM) \
	X(CAS, "cas", PTX_K_ATOM) X(INC, "inc", PTX_K_ATOM) X(DEC, "dec", PTX_K_ATOM)		\
	X(NOFTZ, "noftz", PTX_K_ATOM)								\
	X(VOLATILE, "volatile", PTX_K_SEM) X(RELAXED, "relaxed", PTX_K_SEM) \
	X(ACQUIRE, "acquire", PTX_K_SEM) \
	X(RELEASE, "release", PTX_K_SEM) X(ACQREL, "acq_rel", PTX_K_SEM) X(SC, "sc", PTX_K_SEM)	\
	X(WEAK, "weak", PTX_K_SEM) X(MMIO, "mmio", PTX_K_OTHER)					\
	X(CTA, "cta", PTX_K_SEM | PTX_K_LEVEL) X(GPU, "gpu", PTX_K_SEM) \
	X(SYS, "sys", PTX_K_SEM | PTX_K_LEVEL) \
	X(CLUSTER, "cluster", PTX_K_OTHER) X(GL, "gl", PTX_K_LEVEL)				\
	X(CA, "ca", PTX_K_CACHE) X(CG, "cg", PTX_K_CACHE) X(CS, "cs", PTX_K_CACHE) \
	X(LU, "lu", PTX_K_CACHE) \
	X(CV, "cv", PTX_K_CACHE) X(WB, "wb", PTX_K_CACHE) X(WT, "wt", PTX_K_CACHE) \
	X(NC, "nc", PTX_K_CACHE) \
	X(CI, "ci", PTX_K_OTHER) X(L1, "L1", PTX_K_LEVEL) X(L2, "L2", PTX_K_LEVEL)		\
	X(L1NOALLOC, "L1::no_allocate", PTX_K_CACHE) X(L1FIRST, "L1::evict_first", PTX_K_CACHE)	\
	X(L1LAST, "L1::evict_last", PTX_K_CACHE) X(L1NORMAL, "L1::evict_normal", PTX_K_CACHE)	\
	X(L1UNCHANGED, "L1::evict_unchanged", PTX_K_CACHE) \
	X(L2HINT, "L2::cache_hint", PTX_K_CACHE) X(ASYNC, "async", PTX_K_TO)			\
	X(COMMITGROUP, "commit_group", PTX_K_GROUP) X(WAITGROUP, "wait_group", PTX_K_GROUP)	\
	X(WAITALL, "wait_all", PTX_K_GROUP) X(L2FIRST, "L2::evict_first", PTX_K_CACHE)		\
	X(L2LAST, "L2::evict_last", PTX_K_CACHE) X(L2NORMAL, "L2::evict_normal", PTX_K_CACHE)	\
	X(L2UNCHANGED, "L2::evict_unchanged", PTX_K_CACHE)					\
	X(CVTP, "cvt", PTX_K_TO) \
	X(FRACTIONAL, "fractional", PTX_K_TO) X(RANGE, "range", PTX_K_TO)			\
	X(L2_64, "L2::64B", PTX_K_CACHE)	\
	X(L2_128, "L2::128B", PTX_K_CACHE) X(L2_256, "L2::256B", PTX_K_CACHE)			\
	X(L, "l", PTX_K_SHIFT) X(R, "r", PTX_K_SHIFT | PTX_K_TEXTURE) X(WRAP, "wrap", PTX_K_SHIFT) \
	X(CLAMP, "clamp", PTX_K_SHIFT | PTX_K_TEXTURE) \
	X(SHIFTAMT, "shiftamt", PTX_K_SHIFT)							\
	X(SYNC, "sync", PTX_K_SYNC | PTX_K_BAR) X(ALIGNED, "aligned", PTX_K_SYNC | PTX_K_BAR)	\
	X(ARRIVE, "arrive", PTX_K_BAR | PTX_K_MBARRIER) \
	X(RED, "red", PTX_K_BAR) X(WARP, "warp", PTX_K_WARP)	\
	X(ALL, "all", PTX_K_VOTE) X(ANY, "any", PTX_K_VOTE) X(UNI, "uni", PTX_K_VOTE | PTX_K_UNI) \
	X(BALLOT, "ballot", PTX_K_VOTE)								\
	X(UP, "up", PTX_K_SHFL) X(DOWN, "down", PTX_K_SHFL) X(BFLY, "bfly", PTX_K_SHFL) \
	X(IDX, "idx", PTX_K_SHFL) \
	X(F4E, "f4e", PTX_K_PRMT) X(B4E, "b4e", PTX_K_PRMT) X(RC8, "rc8", PTX_K_PRMT) \
	X(ECL, "ecl", PTX_K_PRMT) \
	X(ECR, "ecr", PTX_K_PRMT) X(RC16, "rc16", PTX_K_PRMT)					\
	X(CC, "cc", PTX_K_CC) X(TO, "to", PTX_K_TO)						\
	X(FINITE, "finite", PTX_K_TESTP) X(INFINITE, "infinite", PTX_K_TESTP) \
	X(NUMBER, "number", PTX_K_TESTP) \
	X(NOTANUMBER, "notanumber", PTX_K_TESTP) X(NORMAL, "normal", PTX_K_TESTP)		\
	X(SUBNORMAL, "subnormal", PTX_K_TESTP)							\
	X(DIMX, "x", PTX_K_OTHER) X(DIMY, "y", PTX_K_OTHER) X(DIMZ, "z", PTX_K_OTHER) \
	X(DIMW, "w", PTX_K_OTHER)								\
	X(ROW, "row", PTX_K_MATRIX) X(COL, "col", PTX_K_MATRIX) X(TRANS, "trans", PTX_K_MATRIX) \
	X(X1, "x1", PTX_K_MATRIX) X(X2, "x2", PTX_K_MATRIX) X(X4, "x4", PTX_K_MATRIX) \
	X(M8N8, "m8n8", PTX_K_MATRIX) X(M8N8K4, "m8n8k4", PTX_K_MATRIX) \
	X(M8N8K16, "m8n8k16", PTX_K_MATRIX) X(M16N8K4, "m16n8k4", PTX_K_MATRIX) \
	X(M16N8K8, "m16n8k8", PTX_K_MATRIX) X(M16N8K16, "m16n8k16", PTX_K_MATRIX) \
	X(M16N8K32, "m16n8k32", PTX_K_MATRIX) X(M8N8K32, "m8n8k32", PTX_K_MATRIX) \
	X(M8N8K128, "m8n8k128", PTX_K_MATRIX) X(M16N8K64, "m16n8k64", PTX_K_MATRIX) \
	X(M16N8K128, "m16n8k128", PTX_K_MATRIX) X(M16N8K256, "m16n8k256", PTX_K_MATRIX) \
	X(SP, "sp", PTX_K_SPARSE) X(SPORDERED, "sp::ordered_metadata", PTX_K_SPARSE) \
	X(LOAD, "load", PTX_K_WMMA) X(STORE, "store", PTX_K_WMMA) X(MMA, "mma", PTX_K_WMMA) \
	X(MATRIX_A, "a", PTX_K_WMMA | PTX_K_TEXTURE) \
	X(MATRIX_B, "b", PTX_K_WMMA | PTX_K_TEXTURE) X(MATRIX_C, "c", PTX_K_WMMA) \
	X(MATRIX_D, "d", PTX_K_WMMA) X(M16N16K16, "m16n16k16", PTX_K_WMMA) \
	X(M32N8K16, "m32n8k16", PTX_K_WMMA) X(M8N32K16, "m8n32k16", PTX_K_WMMA) \
	X(M16N16K8, "m16n16k8", PTX_K_WMMA) \
	X(MBAR, "mbarrier", PTX_K_MBARRIER) X(INIT, "init", PTX_K_MBARRIER) \
	X(INVAL, "inval", PTX_K_MBARRIER) X(ARRIVEDROP, "arrive_drop", PTX_K_MBARRIER) \
	X(EXPECTTX, "expect_tx", PTX_K_MBARRIER) X(COMPLETETX, "complete_tx", PTX_K_MBARRIER) \
	X(TESTWAIT, "test_wait", PTX_K_MBARRIER) X(TRYWAIT, "try_wait", PTX_K_MBARRIER) \
	X(PENDINGCOUNT, "pending_count", PTX_K_MBARRIER) \
	X(NOCOMPLETE, "noComplete", PTX_K_MBARRIER) X(PARITY, "parity", PTX_K_MBARRIER) \
	X(NOINC, "noinc", PTX_K_MBARRIER) \
	X(TEX1D, "1d", PTX_K_TEXTURE) X(TEX2D, "2d", PTX_K_TEXTURE) X(TEX3D, "3d", PTX_K_TEXTURE) \
	X(TEXA1D, "a1d", PTX_K_TEXTURE) X(TEXA2D, "a2d", PTX_K_TEXTURE) \
	X(TEXCUBE, "cube", PTX_K_TEXTURE) X(TEXACUBE, "acube", PTX_K_TEXTURE) \
	X(TEXLEVEL, "level", PTX_K_TEXTURE) X(TEXGRAD, "grad", PTX_K_TEXTURE) \
	X(TEXBASE, "base", PTX_K_TEXTURE) X(TEXGREEN, "g", PTX_K_TEXTURE) \
	X(SURFTRAP, "trap", PTX_K_TEXTURE) X(SURFZERO, "zero", PTX_K_TEXTURE) \
	X(SURFFORMAT, "p", PTX_K_TEXTURE) \
	X(QWIDTH, "width", PTX_K_QUERY) X(QHEIGHT, "height", PTX_K_QUERY) \
	X(QDEPTH, "depth", PTX_K_QUERY) X(QARRAY, "array_size", PTX_K_QUERY) \
	X(QLEVELS, "num_mipmap_levels", PTX_K_QUERY) X(QUNIT, "normalized_coords", PTX_K_QUERY) \
	X(PLUSONE, "po", PTX_K_VMAD) X(SHR7, "shr7", PTX_K_VMAD) X(SHR15, "shr15", PTX_K_VMAD) \
	X(WAIT, "wait", PTX_K_DEPENDENTS) X(DEPENDENTS, "launch_dependents", PTX_K_DEPENDENTS)

/* X(enum name, spelling): instructions, the supported ones first, then those refused by name */
#define PTX_OPS(X)										\
	X(ABS, "abs") X(ACTIVEMASK, "activemask") X(ADD, "add") X(ADDC, "addc") X(AND, "and") \
	X(ATOM, "atom") \
	X(BAR, "bar") X(BARRIER, "barrier") X(BFE, "bfe") X(BFI, "bfi") X(BFIND, "bfind") \
	X(BRA, "bra") \
	X(BREV, "brev") X(BRKPT, "brkpt") X(CALL, "call") X(CLZ, "clz") X(CNOT, "cnot") \
	X(COPYSIGN, "copysign") \
	X(COS, "cos") X(CVT, "cvt") X(CVTA, "cvta") X(DIV, "div") X(DP2A, "dp2a") X(DP4A, "dp4a") \
	X(EX2, "ex2") \
	X(EXIT, "exit") X(FENCE, "fence") X(FMA, "fma") X(FNS, "fns") \
	X(GRIDDEPCONTROL, "griddepcontrol") X(ISSPACEP, "isspacep") \
	X(LD, "ld") X(LDU, "ldu") \
	X(LG2, "lg2") X(LOP3, "lop3") X(MAD, "mad") X(MAD24, "mad24") X(MADC, "madc") \
	X(MATCH, "match") X(MAX, "max") \
	X(MEMBAR, "membar") X(MIN, "min") X(MOV, "mov") X(MUL, "mul") X(MUL24, "mul24") \
	X(NANOSLEEP, "nanosleep") \
	X(NEG, "neg") X(NOT, "not") X(OR, "or") X(PMEVENT, "pmevent") X(POPC, "popc") \
	X(PREFETCH, "prefetch") \
	X(PREFETCHU, "prefetchu") X(PRMT, "prmt") X(RCP, "rcp") X(RED, "red") X(REM, "rem") \
	X(RET, "ret") \
	X(RSQRT, "rsqrt") X(SAD, "sad") X(SELP, "selp") X(SET, "set") X(SETP, "setp") \
	X(SHF, "shf") X(SHFL, "shfl") \
	X(SHL, "shl") X(SHR, "shr") X(SIN, "sin") X(SLCT, "slct") X(SQRT, "sqrt") X(ST, "st") \
	X(SUB, "sub") \
	X(SUBC, "subc") X(TANH, "tanh") X(TESTP, "testp") X(TRAP, "trap") X(VOTE, "vote") \
	X(XOR, "xor") X(CP, "cp") X(CREATEPOLICY, "createpolicy") X(REDUX, "redux") \
	X(LDMATRIX, "ldmatrix") X(MMA, "mma") X(MOVMATRIX, "movmatrix") X(STMATRIX, "stmatrix") \
	X(WMMA, "wmma") X(ELECT, "elect") X(MBARRIER, "mbarrier") \
	X(SULD, "suld") X(SUQ, "suq") X(SUST, "sust") X(TEX, "tex") X(TLD4, "tld4") X(TXQ, "txq") \
	X(VABSDIFF, "vabsdiff") X(VABSDIFF2, "vabsdiff2") X(VABSDIFF4, "vabsdiff4") \
	X(VADD, "vadd") X(VADD2, "vadd2") X(VADD4, "vadd4") \
	X(VAVRG2, "vavrg2") X(VAVRG4, "vavrg4") \
	X(VMAD, "vmad") X(VMAX, "vmax") X(VMAX2, "vmax2") X(VMAX4, "vmax4") \
	X(VMIN, "vmin") X(VMIN2, "vmin2") X(VMIN4, "vmin4") \
	X(VSET, "vset") X(VSET2, "vset2") X(VSET4, "vset4") X(VSHL, "vshl") X(VSHR, "vshr") \
	X(VSUB, "vsub") X(VSUB2, "vsub2") X(VSUB4, "vsub4") \
	X(REFUSED, "")										\
	X(ALLOCA, "alloca") X(APPLYPRIORITY, "applypriority") X(BMSK, "bmsk") X(BRX, "brx") \
	X(DISCARD, "discard") \
	X(ISTYPEP, "istypep") \
	X(MAPA, "mapa") \
	X(MULTIMEM, "multimem") \
	X(SETMAXNREG, "setmaxnreg") \
	X(STACKRESTORE, "stackrestore") X(STACKSAVE, "stacksave") \
	X(SURED, "sured") X(SZEXT, "szext") \
	X(WGMMA, "wgmma")

#endif
