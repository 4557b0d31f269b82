// SPDX-License-Identifier: MIT
/*
 * Pages of events of several processes (runtime/api/events/event_page.h): records that are over and
 * not, in two processes, when one of them ends, and what is not opened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event_page.h"

static struct rt_event_page *created(void)
{
	struct rt_event_page *page;

	assert_int_equal(rt_event_page_create(&page), 0);
	return page;
}

static uint64_t recorded(struct rt_event_page *page)
{
	uint64_t record = rt_event_page_begin(page);

	rt_event_page_publish(page, record);
	return record;
}

static void a_record_is_over_when_it_ends(void **state)
{
	struct rt_event_page *page = created();
	uint64_t first, second;

	(void)state;
	assert_int_equal(rt_event_page_last(page), 0);
	assert_true(rt_event_page_over(page, 0));
	first = recorded(page);
	assert_int_not_equal(first, 0);
	assert_false(rt_event_page_over(page, first));
	assert_false(rt_event_page_wait(page, first));
	/* a later one replaces it, and may be over before it */
	second = recorded(page);
	assert_int_not_equal(second, first);
	assert_int_equal(rt_event_page_last(page), second);
	rt_event_page_end(page, second);
	assert_true(rt_event_page_over(page, second));
	assert_false(rt_event_page_over(page, first));
	rt_event_page_end(page, first);
	assert_true(rt_event_page_wait(page, first));
	rt_event_page_put(page);
}

/* 16 at a time are told apart; a 17th is one with the 16th, which is over when both are. */
static void many_records_are_over_late_and_not_early(void **state)
{
	struct rt_event_page *page = created();
	uint64_t records[RT_EVENT_RECORDS], more;

	(void)state;
	for (unsigned int i = 0; i < RT_EVENT_RECORDS; i++) {
		records[i] = rt_event_page_begin(page);
		for (unsigned int j = 0; j < i; j++)
			assert_int_not_equal(records[i], records[j]);
	}
	more = rt_event_page_begin(page);
	assert_int_equal(more, records[RT_EVENT_RECORDS - 1]);
	rt_event_page_end(page, records[RT_EVENT_RECORDS - 1]);
	assert_false(rt_event_page_over(page, more));
	rt_event_page_end(page, more);
	assert_true(rt_event_page_over(page, more));
	/* the cell is used again: the record that was there stays over */
	more = rt_event_page_begin(page);
	assert_true(rt_event_page_over(page, records[RT_EVENT_RECORDS - 1]));
	rt_event_page_end(page, more);
	for (unsigned int i = 0; i < RT_EVENT_RECORDS - 1; i++) {
		assert_false(rt_event_page_over(page, records[i]));
		rt_event_page_end(page, records[i]);
		assert_true(rt_event_page_over(page, records[i]));
	}
	rt_event_page_put(page);
}

/* ---- two processes ------------------------------------------------------- */

static int in, out;	/* of a pipe each, to the other process */

/* A process that returns what @child does. There are no pages yet: it would have them, too. */
static pid_t fork_with(int (*child)(void))
{
	int to[2], from[2];
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	assert_true(pid >= 0);
	in = pid ? from[0] : to[0];
	out = pid ? to[1] : from[1];
	close(pid ? to[0] : from[0]);
	close(pid ? from[1] : to[1]);
	if (!pid)
		_exit(child());
	return pid;
}

static void say(const void *what, size_t bytes)
{
	if (write(out, what, bytes) != (ssize_t)bytes)
		abort();
}

static void hear(void *what, size_t bytes)
{
	if (read(in, what, bytes) != (ssize_t)bytes)
		abort();
}

static void say_name(struct rt_event_page *page)
{
	struct rt_event_name name;

	rt_event_page_name(page, &name);
	say(&name, sizeof(name));
}

static void expect_end(pid_t pid, int wanted)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, wanted);
	close(in);
	close(out);
}

static struct rt_event_page *heard(void)
{
	struct rt_event_page *page;
	struct rt_event_name name;

	hear(&name, sizeof(name));
	return rt_event_page_open(&name, &page) ? NULL : page;
}

/* Waits for what the other has recorded, then records, too. */
static int answers(void)
{
	struct rt_event_page *page = heard();
	uint64_t other, own;
	bool early;

	if (!page)
		return 1;
	other = rt_event_page_last(page);
	early = rt_event_page_over(page, other);
	say(&early, sizeof(early));
	while (!rt_event_page_wait(page, other))
		;
	own = recorded(page);
	say(&own, sizeof(own));
	hear(&early, sizeof(early));
	rt_event_page_end(page, own);
	rt_event_page_put(page);
	return 0;
}

static void both_record_and_wait(void **state)
{
	pid_t pid = fork_with(answers);
	struct rt_event_page *page = created();
	uint64_t own = recorded(page), other;
	bool early = true;

	(void)state;
	say_name(page);
	hear(&early, sizeof(early));
	assert_false(early);
	rt_event_page_end(page, own);
	hear(&other, sizeof(other));
	assert_int_equal(rt_event_page_last(page), other);
	assert_false(rt_event_page_over(page, other));
	say(&early, sizeof(early));
	while (!rt_event_page_wait(page, other))
		;
	expect_end(pid, 0);
	assert_true(rt_event_page_over(page, other));
	rt_event_page_put(page);
}

