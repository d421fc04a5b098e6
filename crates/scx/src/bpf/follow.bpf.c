/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A scheduler that follows links: the run decides which task's thread is linked to which processor, and the kernel makes
 * it true. A ready thread of a task executes where it is linked, and nowhere else.
 *
 * Each task has a queue of its own, so a thread is never behind another one. The functions of the scheduler have no
 * timer, no lock and no loop: they load quickly and cannot deadlock. */
#include "outside.h"
#include "links.h"

/* Each task's own queue. */
#define OWN(index) (0x1000ull + (index))

/* Index by processor: the links, and what `relink` makes links of. Memory that is shared has eight bytes an entry, or a
 * multiple. */
SHARED_ARRAY(links, CPUS, u64);
SHARED_ARRAY(wishes, CPUS, u64);
SHARED_ARRAY(places, INDICES, struct place);

static __always_inline u32 link_of(u32 cpu)
{
	u64 *index = bpf_map_lookup_elem(&links, &cpu);
	return index ? *index : 0;
}

static __always_inline struct place *place_of(u32 index)
{
	return index ? bpf_map_lookup_elem(&places, &index) : 0;
}

s32 OPS(follow_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

/* Notes that a thread keeps its processor in a section. The thread executes nothing meanwhile: it finds the word when its
 * section ends. */
static __always_inline void keep(u32 cpu, struct place *place)
{
	place->kept = 1;
	count_kept(cpu);
}

/* True if the kernel may not move the thread: it was interrupted in code that has to end on its processor, such as a
 * filter of a socket or of system calls. As soon as that code ends, the kernel queues the thread anew. */
static __always_inline bool is_pinned(struct task_struct *p)
{
	return (u64)p->cpus_ptr != (u64)&p->cpus_mask;
}

void OPS(follow_enqueue, struct task_struct *p, u64 enq_flags)
{
	bool leaves = let_go(p);
	u32 index = index_of(p);
	struct place *place = place_of(index);
	check_run();
	if (leaves || !place) {
		enqueue_outside(p, enq_flags);
		return;
	}
	bool woken = enq_flags & SCX_ENQ_WAKEUP;
	if (place->section == SECTION_INSIDE || (place->section && !woken)) {
		/* The section was interrupted, or has slept in the kernel: it goes on where it was, before all that is linked,
		 * even if its own link goes meanwhile. Sections on one processor take turns when one yields. */
		keep(scx_bpf_task_cpu(p), place);
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, enq_flags | (woken ? SCX_ENQ_PREEMPT : 0));
		return;
	}
	if (place->section && !place->cpu) {
		/* A signal has woken it at its gate: it looks, and sleeps again. */
		enqueue_outside(p, enq_flags);
		return;
	}
	if (is_pinned(p)) {
		/* Its link may lead to another processor, which could not take it: it goes on where it was, for a moment. */
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, enq_flags | SCX_ENQ_PREEMPT);
		return;
	}
	/* Before the place is read: a link that comes now finds the word, or its place is found here. */
	__sync_lock_test_and_set(&place->queued, 1);
	insert(p, OWN(index), SCX_SLICE_INF, enq_flags);
	u32 cpu = place->cpu - 1;
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	/* A slice of the reserve that has just been granted puts the thread here, and is not to be taken back. */
	if (state)
		scx_bpf_kick_cpu(cpu, state->granting ? 0 : SCX_KICK_PREEMPT);
}

/* True if the thread of `index`, which executes, goes on: by its link, in a section that must not be interrupted, or
 * because the kernel may not move it. */
static __always_inline bool goes_on(struct task_struct *p, u32 cpu, u32 index, u32 link)
{
	struct place *place = place_of(index);
	if (!place)
		return false;
	if (index == link || is_pinned(p))
		return true;
	if (!place->section)
		return false;
	keep(cpu, place);
	return true;
}

/* True if the processor shall look again for its linked thread, which is ready, but not yet in its queue. */
static __always_inline bool look_again(u32 cpu, u32 link)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct place *linked = place_of(link);
	if (!linked || !linked->queued || !state)
		return false;
	return may_look_again(state, scx_bpf_dsq_nr_queued(OWN(link)) > 0);
}

