/* SPDX-License-Identifier: MIT */
/*
 * printf() in kernels: the buffer between the device code that writes records (print.cu) and the
 * runtime that prints them (api/printf.c), and what both of them have to see alike in a format.
 *
 * The buffer is a ring of 64-bit words. A thread adds the length of its record to @reserved and
 * writes the record at the old value, modulo the number of words; who comes round writes over the
 * oldest records. A record is
 *
 *	the stamp of its position, written last
 *	words of the record | number of arguments << 32
 *	the format, as a text
 *	of each argument a word; of %s a text instead
 *
 * The record of a failed assert() has VGPU_PRINT_ASSERTION instead of the number of arguments, and
 * then
 *
 *	the expression, the file and the function, as texts
 *	the line; x, y and z of the block; x, y and z of the thread, a word each
 *
 * A text is a word, 1 + its bytes (0: a null pointer), and the bytes in as many words as they need.
 * An argument of 4 bytes is in the lower half of its word.
 */
#ifndef VGPU_PRINT_H
#define VGPU_PRINT_H

#define VGPU_PRINT_VARIABLE	__vgpu_print
#define VGPU_PRINT_LEAST	4096u	/* bytes of the smallest buffer */
#define VGPU_PRINT_ARGUMENTS	32u	/* as CUDA's; of more, the conversion is printed as it is */
#define VGPU_PRINT_ASSERTION	~0u	/* in place of the number of arguments */
#define VGPU_PRINT_HEADER	2u	/* words of a record before the format */
/* The largest record is a quarter of the buffer, so that a few fit whatever their order. */
#define VGPU_PRINT_SHARE	4u

/* Never 0, which memory that nobody has written has; no position is as large. */
#define VGPU_PRINT_STAMP(position)	((position) ^ 0xa51d7c0e93b6f284ull)

/**
 * struct vgpu_print - the variable of the module, set when the module is loaded
 * @reserved: device address of the number of words that have been reserved, ever
 * @ring: device address of the first word
 * @words: of the ring
 */
struct vgpu_print {
	unsigned long long reserved;
	unsigned long long ring;
	unsigned long long words;
};

/* What __vgpu_vprintf() gets; both are generic addresses. @arguments: 0: there are none */
struct vgpu_print_call {
	unsigned long long format;
	unsigned long long arguments;
};

/* What __vgpu_assert() gets; generic addresses, but for the line. */
struct vgpu_assert_call {
	unsigned long long expression, file, function, line;
};

#ifdef __CUDA__
#define VGPU_PRINT_FUNCTION	static __attribute__((device, always_inline))
#else
#define VGPU_PRINT_FUNCTION	static inline
#endif

/* Kinds of conversions. NONE: it is no conversion, and printed as it is. */
enum { VGPU_PRINT_NONE, VGPU_PRINT_INT, VGPU_PRINT_LONG, VGPU_PRINT_DOUBLE, VGPU_PRINT_STRING,
       VGPU_PRINT_POINTER, VGPU_PRINT_PERCENT };

/**
 * struct vgpu_print_spec - a conversion of a format
 * @bytes: from % to the letter
 * @kind: of the argument, which has 4 bytes if it is VGPU_PRINT_INT, else 8
 * @stars: arguments before it, for width and precision, of 4 bytes
 */
struct vgpu_print_spec {
	unsigned int bytes, kind, stars;
};

/* A width or a precision: digits or a star. */
VGPU_PRINT_FUNCTION const char *vgpu_print_number(const char *at, unsigned int *stars)
{
	if (*at == '*') {
		++*stars;
		return at + 1;
	}
	while (*at >= '0' && *at <= '9')
		at++;
	return at;
}

/* @format is at a %. Of long arguments lc is an int, and what has an L is a double here. */
VGPU_PRINT_FUNCTION struct vgpu_print_spec vgpu_print_spec(const char *format)
{
	struct vgpu_print_spec spec = { 0, VGPU_PRINT_NONE, 0 };
	const char *at = format + 1;
	unsigned int wide = 0;

	while (*at == '-' || *at == '+' || *at == ' ' || *at == '#' || *at == '0')
		at++;
	at = vgpu_print_number(at, &spec.stars);
	if (*at == '.')
		at = vgpu_print_number(at + 1, &spec.stars);
	for (;; at++) {
		if (*at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'L')
			wide = 1;
		else if (*at != 'h')
			break;
	}
	switch (*at) {
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
		spec.kind = wide ? VGPU_PRINT_LONG : VGPU_PRINT_INT;
		break;
	case 'c':
		spec.kind = VGPU_PRINT_INT;
		break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		spec.kind = VGPU_PRINT_DOUBLE;
		break;
	case 's':
		spec.kind = VGPU_PRINT_STRING;
		break;
	case 'p':
		spec.kind = VGPU_PRINT_POINTER;
		break;
	case '%':
		if (at == format + 1)
			spec.kind = VGPU_PRINT_PERCENT;
		break;
	}
	spec.bytes = (unsigned int)(at - format) + 1;
	return spec;
}

#endif
