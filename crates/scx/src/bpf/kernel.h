/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Types and functions of Linux that schedlab's BPF schedulers use, for 6.12 and later.
 *
 * Fields are found by name when a program is loaded (CO-RE), so a type lists only the fields that are used.
 * Functions that got another name after 6.12 are weak; the wrappers below call the name that the kernel has. */
#ifndef SCHEDLAB_KERNEL_H
#define SCHEDLAB_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Never looked into: the kernel compares only kinds of types. */
struct cpumask {
	unsigned long bits[1];
};

struct sched_ext_entity {
	u32 flags;
	u64 slice;
	u64 dsq_vtime;
};

struct task_struct {
	u32 flags;
	s32 nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	struct cpumask cpus_mask;
	unsigned short migration_disabled;
	struct sched_ext_entity scx;
};

enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
	enum scx_exit_kind kind;
	s64 exit_code;
	const char *reason;
	char *msg;
};

#pragma clang attribute pop

/* An iterator over a queue. */
struct bpf_iter_scx_dsq {
	u64 opaque[6];
};

/* Functions of a scheduler: the kernel finds them by name, so those that are not used are left out. */
struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *p, s32 prev_cpu, u64 wake_flags);
	void (*enqueue)(struct task_struct *p, u64 enq_flags);
	void (*dispatch)(s32 cpu, struct task_struct *prev);
	void (*tick)(struct task_struct *p);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	void (*quiescent)(struct task_struct *p, u64 deq_flags);
	void (*set_cpumask)(struct task_struct *p, const struct cpumask *allowed);
	s32 (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	u64 flags;
	u32 timeout_ms;
	char name[128];
};

#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000
#define SCX_TASK_QUEUED 1u
#define SCX_OPS_ENQ_LAST (1ull << 1)
#define SCX_OPS_ENQ_EXITING (1ull << 2)
#define SCX_DSQ_LOCAL ((1ull << 63) | 2)
#define SCX_SLICE_INF (~0ull)
#define SCX_ENQ_WAKEUP 1ull
#define SCX_ENQ_PREEMPT (1ull << 32)
#define SCX_DEQ_SLEEP 1ull
#define SCX_KICK_IDLE 1ull
#define SCX_KICK_PREEMPT 2ull

s32 scx_bpf_create_dsq(u64 dsq, s32 node) __ksym;
void scx_bpf_kick_cpu(s32 cpu, u64 flags) __ksym;
s32 scx_bpf_dsq_nr_queued(u64 dsq) __ksym;
s32 scx_bpf_task_cpu(const struct task_struct *p) __ksym;
s32 scx_bpf_pick_idle_cpu(const struct cpumask *allowed, u64 flags) __ksym;
void scx_bpf_exit_bstr(s64 exit_code, char *fmt, unsigned long long *data, u32 data__sz) __ksym;
bool scx_bpf_test_and_clear_cpu_idle(s32 cpu) __ksym;
bool bpf_cpumask_test_cpu(u32 cpu, const struct cpumask *mask) __ksym;
int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq, u64 flags) __ksym;
struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym;

/* Names of 6.12; the second of each pair is the name from 6.13 on. */
void scx_bpf_dispatch(struct task_struct *p, u64 dsq, u64 slice, u64 flags) __ksym __weak;
void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq, u64 slice, u64 flags) __ksym __weak;
void scx_bpf_dispatch_vtime(struct task_struct *p, u64 dsq, u64 slice, u64 vtime, u64 flags) __ksym __weak;
void scx_bpf_dsq_insert_vtime(struct task_struct *p, u64 dsq, u64 slice, u64 vtime, u64 flags) __ksym __weak;
bool scx_bpf_dispatch_from_dsq(struct bpf_iter_scx_dsq *it__iter, struct task_struct *p, u64 dsq,
			       u64 flags) __ksym __weak;
bool scx_bpf_dsq_move(struct bpf_iter_scx_dsq *it__iter, struct task_struct *p, u64 dsq, u64 flags) __ksym __weak;
bool scx_bpf_consume(u64 dsq) __ksym __weak;
bool scx_bpf_dsq_move_to_local(u64 dsq) __ksym __weak;
/* The slice is set by a function from 6.19 on. */
bool scx_bpf_task_set_slice(struct task_struct *p, u64 slice) __ksym __weak;

/* Puts the thread into a queue. */
static __always_inline void insert(struct task_struct *p, u64 dsq, u64 slice, u64 flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert))
		scx_bpf_dsq_insert(p, dsq, slice, flags);
	else
		scx_bpf_dispatch(p, dsq, slice, flags);
}

/* Puts the thread into a queue that is ordered by `key`, the smallest first. */
static __always_inline void insert_by(struct task_struct *p, u64 dsq, u64 slice, u64 key, u64 flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert_vtime))
		scx_bpf_dsq_insert_vtime(p, dsq, slice, key, flags);
	else
		scx_bpf_dispatch_vtime(p, dsq, slice, key, flags);
}

/* Moves a thread that the iterator has found to the queue of the processor that dispatches. False if it is not there
 * any more. */
static __always_inline bool take_found(struct bpf_iter_scx_dsq *it, struct task_struct *p)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move))
		return scx_bpf_dsq_move(it, p, SCX_DSQ_LOCAL, 0);
	return scx_bpf_dispatch_from_dsq(it, p, SCX_DSQ_LOCAL, 0);
}

/* Takes the first thread of a queue that may execute here; false if there is none. */
static __always_inline bool take(u64 dsq)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local))
		return scx_bpf_dsq_move_to_local(dsq);
	return scx_bpf_consume(dsq);
}

static __always_inline void set_slice(struct task_struct *p, u64 slice)
{
	if (bpf_ksym_exists(scx_bpf_task_set_slice))
		scx_bpf_task_set_slice(p, slice);
	else
		p->scx.slice = slice;
}

#endif
