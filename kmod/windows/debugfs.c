// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: <debugfs>/vgpu/<device>/ with levers for tests and tools that promise nothing to anybody
 * else.
 *
 * trace_on	0 or 1; 1 begins with an empty ring
 * trace	8 bytes "VGPUTRC1", then struct vgpu_trace_record; reading takes records out, end of
 *		file when there are none; the ring's memory goes when tracing is off and all is read
 * counts	what is alive, one "name number" a line: all 0 but "contexts" when nobody has the
 *		device open
 * frames	pages behind VRAM
 * preemptions	how long they took: "count total_ps max_ps", then "bucket count" a line for those
 *		that are not empty (struct vgpu_latency); writing anything resets them
 *
 * and one beside these folders:
 *
 * workers	how many there are, and what they and helpers, threads that wait, have executed with
 *		the actors (struct kvgpu_batch_counts), one "name number" a line
 */
#include <linux/debugfs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/windows/windows.h"

#define TRACE_MAGIC	"VGPUTRC1"
#define MAGIC_BYTES	8u

static struct dentry *root;

static unsigned int trace_records = 1u << 19;
module_param(trace_records, uint, 0444);
MODULE_PARM_DESC(trace_records, "room of the trace ring in records of 48 bytes, a power of two");

/* ---- trace_on ----------------------------------------------------------- */

static int do_trace_on(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_trace *trace = kdev->trace;
	bool on = *(u64 *)arg;

	if (on && !trace->on) {
		/* the sender holds read_lock: nobody reads */
		kfifo_reset(&trace->fifo);
		trace->lost = 0;
	}
	WRITE_ONCE(trace->on, on);
	kvgpu_trace_look(kdev);
	return 0;
}

static int trace_on_set(void *data, u64 value)
{
	struct kvgpu_dev *kdev = data;
	struct kvgpu_trace *trace = kdev->trace;
	int ret = 0;

	if (value > 1)
		return -EINVAL;
	mutex_lock(&trace->read_lock);
	if (value && !trace->ring) {
		trace->ring = kvmalloc_array(trace_records, sizeof(*trace->ring), GFP_KERNEL);
		ret = trace->ring ? kfifo_init(&trace->fifo, trace->ring,
					       trace_records * sizeof(*trace->ring)) : -ENOMEM;
	}
	if (!ret)
		ret = kvgpu_actor_call(kdev, do_trace_on, &value);
	mutex_unlock(&trace->read_lock);
	return ret;
}

static int trace_on_get(void *data, u64 *value)
{
	*value = READ_ONCE(((struct kvgpu_dev *)data)->trace->on);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(trace_on_fops, trace_on_get, trace_on_set, "%llu\n");

/* ---- trace -------------------------------------------------------------- */

static ssize_t trace_read(struct file *file, char __user *to, size_t room, loff_t *ppos)
{
	struct kvgpu_dev *kdev = file->private_data;
	struct kvgpu_trace *trace = kdev->trace;
	unsigned int got = 0;
	int ret = 0;

	if (room < sizeof(*trace->ring))
		return -EINVAL;
	if (!*ppos)
		return simple_read_from_buffer(to, room, ppos, TRACE_MAGIC, MAGIC_BYTES);
	if (mutex_lock_killable(&trace->read_lock))
		return -EINTR;
	if (trace->ring)
		ret = kfifo_to_user(&trace->fifo, to, room, &got);
	if (!trace->on && kfifo_is_empty(&trace->fifo)) {
		kvfree(trace->ring);
		trace->ring = NULL;
	}
	mutex_unlock(&trace->read_lock);
	*ppos += got;
	return got ? got : ret;
}

static const struct file_operations trace_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = trace_read,
	.llseek = noop_llseek,
};

/* ---- counts ------------------------------------------------------------- */

static int do_counts_show(struct kvgpu_dev *kdev, void *seq)
{
	struct vgpu_device_counts counts;

	vgpu_device_counts(kdev->model, &counts);
#define COUNT(name)	seq_printf(seq, #name " %llu\n", counts.name)
	COUNT(contexts);
	COUNT(queues);
	COUNT(modules);
	COUNT(commands);
	COUNT(kernels);
	COUNT(blocks);
	COUNT(frames);
	COUNT(page_tables);
#undef COUNT
	seq_printf(seq, "files %u\n", kdev->contexts_open);
	seq_printf(seq, "host_frames %lld\n", atomic64_read(&kdev->memory->frames));
	seq_printf(seq, "pins %lld\n", atomic64_read(&kdev->memory->pins));
	seq_printf(seq, "managed_pages %lld\n", atomic64_read(&kdev->memory->managed));
	seq_printf(seq, "pinned_pages %llu\n", kvgpu_pinned_pages());
	seq_printf(seq, "trace_lost %llu\n", kdev->trace->lost);
	return 0;
}