static int dies(void)
{
	struct rt_event_page *page = heard();
	uint64_t record;

	if (!page)
		return 1;
	record = recorded(page);
	say(&record, sizeof(record));
	pause();
	return 0;
}

/* A record whose process is killed is over, and stays so when another has the row. */
static void a_record_ends_with_its_process(void **state)
{
	pid_t second = fork_with(dies), pid;
	int in_second = in, out_second = out;
	struct rt_event_page *page;
	uint64_t record, later;

	(void)state;
	pid = fork_with(dies);
	page = created();
	say_name(page);
	hear(&record, sizeof(record));
	assert_false(rt_event_page_over(page, record));
	kill(pid, SIGKILL);
	while (!rt_event_page_wait(page, record))
		;
	expect_end(pid, SIGKILL);
	in = in_second;
	out = out_second;
	say_name(page);
	hear(&later, sizeof(later));
	assert_int_not_equal(later, record);
	assert_true(rt_event_page_over(page, record));
	assert_false(rt_event_page_over(page, later));
	kill(second, SIGKILL);
	expect_end(second, SIGKILL);
	assert_true(rt_event_page_over(page, later));
	rt_event_page_put(page);
}

/* ---- what is not opened -------------------------------------------------- */

static int opens_what_is_withdrawn(void)
{
	struct rt_event_name name, other;
	struct rt_event_page *page, *again;
	bool word = true;

	hear(&name, sizeof(name));
	other = name;
	other.bits[1] ^= 1;
	if (rt_event_page_open(&other, &page) != -ENOENT)
		return 1;
	other = name;
	other.file = 0;
	if (rt_event_page_open(&other, &page) != -ENOENT)
		return 2;
	other.process = -1;
	if (rt_event_page_open(&other, &page) != -ENOENT)
		return 3;
	/* twice is the same */
	if (rt_event_page_open(&name, &page) || rt_event_page_open(&name, &again) || page != again)
		return 4;
	/* another name for a file that is open takes nothing from it */
	other = name;
	other.bits[0] ^= 1;
	if (rt_event_page_open(&other, &again) != -ENOENT)
		return 5;
	recorded(page);
	say(&word, sizeof(word));
	hear(&word, sizeof(word));
	if (rt_event_page_open(&name, &again) != -ENOENT)
		return 6;
	rt_event_page_put(page);
	rt_event_page_put(page);
	return rt_event_page_open(&name, &again) == -ENOENT ? 0 : 7;
}

static void only_the_name_opens_it_until_it_is_withdrawn(void **state)
{
	pid_t pid = fork_with(opens_what_is_withdrawn);
	struct rt_event_page *page = created(), *opened;
	struct rt_event_name name;
	bool word;

	(void)state;
	rt_event_page_name(page, &name);
	assert_int_equal(rt_event_page_open(&name, &opened), -EEXIST);
	say_name(page);
	hear(&word, sizeof(word));
	/* its record is alive: nothing has given up its lock */
	assert_false(rt_event_page_over(page, rt_event_page_last(page)));
	rt_event_page_withdraw(page);
	say(&word, sizeof(word));
	expect_end(pid, 0);
	rt_event_page_put(page);
	assert_int_equal(rt_event_page_open(&name, &opened), -ENOENT);
}

/* A file like a page, that could be made shorter under who reads it. */
static int opens_what_can_shrink(void)
{
	struct rt_event_name name;
	struct rt_event_page *page;

	hear(&name, sizeof(name));
	return rt_event_page_open(&name, &page) == -ENOENT ? 0 : 1;
}

static void a_file_that_can_shrink_is_no_page(void **state)
{
	pid_t pid = fork_with(opens_what_can_shrink);
	struct rt_event_page *page = created();
	struct rt_event_name name;
	int file = memfd_create("vgpu-event", MFD_CLOEXEC);
	char bytes[4096];
	ssize_t got;

	(void)state;
	rt_event_page_name(page, &name);
	for (off_t at = 0; (got = pread(name.file, bytes, sizeof(bytes), at)) > 0; at += got)
		assert_int_equal(pwrite(file, bytes, (size_t)got, at), got);
	name.file = file;
	say(&name, sizeof(name));
	expect_end(pid, 0);
	close(file);
	rt_event_page_put(page);
}

/* Without rights of root another user opens nothing. */
static int opens_what_is_of_another(void)
{
	struct rt_event_name name;
	struct rt_event_page *page;

	hear(&name, sizeof(name));
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 1;
	return rt_event_page_open(&name, &page) == -ENOENT ? 0 : 2;
}

static void other_users_open_nothing(void **state)
{
	struct rt_event_page *page;
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_message("# only root can be another user\n");
		skip();
	}
	pid = fork_with(opens_what_is_of_another);
	page = created();
	say_name(page);
	expect_end(pid, 0);
	rt_event_page_put(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_over_when_it_ends),
		cmocka_unit_test(many_records_are_over_late_and_not_early),
		cmocka_unit_test(both_record_and_wait),
		cmocka_unit_test(a_record_ends_with_its_process),
		cmocka_unit_test(only_the_name_opens_it_until_it_is_withdrawn),
		cmocka_unit_test(a_file_that_can_shrink_is_no_page),
		cmocka_unit_test(other_users_open_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
