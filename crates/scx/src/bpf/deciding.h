/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Decisions of the scheduler by quanta: what has happened since the one before, who gets which quantum, and when.
 *
 * Each decision has a time at which it is due, and is made a moment later, in the timer of the processor that comes
 * first. Nothing is locked: a processor that finds another one deciding leaves its own decision to that one. Decisions
 * are made in order, also those that are late, so all of them follow from the inputs that each has met. An input that
 * came after the decision was due, but was met by it, counts just before it; one that it did not meet, just after it.
 *
 * What a job does counts only while it has a quantum. A thread that goes on for a moment after its quantum, and so
 * completes its job, is looked at when it has the next one. */
#ifndef SCHEDLAB_DECIDING_H
#define SCHEDLAB_DECIDING_H

#include "bodies.h"

SEC(".rodata.quanta") const volatile struct quanta quanta = {};

OWN_ARRAY(entities, INDICES, struct entity);
OWN_ARRAY(seats, CPUS, struct seat);

#define grid quanta.grid
#define EACH(number, from, to) bpf_for(number, from, to)

static __always_inline struct entity *entity(u32 index)
{
	return bpf_map_lookup_elem(&entities, &index);
}

static __always_inline struct seat *seat(u32 place)
{
	return bpf_map_lookup_elem(&seats, &place);
}

#include "choice.h"

/* Decisions made in a row, after which the timer comes again. */
#define MOST_IN_A_ROW 64

/* What is to be known of a processor, by place. */
struct turn {
	/* 1 if it was kicked since it decided last. */
	u32 kicked;
};

OWN_ARRAY(turns, CPUS, struct turn);

/* How far decisions are. */
static struct {
	/* The number of the next one. */
	u64 next;
	/* 1 while a processor decides. */
	u32 busy;
	/* 1 if another processor wanted to meanwhile. */
	u32 asked;
} made;

static __always_inline struct turn *turn(u32 place)
{
	return bpf_map_lookup_elem(&turns, &place);
}

/* The processor's place; CPUS if it is none of the scenario's. */
static __always_inline u32 place_of(u32 cpu)
{
	u32 place = cpu < CPUS ? quanta.places[cpu & (CPUS - 1)] : 0;
	return place ? place - 1 : CPUS;
}

static __always_inline u32 processor_at(u32 place)
{
	return quanta.processors[place & (CPUS - 1)];
}

static __always_inline void kick(u32 place)
{
	u32 cpu = processor_at(place);
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct turn *its = turn(place);
	if (tally)
		__sync_fetch_and_add(&tally->kicks, 1);
	if (its)
		its->kicked = 1;
	/* A slice of the reserve that has just been granted is not to be taken back. */
	scx_bpf_kick_cpu(cpu, state && state->granting ? 0 : SCX_KICK_PREEMPT);
}

/* True if the thread of this task may execute on the processor: its quantum is there, and its job did not end or sleep
 * in it. */
static __always_inline bool may_execute(u32 index, u32 place)
{
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	struct entity *task = entity(index);
	struct body *thread = body(index);
	struct seat *own = seat(place);
	if (!index || !its || !task || !thread || !own || own->index != index)
		return false;
	return task->holds == own->decision && thread->slept != own->decision &&
	       *(volatile u32 *)&its->job == thread->number;
}

/* The time of the run at which an input counts that came at `at`: not before `from`, and not after `to`. */
__noinline u64 counted(u64 at, u64 from, u64 to)
{
	u64 zero = zero_of_run();
	u32 cpu = bpf_get_smp_processor_id();
	struct lateness *late = bpf_map_lookup_elem(&lateness, &cpu);
	u64 time = at > zero ? at - zero : 0, moved = 0;
	u64 counts = time < from ? from : time > to ? to : time;
	if (!late || counts == time)
		return counts;
	if (counts < time) {
		late->moved_back++;
		moved = time - counts;
	} else {
		late->moved_on++;
		moved = counts - time;
	}
	if (moved > late->longest_move)
		late->longest_move = moved;
	return counts;
}

