/* SPDX-License-Identifier: MIT */
/*
 * CUDA's atomic functions over clang's builtins. The _block forms are the same operations as those
 * without a suffix; the _system forms are atomic for threads of the host, too.
 */
#ifndef VGPU_CUDA_DEVICE_ATOMICS_H
#define VGPU_CUDA_DEVICE_ATOMICS_H

#define __VGPU_AT static __device__ __inline__ __attribute__((always_inline))

#define __VGPU_ATOMIC(name, suffix, type, expr) \
	__VGPU_AT type name##suffix(type *p, type v) { return (type)(expr); }
#define __VGPU_ATOMICS(name, type, expr) \
	__VGPU_ATOMIC(name, , type, expr) \
	__VGPU_ATOMIC(name, _block, type, expr)

#define __VGPU_FETCH(op) __atomic_fetch_##op(p, v, __ATOMIC_RELAXED)

__VGPU_ATOMICS(atomicAdd, int, __VGPU_FETCH(add))
__VGPU_ATOMICS(atomicAdd, unsigned int, __VGPU_FETCH(add))
__VGPU_ATOMICS(atomicAdd, unsigned long long, __VGPU_FETCH(add))
__VGPU_ATOMICS(atomicAdd, float, __nvvm_atom_add_gen_f(p, v))
__VGPU_ATOMICS(atomicAdd, double, __nvvm_atom_add_gen_d(p, v))
__VGPU_ATOMICS(atomicSub, int, __VGPU_FETCH(sub))
__VGPU_ATOMICS(atomicSub, unsigned int, __VGPU_FETCH(sub))
__VGPU_ATOMICS(atomicAnd, int, __VGPU_FETCH(and))
__VGPU_ATOMICS(atomicAnd, unsigned int, __VGPU_FETCH(and))
__VGPU_ATOMICS(atomicAnd, unsigned long long, __VGPU_FETCH(and))
__VGPU_ATOMICS(atomicOr, int, __VGPU_FETCH(or))
__VGPU_ATOMICS(atomicOr, unsigned int, __VGPU_FETCH(or))
__VGPU_ATOMICS(atomicOr, unsigned long long, __VGPU_FETCH(or))
__VGPU_ATOMICS(atomicXor, int, __VGPU_FETCH(xor))
__VGPU_ATOMICS(atomicXor, unsigned int, __VGPU_FETCH(xor))
__VGPU_ATOMICS(atomicXor, unsigned long long, __VGPU_FETCH(xor))
__VGPU_ATOMICS(atomicMin, int, __nvvm_atom_min_gen_i(p, v))
__VGPU_ATOMICS(atomicMin, unsigned int, __nvvm_atom_min_gen_ui(p, v))
__VGPU_ATOMICS(atomicMin, long long, __nvvm_atom_min_gen_ll(p, v))
__VGPU_ATOMICS(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull(p, v))
__VGPU_ATOMICS(atomicMax, int, __nvvm_atom_max_gen_i(p, v))
__VGPU_ATOMICS(atomicMax, unsigned int, __nvvm_atom_max_gen_ui(p, v))
__VGPU_ATOMICS(atomicMax, long long, __nvvm_atom_max_gen_ll(p, v))
__VGPU_ATOMICS(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull(p, v))
__VGPU_ATOMICS(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui(p, v))
__VGPU_ATOMICS(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui(p, v))
__VGPU_ATOMICS(atomicExch, int, __nvvm_atom_xchg_gen_i(p, v))
__VGPU_ATOMICS(atomicExch, unsigned int, __nvvm_atom_xchg_gen_i((int *)p, (int)v))
__VGPU_ATOMICS(atomicExch, unsigned long long,
	       __nvvm_atom_xchg_gen_ll((long long *)p, (long long)v))
__VGPU_ATOMICS(atomicExch, float,
	       __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)p, __nvvm_bitcast_f2i(v))))

/* As operations on signed numbers, @bits of which are those of @type */
#define __VGPU_SYSTEM(name, type, bits, builtin) \
	__VGPU_ATOMIC(name, _system, type, builtin((bits *)p, (bits)v))

