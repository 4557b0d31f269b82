// SPDX-License-Identifier: MIT
/*
 * Accesses to managed memory that are served in a signal handler, and access by protection and
 * SIGSEGV; see managed_access.h.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "managed_access.h"

/* Handlers of the program, from before those of this file. */
static struct sigaction before_segv, before_bus;

static struct sigaction *before(int number)
{
	return number == SIGBUS ? &before_bus : &before_segv;
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/*
 * A handler that was set after this one may go on to it, and this one to it in turn: once for each
 * signal, whether they return or jump. The last word of the signal's information says that it has
 * been passed on. The kernel uses little of it and clears the rest for every signal.
 */
static bool is_passed_on(siginfo_t *info)
{
	int *mark = (int *)info + sizeof(*info) / sizeof(int) - 1;
	bool was = *mark;

	*mark = 1;
	return was;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction *next = before(number);

	if (is_passed_on(info)) {
		signal(number, SIG_DFL);
	} else if (next->sa_flags & SA_SIGINFO) {
		next->sa_sigaction(number, info, context);
	} else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN) {
		next->sa_handler(number);
	} else {
		/* the access is made again and ends the process */
		signal(number, SIG_DFL);
	}
}

/* What the processor says of the access; where it does not say it, a write does for a read, too. */
static bool is_write(const void *context)
{
#ifdef __x86_64__
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return true;
#endif
}

static void handle(int number, siginfo_t *info, void *context)
{
	int saved = errno, error = -EFAULT;

	if (info->si_code == (number == SIGBUS ? BUS_ADRERR : SEGV_ACCERR))
		error = vgpu_managed_serve((uint64_t)(uintptr_t)info->si_addr, is_write(context));
	errno = saved;
	if (error)
		pass_on(number, info, context);
}

/* The handler is set again if the program has set another one meanwhile. */
bool vgpu_managed_catch(int number)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction now;

	if (!sigaction(number, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	    now.sa_sigaction == handle)
		return true;
	sigemptyset(&action.sa_mask);
	return !sigaction(number, &action, before(number));
}

static bool sigsegv_attach(const struct vgpu_managed_range *range)
{
	(void)range;
	return vgpu_managed_catch(SIGSEGV);
}

/*
 * Where the process has no room for one more mapping, all of the range is made one: its pages are
 * granted again when the program accesses them.
 */
static int protect(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
		   int protection)
{
	if (!mprotect(pointer(address), bytes, protection))
		return 0;
	if (mprotect(pointer(range->address), range->bytes, PROT_NONE) ||
	    mprotect(pointer(address), bytes, protection))
		return -errno;
	return 0;
}

static int sigsegv_grant(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
			bool writable)
{
	return protect(range, address, bytes, PROT_READ | (writable ? PROT_WRITE : 0));
}

static void sigsegv_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
			       uint64_t bytes)
{
	(void)range;
	mprotect(pointer(address), bytes, PROT_READ | PROT_WRITE);
}

static int sigsegv_revoke(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	return protect(range, address, bytes, PROT_NONE);
}

static int sigsegv_protect(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	return protect(range, address, bytes, PROT_READ);
}

const struct vgpu_managed_access vgpu_managed_by_sigsegv = {
	.name = "0",
	.attach = sigsegv_attach,
	.grant = sigsegv_grant,
	.grant_ahead = sigsegv_grant_ahead,
	.revoke = sigsegv_revoke,
	.protect = sigsegv_protect,
};
