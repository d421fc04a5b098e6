/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Threads that are no tasks, for every scheduler. All threads of the machine that are not of a real-time class are
 * scheduled here. On the processors of the scenario those that are no tasks execute
 * - at once, if they are kernel threads that are bound to their processor;
 * - else in the time that tasks leave, and in a reserve: a thread that waits gets a slice each time that the reserve
 *   has come to be worth one. So the kernel's other work goes on under overload, and no thread starves until the kernel
 *   ejects the scheduler. */
#ifndef SCHEDLAB_OUTSIDE_H
#define SCHEDLAB_OUTSIDE_H

#include "kernel.h"
#include "shared.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, ##args)

/* Queues of threads that are no tasks, and of those of them that are bound to a processor. */
#define OUTSIDE 1ull
#define BOUND(cpu) (0x100ull + (cpu))

/* Slice of a thread that is no task, in ns. Where tasks wait, it is a part of the reserve. */
#define OUTSIDE_SLICE 1000000ull

/* A section of its own, so that the loader finds it at the section's begin. */
SEC(".rodata.settings") const volatile struct settings settings = {};

/* After so many looks in a row that last so long, in ns, a processor believes that no thread is on its way into a queue.
 * It takes both: a virtual processor may stand still for long between the two steps of queueing a thread, and the time
 * of a machine that was stopped goes on by a leap. */
#define MOST_LOOKS 1000
#define LONGEST_WAY 1000000000ull

#define SHARED_ARRAY(name, length, kind)                                                                               \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                                      \
		__uint(map_flags, BPF_F_MMAPABLE);                                                                     \
		__uint(max_entries, length);                                                                           \
		__type(key, u32);                                                                                      \
		__type(value, kind);                                                                                   \
	} name SEC(".maps")

SHARED_ARRAY(accounts, CPUS, struct account);
SHARED_ARRAY(endings, 1, struct ending);
SHARED_ARRAY(beats, 1, struct beat);

/* Index of a task, kept with its thread. */
struct owner {
	u32 index;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct owner);
} owners SEC(".maps");

/* What the scheduler keeps of a processor. */
struct processor {
	/* Since when the thread that executes does so; 0 if none of ours does. */
	u64 since;
	/* When `owed` was last brought up to date; 0 if no thread outside waited. */
	u64 counted;
	/* What threads outside may still execute in place of tasks, in ns; below 0 after a slice that ended late,
	 * since slices end at ticks. */
	s64 owed;
	/* Set when the next thread outside executes by the reserve, and while it does. `stopping` of the thread
	 * before comes in between. */
	u32 granting;
	u32 granted;
	/* How often in a row a task's thread was ready and in no queue, up to MOST_LOOKS, and since when. */
	u32 retries;
	u64 looking_since;
	/* 1 if the thread outside that was taken last is bound to the processor. */
	u32 was_bound;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, struct processor);
} states SEC(".maps");

/* Index of the thread's task; 0 if it is none's. */
static __always_inline u32 index_of(struct task_struct *p)
{
	struct owner *owner = bpf_task_storage_get(&owners, p, 0, 0);
	return owner ? owner->index : 0;
}

/* True if the thread is on its way out. It is no task's any more from now on, and executes as threads outside do.
 * Without SCX_OPS_ENQ_EXITING the kernel would put it into the processor's own queue, where it and an interrupted job
 * would take turns for ever, as both give way to a more urgent job in a queue that the kernel does not ask then. */
static __always_inline bool let_go(struct task_struct *p)
{
	if (!(p->flags & PF_EXITING))
		return false;
	struct owner *owner = bpf_task_storage_get(&owners, p, 0, 0);
	if (owner)
		owner->index = 0;
	return true;
}

static __always_inline bool is_scenarios(u32 cpu)
{
	return cpu < CPUS && (settings.processors >> cpu & 1);
}

static __always_inline bool is_bound_kernel_thread(struct task_struct *p)
{
	return (p->flags & PF_KTHREAD) && p->nr_cpus_allowed == 1;
}

/* True if the processor shall look again for a thread that is ready. `there` if the thread is in a queue by now: if it
 * was not just put there, it is not allowed to execute here, and looks are in vain. */
