/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* One queue a cluster, and which processors are to take from it.
 *
 * Nothing is locked. A processor publishes what it executes before it looks at the queue; a thread that becomes
 * ready is announced before the processors are looked at. So of a thread and a processor that change at the same
 * time, at least one sees the other. A thread gets into the queue only after the program has ended that puts it
 * there: a processor that finds a thread announced and not in the queue looks again. */
#ifndef SCHEDLAB_QUEUE_H
#define SCHEDLAB_QUEUE_H

#include "jobs.h"

/* The queue of a cluster, by urgency. */
#define READY(cluster) (0x1000ull + (cluster))

/* Threads that wait for the processor in a section that is heeded. They go before all others there, by turns, since one
 * of them may spin for what another one holds. A thread gets there and away under the kernel's lock of the processor's
 * queue, so nothing needs to be announced. */
#define SECTIONS(cpu) (0x2000ull + (cpu))

/* The turn of a thread in a section while others wait in theirs, in ns; it ends at a tick. */
#define TURN 1000000ull

/* What a processor executes. */
struct seat {
	/* The key of its job; IDLE if that is none's, GRANTED while it must not be taken away. */
	u64 key;
	/* 1 if its job stays in a section although another one goes before it. */
	u32 delayed;
	/* 1 if the processor was kicked since it decided last. */
	u32 kicked;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, struct seat);
} seats SEC(".maps");

/* Threads that are announced to a cluster: the number in the lower half, how often it has changed in the upper one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, u64);
} announced SEC(".maps");

/* Announces a thread that will be in the queue soon. */
static __always_inline void announce(struct job *job, u32 cluster)
{
	u64 *count = bpf_map_lookup_elem(&announced, &cluster);
	if (count && !__sync_lock_test_and_set(&job->queued, 1))
		__sync_fetch_and_add(count, (1ull << 32) + 1);
}

/* Takes the announcement back: the thread is in the queue no longer. */
static __always_inline void withdraw(struct job *job, u32 cluster)
{
	u64 *count = bpf_map_lookup_elem(&announced, &cluster);
	/* One less below carries into the upper half. */
	if (count && __sync_lock_test_and_set(&job->queued, 0))
		__sync_fetch_and_add(count, (1ull << 32) - 1);
}

/* True if a thread may be on its way to the queue. */
static __always_inline bool is_on_its_way(u32 cluster)
{
	u64 *count = bpf_map_lookup_elem(&announced, &cluster);
	if (!count)
		return false;
	u64 before = *(volatile u64 *)count;
	s32 queued = scx_bpf_dsq_nr_queued(READY(cluster));
	u64 after = *(volatile u64 *)count;
	return before != after || (s32)before > queued;
}

/* Publishes what the processor executes. */
static __always_inline void sit(struct seat *seat, u64 key)
{
	__sync_lock_test_and_set(&seat->key, key);
	seat->delayed = 0;
}

