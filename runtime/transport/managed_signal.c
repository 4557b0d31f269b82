// SPDX-License-Identifier: MIT
/*
 * Access to managed memory by protection and SIGSEGV; see managed_access.h.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "managed_access.h"

static struct sigaction before;

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/*
 * A handler that was set after this one may go on to it, and this one to it in turn: once for each
 * signal. It may also leave by a jump; what is left of that call is above the next one's frame.
 */
static __thread struct {
	const siginfo_t *info;
	uintptr_t frame;
} passing;

static void pass_on(int number, siginfo_t *info, void *context)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	if (passing.info == info && frame < passing.frame) {
		signal(number, SIG_DFL);
		return;
	}
	passing.info = info;
	passing.frame = frame;
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else {
		/* the access is made again and ends the process */
		signal(number, SIG_DFL);
	}
	passing.info = NULL;
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

	if (info->si_code == SEGV_ACCERR)
		error = vgpu_managed_serve((uint64_t)(uintptr_t)info->si_addr, is_write(context));
	errno = saved;
	if (error)
		pass_on(number, info, context);
}

/* The handler is set again if the program has set another one meanwhile. */
static bool signal_attach(const struct vgpu_managed_range *range)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction now;

	(void)range;
	if (!sigaction(SIGSEGV, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	    now.sa_sigaction == handle)
		return true;
	sigemptyset(&action.sa_mask);
	return !sigaction(SIGSEGV, &action, &before);
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

static int signal_grant(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
			bool writable)
{
	return protect(range, address, bytes, PROT_READ | (writable ? PROT_WRITE : 0));
}

static void signal_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
			       uint64_t bytes)
{
	(void)range;
	mprotect(pointer(address), bytes, PROT_READ | PROT_WRITE);
}

static int signal_revoke(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	return protect(range, address, bytes, PROT_NONE);
}

static int signal_protect(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	return protect(range, address, bytes, PROT_READ);
}

const struct vgpu_managed_access vgpu_managed_by_signal = {
	.attach = signal_attach,
	.grant = signal_grant,
	.grant_ahead = signal_grant_ahead,
	.revoke = signal_revoke,
	.protect = signal_protect,
};
