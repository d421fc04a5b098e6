/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Which tasks get the quanta of each slot: PD2 with aligned quanta, and with staggered ones, as the engine decides.
 * Nothing of the kernel's is used, so that a test compiles it with any compiler and compares it with the engine
 * (`tests/pfair`). Whoever includes it defines
 *
 *   EACH(number, from, to)  a loop head: `number` goes from `from` to `to` - 1
 *   entity(index)           the task of this index, or 0
 *   seat(processor)         the processor, or 0
 *   grid                    the `struct grid`
 *
 * One caller at a time uses this. With aligned quanta a decision fills a slot on all processors; with staggered ones
 * processor k of m decides k/m quanta after processor 0, about its own quantum. What happens between two decisions is
 * told at the second of them: nothing depends on it before. */
#ifndef SCHEDLAB_CHOICE_H
#define SCHEDLAB_CHOICE_H

#include "quantum.h"

/* The slot of decision `number`, and its processor; with aligned quanta all of them. */
static inline __u64 slot_of(__u64 number)
{
	return grid.staggered ? number / grid.processors : number;
}

static inline __u32 turn_of(__u64 number)
{
	return grid.staggered ? number % grid.processors : 0;
}

/* By how much processor `place` is later than processor 0, in ns. Quanta have less than 2^50 ns. */
static inline __u64 offset_of(__u32 place)
{
	return grid.staggered ? place * grid.quantum / grid.processors : 0;
}

/* When decision `number` is due, in ns of the run. */
static inline __u64 due_at(__u64 number)
{
	return slot_of(number) * grid.quantum + offset_of(turn_of(number));
}

/* The first slot whose tasks are not chosen yet as decision `number` is made. */
static inline __u64 open_slot(__u64 number)
{
	return slot_of(number) + (turn_of(number) != 0);
}

/* Takes the task out. If it is chosen for a slot, it is charged for that all the same. */
static inline void take_out(struct entity *task)
{
	task->in = 0;
	if (task->chosen) {
		advance(&task->stream, task->chosen - 1);
		task->chosen = 0;
	}
}

static inline void put_in(struct entity *task)
{
	task->in = 1;
	task->point = pack(&task->stream);
}

/* The live job is complete since `at`; `follows` if the next one has been released by then. */
static inline void end_job(struct entity *task, __u64 at, int follows)
{
	task->live = task->ready = task->succeeded = 0;
	task->seasoned = 1;
	task->completed = at;
	task->holds = 0;
	if (task->in && !(grid.staggered && follows))
		take_out(task);
}

/* The live job sleeps. */
static inline void suspend_job(struct entity *task)
{
	task->ready = 0;
	task->holds = 0;
	if (task->in)
		take_out(task);
}

/* The live job is ready again, before decision `number`. */
static inline void resume_job(struct entity *task, __u64 number)
{
	task->ready = 1;
	delay_until(&task->stream, open_slot(number));
	put_in(task);
}

/* A job of `arrival` that is released at `release` begins, before decision `number`. A job that has waited for the one
 * before it keeps the windows of its arrival; another one's begin where it may execute. */
static inline void begin_job(struct entity *task, __u64 arrival, __u64 release, __u64 number)
{
	int waited = task->seasoned && release <= task->completed && (task->in || !grid.staggered);
	__u64 start = open_slot(number);
	task->live = task->ready = 1;
	task->had = 0;
	if (waited)
		start = slot_from(arrival, grid.quantum);
	if (grid.staggered && task->in) {
		/* It competes already, as its job may be in time. */
		if (task->stream.nth == 1 || start < next_pattern(&task->stream))
			return;
		take_out(task);
	}
	begin_at(&task->stream, start);
	put_in(task);
}