/* Records that the job has used its budget up, if it has: when it had executed for so long, before `to`. */
static __always_inline void note_overrun(u32 index, struct body *thread, u64 budget, u64 from, u64 to)
{
	u64 now = bpf_ktime_get_ns(), executed = executed_until(thread, now);
	u64 end = *(volatile u64 *)&thread->since ? now : thread->stopped;
	if (!budget || thread->overran || executed <= budget)
		return;
	thread->overran = 1;
	u64 beyond = executed - budget;
	u64 at = end > beyond ? end - beyond : 0, zero = zero_of_run();
	u64 time = at > zero ? at - zero : 0;
	/* No input: it says when the job had executed for that long, as far as this can be known. */
	time = time < from ? from : time > to ? to : time;
	emit_at(OVERRAN, index, thread->number, executed, zero + time);
}

/* The live job is looked at by a decision that is due at `to`, the one before it having been due before `from`. */
static __always_inline void look_at_live(u32 index, struct entity *task, struct body *thread,
					 struct arrivals *its, u64 from, u64 to)
{
	u64 zero = zero_of_run(), before = to ? to - 1 : 0, at;
	struct share *share = bpf_map_lookup_elem(&shares, &index);
	bool complete = *(volatile u32 *)&its->job != thread->number;
	u64 next = *(volatile u64 *)&its->release[(thread->number + 1) & 1];
	if (has_quantum(index, task)) {
		u64 limit = before;
		if (complete) {
			at = thread->ended == thread->number ? thread->ended_at : bpf_ktime_get_ns();
			limit = counted(at, from, before);
		}
		if (share)
			note_overrun(index, thread, share->budget, from, limit);
		if (complete) {
			emit_at(COMPLETED, index, thread->number, executed_until(thread, bpf_ktime_get_ns()),
				zero + limit);
			end_job(task, limit, next <= limit);
			return;
		}
		if (thread->slept == task->holds || *(volatile u32 *)&thread->asleep) {
			from = counted(thread->slept_at, from, before);
			emit_at(SUSPENDED, index, thread->number, 0, zero + from);
			suspend_job(task);
		}
	}
	if (!task->ready && !*(volatile u32 *)&thread->asleep) {
		at = counted(thread->woke_at, from, before);
		emit_at(RESUMED, index, thread->number, 0, zero + at);
		resume_job(task, made.next);
	}
	task->succeeded = next <= to;
}

/* Looks what the task has done since the last decision. This one is due at `to`. */
__noinline int look_at(u32 index, u64 from, u64 to)
{
	struct arrivals *its = bpf_map_lookup_elem(&arrivals, &index);
	struct entity *task = entity(index);
	struct body *thread = body(index);
	if (!its || !task || !thread)
		return 0;
	count_without(*(volatile u64 *)&thread->without, zero_of_run() + to);
	bool was_live = task->live;
	if (was_live)
		look_at_live(index, task, thread, its, from, to);
	u32 wanted = *(volatile u32 *)&its->job;
	if (task->live || wanted == thread->number)
		return 0;
	u64 zero = zero_of_run();
	u64 arrival = *(volatile u64 *)&its->arrival[wanted & 1];
	u64 release = *(volatile u64 *)&its->release[wanted & 1];
	if (release == NEVER || release > to)
		return 0;
	if (!was_live)
		release = counted(zero + release, from, to);
	/* Releases keep the order of the jobs, also after one that counts later than it came. */
	if (release < thread->released)
		release = thread->released;
	thread->released = release;
	begin_body(thread, wanted);
	begin_job(task, arrival, release, made.next);
	its->admitted = wanted;
	emit_at(ARRIVED, index, wanted, arrival, zero + release);
	return 0;
}

/* Gives the processor its quantum, by the decision that is made. */
__noinline int hand_over(u32 place)
{
	struct seat *own = seat(place);
	u64 number = made.next, slot = slot_of(number);
	u32 cpu = processor_at(place);
	if (!own)
		return 0;
	u32 before = own->index;
	u64 began = slot * grid.quantum + offset_of(place);
	u32 index = give(place, slot, number);
	/* After the seat, and before the words of the threads are read: a thread that begins or becomes ready now finds
	 * the seat, or its word is found here. */
	__sync_lock_test_and_set(&own->decision, number + 1);
	struct body *thread = body(index), *other = body(before);
	if (index && thread) {
		regain_quantum(thread, place, zero_of_run() + began);
		emit_at(GIVEN, index, thread->number, cpu, zero_of_run() + began);
	}
	if (before && before != index && other)
		lose_quantum(other, place, zero_of_run() + began);
	struct lateness *late = bpf_map_lookup_elem(&lateness, &cpu);
	if (late && index && bpf_ktime_get_ns() >= zero_of_run() + began + grid.quantum)
		late->missed++;
	bool waits = index && thread && *(volatile u32 *)&thread->queued;
	bool executes = before && before != index && other && *(volatile u64 *)&other->since;
	if (waits || executes)
		kick(place);
	return 0;
}

