/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Threads of tasks under the scheduler by quanta: for how long their jobs executed, when these were complete, and for
 * how long a thread went on without a quantum.
 *
 * A thread's processor notes when it begins and stops; the processor that decides reads that, and notes when a job
 * begins and when a thread loses its quantum. Nothing is locked, so each of the two has its own words. */
#ifndef SCHEDLAB_BODIES_H
#define SCHEDLAB_BODIES_H

#include "records.h"
#include "quantum.h"

/* Memory of the scheduler alone. */
#define OWN_ARRAY(name, length, kind)                                                                                  \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                                      \
		__uint(max_entries, length);                                                                           \
		__type(key, u32);                                                                                      \
		__type(value, kind);                                                                                   \
	} name SEC(".maps")

SHARED_ARRAY(shares, INDICES, struct share);
SHARED_ARRAY(arrivals, INDICES, struct arrivals);
SHARED_ARRAY(lateness, CPUS, struct lateness);

/* What the processors see of a task's thread. Times are by the monotonic clock, in ns. */
struct body {
	/* Since when it executes as a task's; 0 if it does not. */
	u64 since;
	/* Since when it executes without a quantum; 0 if it does not. */
	u64 without;
	/* When it stopped last. */
	u64 stopped;
	/* Time for which jobs of even and of odd numbers have executed, without the present stretch. */
	u64 executed[2];
	/* When the kernel let its job begin. */
	u64 begun;
	/* When it fell asleep last, and the `decision` of the quantum in which it did; 0 for none. */
	u64 slept_at;
	u64 slept;
	u64 woke_at;
	/* When its job counts as released, in ns of the run. */
	u64 released;
	/* When the job of number `ended` was seen to be complete. */
	u64 ended_at;
	u32 ended;
	/* Number of the job, the last one's if it is complete; 0 before the first. */
	u32 number;
	/* The place of the processor where it executes, or did last. */
	u32 place;
	u32 asleep;
	/* 1 while it is ready and does not execute. */
	u32 queued;
	u32 overran;
	u32 strayed;
};

OWN_ARRAY(bodies, INDICES, struct body);

static __always_inline struct body *body(u32 index)
{
	return bpf_map_lookup_elem(&bodies, &index);
}

static __always_inline u64 zero_of_run(void)
{
	u32 only = 0;
	struct origin *origin = bpf_map_lookup_elem(&origins, &only);
	return origin ? origin->at : ~0ull;
}

/* Notes when the task's job was complete, if it is. */
static __always_inline void note_end(u32 index, struct body *thread, u64 now)
{
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	/* Once: the next job may begin meanwhile. */
	u32 number = *(volatile u32 *)&thread->number;
	if (!its || thread->ended == number || *(volatile u32 *)&its->job == number)
		return;
	thread->ended_at = now;
	__sync_lock_test_and_set(&thread->ended, number);
}

/* Notes, on the processor that decides, that job `number` of the thread begins. */
static __always_inline void begin_body(struct body *thread, u32 number)
{
	thread->overran = 0;
	thread->executed[number & 1] = 0;
	thread->begun = bpf_ktime_get_ns();
	/* After the two above: whoever sees the number counts for this job, and not what was before it. */
	__sync_lock_test_and_set(&thread->number, number);
}

/* For how long the thread's job has executed until `now`; never too long. */
static __always_inline u64 executed_until(struct body *thread, u64 now)
{
	/* In this order: a stretch that ends meanwhile does not count twice. */
	u64 before = __sync_fetch_and_add(&thread->executed[thread->number & 1], 0);
	u64 since = *(volatile u64 *)&thread->since;
	if (!since)
		return before;
	if (since < thread->begun)
		since = thread->begun;
	return now > since ? before + (now - since) : before;
}

/* Counts that a thread went on from `from`, 0 for never, until `to` without a quantum. */
static __always_inline void count_without(u64 from, u64 to)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct lateness *late = bpf_map_lookup_elem(&lateness, &cpu);
	if (late && from && to > from && to - from > late->longest_stop)
		late->longest_stop = to - from;
}

/* Notes that the thread stops executing, and counts what it did. */
static __always_inline void end_stretch(struct body *thread, u64 now)
{
	u64 since = __sync_lock_test_and_set(&thread->since, 0);
	u32 number = *(volatile u32 *)&thread->number;
	u64 from = since < thread->begun ? thread->begun : since;
	thread->stopped = now;
	if (since && now > from)
		__sync_fetch_and_add(&thread->executed[number & 1], now - from);
	count_without(__sync_lock_test_and_set(&thread->without, 0), now);
}

/* Notes, on the processor that decides, that the thread loses the quantum of `place` at `at`. */
static __always_inline void lose_quantum(struct body *thread, u32 place, u64 at)
{
	u64 since = *(volatile u64 *)&thread->since;
	if (!since || *(volatile u32 *)&thread->place != place || thread->without)
		return;
	__sync_lock_test_and_set(&thread->without, since > at ? since : at);
	/* Of a stretch that has ended meanwhile, nobody takes it away. */
	if (*(volatile u64 *)&thread->since != since)
		__sync_lock_test_and_set(&thread->without, 0);
}

/* Notes, on the processor that decides, that the thread has the quantum of `place` from `at` on. */
static __always_inline void regain_quantum(struct body *thread, u32 place, u64 at)
{
	if (thread->without && *(volatile u64 *)&thread->since && *(volatile u32 *)&thread->place == place)
		count_without(__sync_lock_test_and_set(&thread->without, 0), at);
}

#endif