/* Chooses the tasks of `slot`: the most urgent ones that may execute in it. */
static inline void choose(__u64 slot)
{
	__u32 nth, index;
	EACH(nth, 0, grid.processors)
	{
		__u64 least = ~0ull;
		__u32 first = 0;
		EACH(index, 1, grid.end)
		{
			struct entity *task = entity(index);
			if (!task || !task->in || task->chosen || task->point >= least)
				continue;
			if (eligible_from(&task->stream) <= slot) {
				least = task->point;
				first = index;
			}
		}
		struct entity *task = first ? entity(first) : 0;
		if (!task)
			return;
		task->chosen = slot + 1;
	}
}

/* True if the task executed in the slot before `slot`, and so waits for its processor. */
static inline int waits_for_its_own(struct entity *task, __u64 slot)
{
	return grid.keeps && slot && task->given == slot;
}

/* The task that processor `place` gets of those chosen for `slot`; 0 for none. Processors ask in rising order. */
static inline __u32 pick(__u32 place, __u64 slot)
{
	struct seat *own = seat(place);
	__u64 best = grid.staggered ? 0 : ~0ull;
	__u32 index, found = 0;
	struct entity *before = own && own->index ? entity(own->index) : 0;
	if (before && before->chosen == slot + 1 && waits_for_its_own(before, slot))
		return own->index;
	EACH(index, 1, grid.end)
	{
		struct entity *task = entity(index);
		if (!task || task->chosen != slot + 1 || waits_for_its_own(task, slot))
			continue;
		/* With staggered quanta the one that would give way first has the first processor. */
		if (grid.staggered ? task->point >= best : task->point < best) {
			best = task->point;
			found = index;
		}
	}
	return found;
}

/* Gives processor `place` its quantum of `slot`, by decision `number`. Returns the task; 0 for none. */
static inline __u32 give(__u32 place, __u64 slot, __u64 number)
{
	struct seat *own = seat(place);
	__u32 index = pick(place, slot);
	struct entity *task = index ? entity(index) : 0;
	if (task) {
		task->chosen = 0;
		task->given = slot + 1;
		task->had++;
		task->home = place;
		task->holds = number + 1;
		advance(&task->stream, slot);
		task->point = pack(&task->stream);
	}
	if (own) {
		own->index = index;
		own->decision = number + 1;
	}
	return index;
}

/* True if the present quantum of a processor is this task's, and its job may go on in it. */
static inline int has_quantum(__u32 index, struct entity *task)
{
	struct seat *home = seat(task->home);
	return home && home->index == index && task->holds && home->decision == task->holds;
}

/* Takes out tasks that would be chosen for the slot about to begin although their next jobs have not been released:
 * those that have had all quanta of their jobs, on processors whose boundaries are later. */
static inline void drop_absent(__u64 slot)
{
	__u32 place;
	EACH(place, 1, grid.processors)
	{
		struct seat *own = seat(place);
		struct entity *task = own && own->index ? entity(own->index) : 0;
		if (!task || !task->in || !has_quantum(own->index, task) || task->stream.nth != 1)
			continue;
		if (eligible_from(&task->stream) <= slot && task->had >= task->stream.quanta && !task->succeeded)
			take_out(task);
	}
}

/* The task that holds the quantum of `place`, which is over, goes on if it was taken out too early: its job needs
 * more. */
static inline void go_on(__u32 place, __u64 number)
{
	struct seat *own = seat(place);
	struct entity *task = own && own->index ? entity(own->index) : 0;
	if (!task || !has_quantum(own->index, task) || task->in || !task->ready)
		return;
	delay_until(&task->stream, open_slot(number));
	put_in(task);
}

/* Makes decision `number` of staggered quanta up to the choice, or all of it but `give` of aligned ones. Afterwards
 * each processor whose turn it is calls `give`. */
static inline void prepare(__u64 number)
{
	__u64 slot = slot_of(number);
	__u32 place = turn_of(number);
	if (grid.staggered) {
		if (!place)
			drop_absent(slot);
		go_on(place, number);
	}
	if (!place)
		choose(slot);
}

#endif
