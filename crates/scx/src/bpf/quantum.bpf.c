/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A scheduler that decides by itself, at the boundaries of quanta: PD2, with early release or without, and staggered
 * PD2.
 *
 * A thread writes the times of its next two jobs into memory that it shares with the kernel, and sleeps. Each
 * processor's own timer fires at its boundaries, and the processor whose timer comes first decides. A ready thread
 * executes on the processor whose quantum it was given, and nowhere else. Inputs and decisions go out by a ring: from
 * the inputs the run decides anew, and compares. */
#include "deciding.h"

/* Each task's own queue. */
#define OWN(index) (0x1000ull + (index))

/* The task of a thread; 0 if it has none, or is none's any more. */
static __always_inline u32 task_of(struct task_struct *p)
{
	u32 index = index_of(p);
	struct body *thread = body(index);
	return index && thread && !thread->strayed ? index : 0;
}

/* A thread whose next job is not released within this time is to reach its sleep before: in its own queue it would wait
 * for its next quantum, and the kernel ejects a scheduler under which a ready thread waits for too long. Among threads
 * outside it may have to wait for the reserve, so one whose job comes sooner stays in its own queue. In ns. */
#define SOON 1000000000ull

/* True if no job of the thread is live or will be soon, or it does not wait for one yet: it executes as a thread that
 * is no task's. */
static __always_inline bool has_no_job(u32 index)
{
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	struct body *thread = body(index);
	if (!its || !thread)
		return true;
	u32 wanted = *(volatile u32 *)&its->job;
	if (!wanted || wanted == *(volatile u32 *)&thread->number)
		return !wanted;
	u64 zero = zero_of_run(), now = bpf_ktime_get_ns();
	u64 release = *(volatile u64 *)&its->release[wanted & 1];
	return release == NEVER || release > (now > zero ? now - zero : 0) + SOON;
}

/* The task that is to execute on the processor; 0 for none. */
static __always_inline u32 task_on(u32 place)
{
	struct seat *own = seat(place);
	u32 index = own ? own->index : 0;
	return may_execute(index, place) ? index : 0;
}

s32 OPS(quantum_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OPS(quantum_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 index = task_of(p);
	struct body *thread = body(index);
	struct entity *task = entity(index);
	u64 now = bpf_ktime_get_ns();
	check_run();
	if (let_go(p) && thread) {
		/* The task sleeps from now on, if its job is not complete. */
		note_end(index, thread, now);
		thread->slept_at = now;
		__sync_lock_test_and_set(&thread->asleep, 1);
		index = 0;
	}
	if (!index || !thread || !task) {
		enqueue_outside(p, enq_flags);
		return;
	}
	if (thread->asleep) {
		thread->woke_at = now;
		__sync_lock_test_and_set(&thread->asleep, 0);
	}
	note_end(index, thread, now);
	if (has_no_job(index)) {
		enqueue_outside(p, enq_flags);
		return;
	}
	/* Before the seat is read: a decision that is made now finds the word, or its seat is found here. */
	__sync_lock_test_and_set(&thread->queued, 1);
	insert(p, OWN(index), SCX_SLICE_INF, enq_flags);
	u32 home = task->home;
	if (may_execute(index, home))
		kick(home);
}

/* True if the processor shall look again for its task's thread, which is ready, but not yet in its queue. */
static __always_inline bool look_again(u32 cpu, u32 index)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct body *thread = body(index);
	if (!index || !thread || !thread->queued || !state)
		return false;
	return may_look_again(state, scx_bpf_dsq_nr_queued(OWN(index)) > 0);
}

/* True if the processor executes a task's thread next, or one by the reserve. `mine` is the task of the thread that
 * executes and is ready, 0 for none. */
static __always_inline bool go_on_with_quantum(u32 cpu, u32 place, struct task_struct *prev, u32 mine)
{
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	struct turn *its = turn(place);
	struct body *thread = body(mine);
	if (!tally || !its)
		return false;
	if (mine && thread)
		note_end(mine, thread, bpf_ktime_get_ns());
	u32 index = task_on(place);
	bool kicked = its->kicked;
	its->kicked = 0;
	struct body *next = body(index);
	bool contended = index && next && (next->queued || index == mine);
	if (contended && grant(cpu))
		return true;
	if (index && index == mine) {
		/* As it began, it did not have the quantum yet that it has now. A decision that takes the quantum away
		 * meanwhile writes another time, which stays. */
		if (thread && thread->since)
			__sync_val_compare_and_swap(&thread->without, thread->since, 0);
		tally->needless += kicked;
		set_slice(prev, SCX_SLICE_INF);
		return true;
	}
	return index && take(OWN(index));
}

/* Has the processor dispatch again if its task's thread is on its way to its queue, or became ready, or got the
 * quantum, while the processor looked for other threads: for that the kernel lets go of the processor's lock, and a
 * kick that comes then is lost. */
static __always_inline void dispatch_again(u32 cpu, u32 place)
{
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	if (!tally || !look_again(cpu, task_on(place)))
		return;
	tally->repeated++;
	scx_bpf_kick_cpu(cpu, 0);
}

void OPS(quantum_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 place = place_of(cpu);
	bool ready = prev && (prev->scx.flags & SCX_TASK_QUEUED);
	if (ready && is_bound_kernel_thread(prev)) {
		/* It goes before all tasks, until it sleeps. */
		set_slice(prev, OUTSIDE_SLICE);
		return;
	}
	if (place < CPUS && go_on_with_quantum(cpu, place, prev, ready ? task_of(prev) : 0))
		return;
	/* One that is taken looks by itself as it begins. */
	if (!take_outside(cpu) && place < CPUS)
		dispatch_again(cpu, place);
}