static __always_inline bool may_look_again(struct processor *state, bool there)
{
	u64 now = bpf_ktime_get_ns();
	if (!state->retries)
		state->looking_since = now;
	if (state->retries < MOST_LOOKS)
		state->retries++;
	else if (there || now - state->looking_since >= LONGEST_WAY)
		return false;
	return true;
}

/* True if a thread outside waits that may execute on the processor, or might. */
static __always_inline bool outside_waits(u32 cpu)
{
	return (cpu < CPUS && scx_bpf_dsq_nr_queued(BOUND(cpu)) > 0) || scx_bpf_dsq_nr_queued(OUTSIDE) > 0;
}

/* Takes a thread that is no task: by turns one that is bound to the processor, and one that is not, so that neither
 * kind starves. */
static __always_inline bool take_outside(u32 cpu)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	/* No queue of their own for threads that are bound to a processor beyond those that a scenario may have. */
	if (cpu >= CPUS)
		return take(OUTSIDE);
	bool bound = !state || !state->was_bound;
	if (!take(bound ? BOUND(cpu) : OUTSIDE)) {
		bound = !bound;
		if (!take(bound ? BOUND(cpu) : OUTSIDE))
			return false;
	}
	if (state)
		state->was_bound = bound;
	return true;
}

/* Brings what threads outside are owed up to date, and says whether that is worth a slice. Only time counts in
 * which one of them waited. */
static __always_inline bool is_owed(u32 cpu)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	if (!state || !settings.reserve_ns)
		return false;
	if (!outside_waits(cpu)) {
		state->counted = 0;
		return false;
	}
	u64 now = bpf_ktime_get_ns();
	if (state->counted && now > state->counted) {
		u64 waited = now - state->counted;
		if (waited > 1000000000ull)
			waited = 1000000000ull;
		state->owed += waited * settings.reserve_ns / 1000000000ull;
		s64 most = settings.reserve_ns > OUTSIDE_SLICE ? settings.reserve_ns : OUTSIDE_SLICE;
		if (state->owed > most)
			state->owed = most;
	}
	state->counted = now;
	return state->owed >= (s64)OUTSIDE_SLICE;
}

/* Takes the scheduler away if the run has given no sign of life for long. Whatever happens on the machine, some thread
 * is queued, and asks; a sign that is only late gets a second chance. */
static __always_inline void check_run(void)
{
	u32 only = 0;
	struct beat *beat = bpf_map_lookup_elem(&beats, &only);
	if (!beat || !beat->at)
		return;
	u64 now = bpf_ktime_get_ns();
	if (now < beat->at + BEAT_STALE) {
		if (beat->missed)
			beat->missed = 0;
		return;
	}
	if (!beat->missed) {
		beat->missed = now;
	} else if (now > beat->missed + BEAT_CONFIRMED) {
		static char reason[] = "the run's process stands still";
		unsigned long long none[1] = {};
		scx_bpf_exit_bstr(EXIT_STANDS_STILL, reason, none, sizeof(none));
	}
}

/* Takes the scheduler away if a thread that was just taken is not in the processor's own queue. The kernel has put it
 * elsewhere then, because the processor goes off line. The kernel ends the scheduler for that, too, but not before
 * threads outside have executed, for which a processor that tasks' threads go to and from has no time. */
static __always_inline void check_processor(void)
{
	static char reason[] = "a processor goes off line";
	unsigned long long none[1] = {};
	if (!scx_bpf_dsq_nr_queued(SCX_DSQ_LOCAL))
		scx_bpf_exit_bstr(EXIT_OFF_LINE, reason, none, sizeof(none));
}

/* True if a task's thread that executes on the processor outside a section has to stop at this tick: threads outside
 * are owed a slice, or a bound kernel thread is in the processor's own queue. Such a one goes before all tasks, but a
 * task's thread that a thread of a real-time class had put into that queue may have left it first. */
static __always_inline bool makes_room(u32 cpu)
{
	return is_scenarios(cpu) && (is_owed(cpu) || scx_bpf_dsq_nr_queued(SCX_DSQ_LOCAL) > 0);
}