static int counts_show(struct seq_file *seq, void *unused)
{
	return kvgpu_actor_call_killable(seq->private, do_counts_show, seq);
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int frames_show(struct seq_file *seq, void *unused)
{
	struct kvgpu_dev *kdev = seq->private;

	seq_printf(seq, "%lld\n", atomic64_read(&kdev->memory->frames));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(frames);

/* ---- preemptions -------------------------------------------------------- */

static int do_preemptions_show(struct kvgpu_dev *kdev, void *seq)
{
	const struct vgpu_latency *latency = kdev->trace->preemptions;
	u32 i;

	seq_printf(seq, "%llu %llu %llu\n", latency->count, latency->total_ps, latency->max_ps);
	for (i = 0; i < VGPU_LATENCY_BUCKETS; i++)
		if (latency->buckets[i])
			seq_printf(seq, "%u %llu\n", i, latency->buckets[i]);
	return 0;
}

static int preemptions_show(struct seq_file *seq, void *unused)
{
	return kvgpu_actor_call(seq->private, do_preemptions_show, seq);
}

static int preemptions_open(struct inode *inode, struct file *file)
{
	return single_open(file, preemptions_show, inode->i_private);
}

static int do_preemptions_reset(struct kvgpu_dev *kdev, void *arg)
{
	memset(kdev->trace->preemptions, 0, sizeof(*kdev->trace->preemptions));
	return 0;
}

static ssize_t preemptions_write(struct file *file, const char __user *from, size_t count,
				 loff_t *ppos)
{
	struct seq_file *seq = file->private_data;

	kvgpu_actor_call(seq->private, do_preemptions_reset, NULL);
	return count;
}

static const struct file_operations preemptions_fops = {
	.owner = THIS_MODULE,
	.open = preemptions_open,
	.read = seq_read,
	.write = preemptions_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- workers ------------------------------------------------------------ */

static int workers_show(struct seq_file *file, void *unused)
{
	struct kvgpu_batch_counts counts;

	kvgpu_batch_count(&counts);
	seq_printf(file, "workers %u\nbatches %llu\nactor %llu\n", kvgpu_workers_number(),
		   counts.batches, counts.actor);
	seq_printf(file, "executed %llu\nleft %llu\nns %llu\n", counts.workers.executed,
		   counts.workers.left, counts.workers.ns);
	seq_printf(file, "helpers_executed %llu\nhelpers_left %llu\nhelpers_ns %llu\n",
		   counts.helpers.executed, counts.helpers.left, counts.helpers.ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(workers);

/* ---- folders ------------------------------------------------------------ */

/* Without debugfs the calls below do nothing, by its own contract. */
int kvgpu_trace_init(void)
{
	if (!is_power_of_2(trace_records) || trace_records < 2 || trace_records > 1u << 24) {
		pr_err("vgpu: trace_records=%u is not a power of two, 2 to %u\n", trace_records,
		       1u << 24);
		return -EINVAL;
	}
	root = debugfs_create_dir("vgpu", NULL);
	debugfs_create_file("workers", 0400, root, NULL, &workers_fops);
	return 0;
}

void kvgpu_trace_exit(void)
{
	debugfs_remove(root);
}

void kvgpu_trace_add(struct kvgpu_dev *kdev)
{
	char name[8];

	snprintf(name, sizeof(name), "%u", kdev->index);
	kdev->trace->debugfs = debugfs_create_dir(name, root);
	debugfs_create_file("trace_on", 0600, kdev->trace->debugfs, kdev, &trace_on_fops);
	debugfs_create_file("trace", 0400, kdev->trace->debugfs, kdev, &trace_fops);
	debugfs_create_file("counts", 0400, kdev->trace->debugfs, kdev, &counts_fops);
	debugfs_create_file("frames", 0400, kdev->trace->debugfs, kdev, &frames_fops);
	debugfs_create_file("preemptions", 0600, kdev->trace->debugfs, kdev, &preemptions_fops);
}

void kvgpu_trace_remove(struct kvgpu_dev *kdev)
{
	debugfs_remove(kdev->trace->debugfs);
}