void OPS(follow_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 link = link_of(cpu);
	struct place *linked = place_of(link);
	bool ready = prev && (prev->scx.flags & SCX_TASK_QUEUED);
	if (ready && is_bound_kernel_thread(prev)) {
		/* It goes before all tasks, until it sleeps: a kick that was meant for the task before it takes nothing away. */
		set_slice(prev, OUTSIDE_SLICE);
		return;
	}
	u32 index = ready ? index_of(prev) : 0;
	struct place *place = place_of(index);
	bool contended = linked && (linked->queued || index == link);
	if (contended && !(place && place->section) && grant(cpu))
		return;
	if (ready && goes_on(prev, cpu, index, link)) {
		set_slice(prev, SCX_SLICE_INF);
		return;
	}
	if (linked && take(OWN(link)))
		return;
	/* One that is taken looks by itself as it begins. While the processor looks for others, the kernel may let go of the
	 * processor's lock: a kick that comes then is lost. */
	if (!take_outside(cpu) && look_again(cpu, link_of(cpu)))
		scx_bpf_kick_cpu(cpu, 0);
}

void OPS(follow_tick, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = index_of(p);
	if (!index || !makes_room(cpu))
		return;
	struct place *place = place_of(index);
	if (place && !place->section)
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

void OPS(follow_running, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = index_of(p);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct place *place = place_of(index);
	if (state)
		begin_execution(p, state, index);
	u32 link = link_of(cpu);
	if (place)
		place->queued = 0;
	if (state && index == link)
		state->retries = 0;
	if (index == link || is_bound_kernel_thread(p) || (state && state->granted))
		return;
	/* It may have come back from the processor's own queue, where a thread of a real-time class had put it, without
	 * `dispatch`: a link that changed meanwhile would be lost. */
	if (place && place->section) {
		/* It finds the word when its section ends: until then another processor, or none, may have become its own. */
		keep(cpu, place);
		return;
	}
	/* Once the kernel may move it, it begins anew here. */
	if (place && is_pinned(p))
		return;
	if (place || look_again(cpu, link)) {
		count_corrected(cpu);
		/* A kick alone would take no slice away if a thread of a real-time class came before it. */
		set_slice(p, 0);
		scx_bpf_kick_cpu(cpu, 0);
	}
}

void OPS(follow_stopping, struct task_struct *p, bool runnable)
{
	end_execution(p, bpf_get_smp_processor_id(), index_of(p));
}

/* The thread sleeps, or is scheduled by another class: no processor looks for it. */
void OPS(follow_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct place *place = place_of(index_of(p));
	if (place)
		place->queued = 0;
}

s32 SEC("struct_ops.s/follow_init") BPF_PROG(follow_init)
{
	s32 failed = create_outside();
	s32 index;
	bpf_for(index, 1, INDICES)
		failed = failed ? failed : scx_bpf_create_dsq(OWN(index), -1);
	return failed;
}

void OPS(follow_exit, struct scx_exit_info *info)
{
	report_ending(info);
}

SEC(".struct_ops.link")
struct sched_ext_ops follow = {
	.select_cpu = (void *)follow_select_cpu,
	.enqueue = (void *)follow_enqueue,
	.dispatch = (void *)follow_dispatch,
	.tick = (void *)follow_tick,
	.running = (void *)follow_running,
	.stopping = (void *)follow_stopping,
	.quiescent = (void *)follow_quiescent,
	.init = (void *)follow_init,
	.exit = (void *)follow_exit,
	.flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING,
	.timeout_ms = 5000,
	.name = "schedlab_follow",
};

/* Makes links of the wishes of some processors: afterwards each of them executes the thread of its new link, and none of
 * its old one. Called by the run with `struct change`. Two calls at a time must not name the same processor. */
SEC("syscall")
int relink(struct change *change)
{
	u64 changed = change->processors;
	u32 cpu;
	/* Places are taken away first: a thread that changes processors has one place at the end, whatever the order. */
	bpf_for(cpu, 0, CPUS)
	{
		u32 key = cpu;
		if (!(changed >> (key & 63) & 1))
			continue;
		u64 *link = bpf_map_lookup_elem(&links, &key);
		u64 *wish = bpf_map_lookup_elem(&wishes, &key);
		if (!link || !wish)
			continue;
		struct place *place = place_of(*link);
		if (place && place->cpu == key + 1)
			place->cpu = 0;
		*link = *wish;
		struct processor *state = bpf_map_lookup_elem(&states, &key);
		if (state)
			state->retries = 0;
	}
	bpf_for(cpu, 0, CPUS)
	{
		if (!(changed >> (cpu & 63) & 1))
			continue;
		struct place *place = place_of(link_of(cpu));
		if (place)
			place->cpu = cpu + 1;
	}
	bpf_for(cpu, 0, CPUS)
	{
		if (changed >> (cpu & 63) & 1)
			scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	}
	return 0;
}