/* Makes the next decision. */
__noinline int decide(void)
{
	u64 number = made.next;
	u64 from = number ? due_at(number - 1) + 1 : 0, to = due_at(number);
	u32 index, place;
	bpf_for(index, 1, grid.end)
		look_at(index, from, to);
	prepare(number);
	if (grid.staggered) {
		hand_over(turn_of(number));
	} else {
		bpf_for(place, 0, grid.processors)
			hand_over(place);
	}
	__sync_lock_test_and_set(&made.next, number + 1);
	return 0;
}

/* Makes all decisions that are due. */
static __always_inline void decide_all_due(void)
{
	u64 zero = zero_of_run();
	u32 round;
	if (zero == ~0ull)
		return;
	bpf_for(round, 0, MOST_IN_A_ROW)
	{
		if (bpf_ktime_get_ns() < zero + due_at(made.next))
			break;
		decide();
	}
}

/* Makes all decisions that are due, or leaves them to the processor that is at it. */
__noinline int decide_if_due(void)
{
	u32 round;
	bpf_for(round, 0, 8)
	{
		/* Before `busy` is read: the processor that decides looks at this after its last decision. */
		__sync_lock_test_and_set(&made.asked, 1);
		if (__sync_lock_test_and_set(&made.busy, 1))
			return 0;
		__sync_lock_test_and_set(&made.asked, 0);
		decide_all_due();
		__sync_lock_test_and_set(&made.busy, 0);
		if (!*(volatile u32 *)&made.asked)
			return 0;
	}
	return 0;
}

/* A processor's timer, by place. */
struct alarm {
	struct bpf_timer timer;
};

OWN_ARRAY(alarms, CPUS, struct alarm);

/* Has the timer of the processor that executes this fire at its next boundary. Returns 0, or the kernel's error. */
static __always_inline long arm(struct alarm *alarm, u32 place)
{
	u64 zero = zero_of_run(), first = zero + offset_of(place), now = bpf_ktime_get_ns();
	u64 at = first;
	if (zero == ~0ull)
		return -1;
	if (now >= first)
		at = first + ((now - first) / grid.quantum + 1) * grid.quantum;
	/* Too many decisions were due at once, and no other processor is at them: the rest follows now. */
	if (!*(volatile u32 *)&made.busy && zero + due_at(made.next) < now)
		at = now;
	return bpf_timer_start(&alarm->timer, at, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
}

/* Takes the scheduler away: a processor whose timer does not fire again would keep its thread for ever. */
static __always_inline void end_without_timer(void)
{
	static char reason[] = "a processor's timer cannot be set";
	unsigned long long none[1] = {};
	scx_bpf_exit_bstr(EXIT_NO_TIMER, reason, none, sizeof(none));
}

static int fire(void *map, u32 *place, struct alarm *alarm)
{
	u32 cpu = bpf_get_smp_processor_id(), only = 0;
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	struct ending *ending = bpf_map_lookup_elem(&endings, &only);
	/* Once the scheduler is out of the kernel, a process that is stopped may hold the timers still. */
	if (!ending || *(volatile u32 *)&ending->kind)
		return 0;
	if (tally)
		tally->alarms++;
	decide_if_due();
	if (arm(alarm, *place))
		end_without_timer();
	return 0;
}

static __always_inline s32 create_alarms(void)
{
	s32 failed = 0;
	u32 place;
	bpf_for(place, 0, CPUS)
	{
		u32 key = place;
		struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);
		if (!alarm || failed)
			continue;
		failed = bpf_timer_init(&alarm->timer, &alarms, 1 /* CLOCK_MONOTONIC */);
		failed = failed ? failed : bpf_timer_set_callback(&alarm->timer, fire);
	}
	return failed;
}

#endif
