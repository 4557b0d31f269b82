/* SPDX-License-Identifier: MIT */
/*
 * CUDA's atomic functions over clang's builtins. The device has one memory order and one scope for
 * all of them, so the _block and _system forms are the same operations.
 */
#ifndef VGPU_CUDA_DEVICE_ATOMICS_H
#define VGPU_CUDA_DEVICE_ATOMICS_H

#define __VGPU_AT static __device__ __inline__ __attribute__((always_inline))

#define __VGPU_ATOMIC(name, suffix, type, expr) \
	__VGPU_AT type name##suffix(type *p, type v) { return (type)(expr); }
#define __VGPU_ATOMICS(name, type, expr) \
	__VGPU_ATOMIC(name, , type, expr) \
	__VGPU_ATOMIC(name, _block, type, expr) \
	__VGPU_ATOMIC(name, _system, type, expr)

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

#define __VGPU_CAS(suffix)									\
	__VGPU_AT int atomicCAS##suffix(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, \
		old, v); } \
	__VGPU_AT unsigned int atomicCAS##suffix(unsigned int *p, unsigned int old, \
		unsigned int v) \
	{ return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v); }		\
	__VGPU_AT unsigned long long atomicCAS##suffix(unsigned long long *p, \
		unsigned long long old, \
						       unsigned long long v)			\
	{ return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, \
		(long long)v); }
__VGPU_CAS()
__VGPU_CAS(_block)
__VGPU_CAS(_system)

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
#undef __VGPU_FETCH
#undef __VGPU_CAS
#undef __VGPU_AT

#endif