__VGPU_SYSTEM(atomicAdd, int, int, __nvvm_atom_sys_add_gen_i)
__VGPU_SYSTEM(atomicAdd, unsigned int, int, __nvvm_atom_sys_add_gen_i)
__VGPU_SYSTEM(atomicAdd, unsigned long long, long long, __nvvm_atom_sys_add_gen_ll)
__VGPU_SYSTEM(atomicAdd, float, float, __nvvm_atom_sys_add_gen_f)
__VGPU_SYSTEM(atomicAdd, double, double, __nvvm_atom_sys_add_gen_d)
__VGPU_SYSTEM(atomicAnd, int, int, __nvvm_atom_sys_and_gen_i)
__VGPU_SYSTEM(atomicAnd, unsigned int, int, __nvvm_atom_sys_and_gen_i)
__VGPU_SYSTEM(atomicAnd, unsigned long long, long long, __nvvm_atom_sys_and_gen_ll)
__VGPU_SYSTEM(atomicOr, int, int, __nvvm_atom_sys_or_gen_i)
__VGPU_SYSTEM(atomicOr, unsigned int, int, __nvvm_atom_sys_or_gen_i)
__VGPU_SYSTEM(atomicOr, unsigned long long, long long, __nvvm_atom_sys_or_gen_ll)
__VGPU_SYSTEM(atomicXor, int, int, __nvvm_atom_sys_xor_gen_i)
__VGPU_SYSTEM(atomicXor, unsigned int, int, __nvvm_atom_sys_xor_gen_i)
__VGPU_SYSTEM(atomicXor, unsigned long long, long long, __nvvm_atom_sys_xor_gen_ll)
__VGPU_SYSTEM(atomicMin, int, int, __nvvm_atom_sys_min_gen_i)
__VGPU_SYSTEM(atomicMin, long long, long long, __nvvm_atom_sys_min_gen_ll)
__VGPU_SYSTEM(atomicMax, int, int, __nvvm_atom_sys_max_gen_i)
__VGPU_SYSTEM(atomicMax, long long, long long, __nvvm_atom_sys_max_gen_ll)
__VGPU_SYSTEM(atomicInc, unsigned int, unsigned int, __nvvm_atom_sys_inc_gen_ui)
__VGPU_SYSTEM(atomicDec, unsigned int, unsigned int, __nvvm_atom_sys_dec_gen_ui)
__VGPU_SYSTEM(atomicExch, int, int, __nvvm_atom_sys_xchg_gen_i)
__VGPU_SYSTEM(atomicExch, unsigned int, int, __nvvm_atom_sys_xchg_gen_i)
__VGPU_SYSTEM(atomicExch, unsigned long long, long long, __nvvm_atom_sys_xchg_gen_ll)
__VGPU_ATOMIC(atomicSub, _system, int, __nvvm_atom_sys_add_gen_i(p, -v))
__VGPU_ATOMIC(atomicSub, _system, unsigned int, __nvvm_atom_sys_add_gen_i((int *)p, -(int)v))
__VGPU_ATOMIC(atomicExch, _system, float,
	      __nvvm_bitcast_i2f(__nvvm_atom_sys_xchg_gen_i((int *)p, __nvvm_bitcast_f2i(v))))

/* clang 14 has these compare as signed numbers. */
#define __VGPU_UNSIGNED(name, type, instruction, constraint)					\
	__VGPU_AT type name##_system(type *p, type v)						\
	{											\
		type old;									\
		__asm__ volatile("atom.sys." instruction " %0, [%1], %2;"			\
				 : "=" constraint(old) : "l"(p), constraint(v) : "memory");	\
		return old;									\
	}
__VGPU_UNSIGNED(atomicMin, unsigned int, "min.u32", "r")
__VGPU_UNSIGNED(atomicMin, unsigned long long, "min.u64", "l")
__VGPU_UNSIGNED(atomicMax, unsigned int, "max.u32", "r")
__VGPU_UNSIGNED(atomicMax, unsigned long long, "max.u64", "l")

#define __VGPU_CAS(suffix, scope)								\
	__VGPU_AT int atomicCAS##suffix(int *p, int old, int v)					\
	{ return __nvvm_atom_##scope##cas_gen_i(p, old, v); }					\
	__VGPU_AT unsigned int atomicCAS##suffix(unsigned int *p, unsigned int old,		\
						 unsigned int v)				\
	{ return (unsigned int)__nvvm_atom_##scope##cas_gen_i((int *)p, (int)old, (int)v); }	\
	__VGPU_AT unsigned long long atomicCAS##suffix(unsigned long long *p,			\
						       unsigned long long old,			\
						       unsigned long long v)			\
	{ return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long *)p,		\
								    (long long)old,		\
								    (long long)v); }
__VGPU_CAS(, )
__VGPU_CAS(_block, )
__VGPU_CAS(_system, sys_)

/* 16 bits: a compare-and-swap loop on the word that holds them */
__VGPU_AT unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v)
{
	unsigned int *word = (unsigned int *)((unsigned long long)p & ~3ull);
	unsigned int shift = ((unsigned long long)p & 2) * 8, seen = *(volatile unsigned int *)word,
		     before;

	do {
		before = seen;
		if ((unsigned short)(before >> shift) != old)
			return (unsigned short)(before >> shift);
		seen = atomicCAS(word, before,
				 (before & ~(0xffffu << shift)) | (unsigned int)v << shift);
	} while (seen != before);
	return old;
}

#undef __VGPU_ATOMIC
#undef __VGPU_ATOMICS
#undef __VGPU_SYSTEM
#undef __VGPU_UNSIGNED
#undef __VGPU_FETCH
#undef __VGPU_CAS
#undef __VGPU_AT

#endif