/* Takes a thread by the reserve, if threads outside are owed a slice. */
static __always_inline bool grant(u32 cpu)
{
	if (!is_scenarios(cpu) || !is_owed(cpu) || !take_outside(cpu))
		return false;
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	if (state)
		state->granting = 1;
	return true;
}

static __always_inline void enqueue_outside(struct task_struct *p, u64 enq_flags)
{
	if (is_bound_kernel_thread(p)) {
		insert(p, SCX_DSQ_LOCAL, OUTSIDE_SLICE, enq_flags | SCX_ENQ_PREEMPT);
		return;
	}
	if (p->nr_cpus_allowed == 1 && scx_bpf_task_cpu(p) >= CPUS) {
		insert(p, SCX_DSQ_LOCAL, OUTSIDE_SLICE, enq_flags);
		return;
	}
	u64 queue = p->nr_cpus_allowed == 1 ? BOUND(scx_bpf_task_cpu(p)) : OUTSIDE;
	s32 idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	insert(p, queue, OUTSIDE_SLICE, enq_flags);
	/* A processor that has found nothing may not be known as idle yet. */
	scx_bpf_kick_cpu(idle >= 0 ? idle : scx_bpf_task_cpu(p), SCX_KICK_IDLE);
}

/* Counts a time that a thread kept the processor in a section. */
static __always_inline void count_kept(u32 cpu)
{
	struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
	if (account)
		account->kept++;
}

/* Counts a kick that corrects what came back from the processor's own queue. */
static __always_inline void count_corrected(u32 cpu)
{
	struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
	if (account)
		account->corrected++;
}

/* Notes that the thread executes now; `index` is its task's, 0 for none. */
static __always_inline void begin_execution(struct task_struct *p, struct processor *state, u32 index)
{
	state->since = bpf_ktime_get_ns();
	if (!is_bound_kernel_thread(p)) {
		state->granted = !index && state->granting;
		state->granting = 0;
	}
}

/* Notes that the thread executes no longer, and counts for how long it did if it is no task's. Returns the time,
 * in ns. */
static __always_inline u64 end_execution(struct task_struct *p, u32 cpu, u32 index)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
	if (!state || !account || !state->since)
		return 0;
	u64 now = bpf_ktime_get_ns();
	u64 executed = now > state->since ? now - state->since : 0;
	bool granted = state->granted;
	state->since = 0;
	state->granted = 0;
	if (index)
		return executed;
	if (is_bound_kernel_thread(p)) {
		account->kernel_ns += executed;
		return executed;
	}
	account->outside_ns += executed;
	if (granted)
		account->reserve_ns += executed;
	/* Time that tasks left is a small debt at most. A slice of the reserve is one of its full length, which ends at a
	 * tick: that is much later than planned where the kernel has few of them. */
	s64 most = granted ? 100 * (s64)OUTSIDE_SLICE : 2 * (s64)OUTSIDE_SLICE;
	s64 left = state->owed - (s64)executed;
	if (left >= -most)
		state->owed = left;
	else if (state->owed > -most)
		state->owed = -most;
	return executed;
}

/* Makes the queues of threads that are no tasks. Returns an error of the kernel's, or 0. */
static __always_inline s32 create_outside(void)
{
	s32 failed = scx_bpf_create_dsq(OUTSIDE, -1);
	s32 cpu;
	bpf_for(cpu, 0, CPUS)
		failed = failed ? failed : scx_bpf_create_dsq(BOUND(cpu), -1);
	return failed;
}

/* Hands the end over that the kernel reports. */
static __always_inline void report_ending(struct scx_exit_info *info)
{
	u32 only = 0;
	struct ending *ending = bpf_map_lookup_elem(&endings, &only);
	if (!ending)
		return;
	ending->code = info->exit_code;
	bpf_probe_read_kernel_str(ending->reason, sizeof(ending->reason), info->reason);
	bpf_probe_read_kernel_str(ending->message, sizeof(ending->message), info->msg);
	__sync_lock_test_and_set(&ending->kind, info->kind);
}

#endif