static __always_inline void kick(u32 cpu, struct seat *seat)
{
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	if (tally)
		__sync_fetch_and_add(&tally->kicks, 1);
	seat->kicked = 1;
	scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

/* True if the processor is one of `members` and executes no task; it is kicked then. */
static __always_inline bool claim_idle(u64 members, u32 cpu)
{
	struct seat *seat = bpf_map_lookup_elem(&seats, &cpu);
	if (!seat || cpu >= CPUS || !(members >> cpu & 1) || seat->key != IDLE)
		return false;
	if (!scx_bpf_test_and_clear_cpu_idle(cpu))
		return false;
	kick(cpu, seat);
	return true;
}

/* Finds a processor for a ready job of `key` that executed on `last`, and kicks it: an idle one, else the one whose job
 * goes last, if it goes after this one. Processors in `claimed` are taken. Returns the processor's bit, or 0. */
__noinline u64 claim(u32 cluster, u64 key, u64 claimed, s32 last)
{
	u64 members = clusters.members[cluster & (CPUS - 1)] & ~claimed;
	u64 latest = key, unused = 0, found = 0;
	u32 cpu;
	if (claim_idle(members, last))
		return 1ull << (last & 63);
	bpf_for(cpu, 0, clusters.end)
	{
		u32 at = cpu;
		struct seat *seat = bpf_map_lookup_elem(&seats, &at);
		if (!seat || !(members >> (at & 63) & 1))
			continue;
		if (claim_idle(members, at))
			return 1ull << (at & 63);
		if (seat->key == IDLE)
			unused |= 1ull << (at & 63);
		else if (clusters.preemptive && seat->key > latest) {
			latest = seat->key;
			found = 1ull << (at & 63);
		}
	}
	/* Processors that execute no task, and are not idle: some may be on their way to be idle, and some be held
	 * by threads of a real-time class. So all are kicked, and the lowest one counts as taken. */
	u64 kicked = unused ? unused : found;
	bpf_for(cpu, 0, clusters.end)
	{
		u32 at = cpu;
		struct seat *seat = bpf_map_lookup_elem(&seats, &at);
		if (seat && (kicked >> (at & 63) & 1) && !seat->delayed)
			kick(at, seat);
	}
	return unused ? unused & -unused : found;
}

/* Kicks processors until none executes a job that a waiting one goes before. `incoming` is the key of a thread
 * that will be in the queue soon, and IDLE for none; `last` its last processor. Returns the processors that are to
 * change. */
__noinline u64 look(u32 cluster, u64 incoming, s32 last)
{
	struct task_struct *p;
	u64 claimed = 0, one;
	bpf_for_each(scx_dsq, p, READY(cluster), 0)
	{
		u64 key = p->scx.dsq_vtime;
		if (incoming < key) {
			one = claim(cluster, incoming, claimed, last);
			if (!one)
				return claimed;
			claimed |= one;
			incoming = IDLE;
		}
		s32 home = scx_bpf_task_cpu(p);
		if (p->migration_disabled) {
			/* It can execute on one processor only, for a moment. */
			u32 at = home;
			struct seat *seat = bpf_map_lookup_elem(&seats, &at);
			if (seat && seat->key > key && (clusters.preemptive || seat->key == IDLE))
				kick(at, seat);
			continue;
		}
		one = claim(cluster, key, claimed, home);
		if (!one)
			return claimed;
		claimed |= one;
	}
	if (incoming != IDLE)
		claimed |= claim(cluster, incoming, claimed, last);
	return claimed;
}

/* Looks after the processor has published what it executes. Returns true if it is to change itself. */
static __always_inline bool settle(u32 cpu, u32 cluster)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	if (!state || !tally)
		return false;
	if (!is_on_its_way(cluster)) {
		state->retries = 0;
	} else if (may_look_again(state, false)) {
		tally->repeated++;
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	}
	return look(cluster, IDLE, -1) >> (cpu & 63) & 1;
}

/* Takes the first ready thread whose key is below `limit`, and that may execute here. Returns its key; IDLE if there is
 * none. */
__noinline u64 take_before(u32 cluster, u32 cpu, u64 limit)
{
	struct task_struct *p;
	bpf_for_each(scx_dsq, p, READY(cluster), 0)
	{
		u64 key = p->scx.dsq_vtime;
		if (key >= limit)
			break;
		if (p->migration_disabled && scx_bpf_task_cpu(p) != cpu)
			continue;
		if (take_found(&___it, p)) {
			check_processor();
			return key;
		}
	}
	return IDLE;
}

/* The smallest key in the queue; IDLE if it is empty. */
__noinline u64 first_key(u32 cluster)
{
	struct task_struct *p;
	bpf_for_each(scx_dsq, p, READY(cluster), 0)
		return p->scx.dsq_vtime;
	return IDLE;
}

/* True if threads wait for the processor in sections. */
static __always_inline bool sections_wait(u32 cpu)
{
	return scx_bpf_dsq_nr_queued(SECTIONS(cpu)) > 0;
}

/* Queues a thread in a section that is heeded at its processor: it has slept there, or makes room for another one in a
 * section. Since it goes before others, its section counts as one that delays a preemption. */
static __always_inline void wait_in_section(struct task_struct *p, struct task *task, u32 cpu, u64 now, u64 enq_flags)
{
	struct seat *seat = bpf_map_lookup_elem(&seats, &cpu);
	keep(task, cpu, now);
	task->job->paused_since = now;
	insert(p, SECTIONS(cpu), TURN, enq_flags);
	/* A processor that is about to switch needs no kick, and one that has granted a slice looks at its end. */
	if (seat && seat->key != GRANTED)
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

static __always_inline s32 create_queues(void)
{
	s32 failed = 0;
	u32 cluster;
	bpf_for(cluster, 0, CPUS)
	{
		failed = failed ? failed : scx_bpf_create_dsq(READY(cluster), -1);
		failed = failed ? failed : scx_bpf_create_dsq(SECTIONS(cluster), -1);
	}
	return failed;
}

#endif