void OPS(quantum_tick, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = task_of(p);
	if (index && makes_room(cpu) && may_execute(index, place_of(cpu)))
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

void OPS(quantum_running, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id(), place = place_of(cpu);
	u32 index = task_of(p);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct body *thread = body(index);
	bool waits_for_job = index && thread && !has_no_job(index);
	if (!state)
		return;
	begin_execution(p, state, waits_for_job ? index : 0);
	if (place == CPUS || is_bound_kernel_thread(p) || state->granted)
		return;
	if (waits_for_job) {
		thread->queued = 0;
		thread->place = place;
		/* Before the seat is read, as above. */
		__sync_lock_test_and_set(&thread->since, state->since);
		if (may_execute(index, place)) {
			state->retries = 0;
			return;
		}
		lose_quantum(thread, place, state->since);
	}
	/* It may have come back from the processor's own queue, where a thread of a real-time class had put it, without
	 * `dispatch`: a decision meanwhile would be lost. */
	if (waits_for_job || look_again(cpu, task_on(place))) {
		count_corrected(cpu);
		/* A kick alone would take no slice away if a thread of a real-time class came before it. */
		set_slice(p, 0);
		scx_bpf_kick_cpu(cpu, 0);
	}
}

void OPS(quantum_stopping, struct task_struct *p, bool runnable)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = task_of(p);
	struct body *thread = body(index);
	bool executed_job = index && thread && thread->since;
	end_execution(p, cpu, executed_job ? index : 0);
	if (!executed_job)
		return;
	u64 now = bpf_ktime_get_ns();
	note_end(index, thread, now);
	end_stretch(thread, now);
}

/* The thread sleeps, or is scheduled by another class, or gets other processors. */
void OPS(quantum_quiescent, struct task_struct *p, u64 deq_flags)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = task_of(p);
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	struct body *thread = body(index);
	struct seat *own = seat(place_of(cpu));
	if (!index || !thread)
		return;
	thread->queued = 0;
	if (!(deq_flags & SCX_DEQ_SLEEP))
		return;
	u64 now = bpf_ktime_get_ns();
	note_end(index, thread, now);
	thread->slept_at = now;
	/* One that was on its way to sleep as its job began, sleeps for no time at all, and not as a part of the job. */
	bool has_taken = its && *(volatile u32 *)&its->taken == thread->number;
	thread->slept = own && has_taken && may_execute(index, place_of(cpu)) ? own->decision : 0;
	__sync_lock_test_and_set(&thread->asleep, 1);
}

/* A task's thread may execute on all processors of the scenario, and on no others. One that changes this is no task's
 * any more. The mask that the kernel hands over has one processor while the kernel may not move the thread, and says
 * nothing of what the thread asked for. */
void OPS(quantum_set_cpumask, struct task_struct *p, const struct cpumask *allowed)
{
	u32 index = task_of(p), cpu, count = 0;
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	struct body *thread = body(index);
	bool strays = false;
	if (!index || !its || !thread)
		return;
	bpf_for(cpu, 0, CPUS)
	{
		bool may = bpf_cpumask_test_cpu(cpu, &p->cpus_mask);
		strays = strays || may != is_scenarios(cpu);
		count += may;
	}
	/* It may be allowed to execute on processors that have no bit here. */
	if (!strays && count == p->nr_cpus_allowed)
		return;
	emit(STRAYED, index, thread->number, 0);
	thread->strayed = 1;
	its->strayed = 1;
}

s32 SEC("struct_ops.s/quantum_init") BPF_PROG(quantum_init)
{
	s32 failed = create_outside();
	u32 index;
	bpf_for(index, 1, INDICES)
		failed = failed ? failed : scx_bpf_create_dsq(OWN(index), -1);
	return failed ? failed : create_alarms();
}

void OPS(quantum_exit, struct scx_exit_info *info)
{
	report_ending(info);
}

SEC(".struct_ops.link")
struct sched_ext_ops quantum = {
	.select_cpu = (void *)quantum_select_cpu,
	.enqueue = (void *)quantum_enqueue,
	.dispatch = (void *)quantum_dispatch,
	.tick = (void *)quantum_tick,
	.running = (void *)quantum_running,
	.stopping = (void *)quantum_stopping,
	.quiescent = (void *)quantum_quiescent,
	.set_cpumask = (void *)quantum_set_cpumask,
	.init = (void *)quantum_init,
	.exit = (void *)quantum_exit,
	.flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING,
	.timeout_ms = 5000,
	.name = "schedlab_quantum",
};

/* Gives the task of this index a weight, before the kernel knows its thread. Called by the run. */
SEC("syscall")
int share_out(void *unused)
{
	u32 index;
	bpf_for(index, 1, INDICES)
	{
		u32 key = index;
		struct share *share = bpf_map_lookup_elem(&shares, &key);
		struct entity *task = entity(key);
		if (!share || !task || !share->slots || task->stream.slots)
			continue;
		task->stream.quanta = share->quanta;
		task->stream.slots = share->slots;
		task->stream.early = share->early != 0;
		start_pattern(&task->stream, 0);
	}
	return 0;
}

/* Arms the timer of the processor on which the run calls this. Time zero is known by then. */
SEC("syscall")
int arm_here(void *unused)
{
	u32 place = place_of(bpf_get_smp_processor_id());
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &place);
	if (!alarm || place >= CPUS)
		return 1;
	return arm(alarm, place) != 0;
}
