/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that the scheduler by quanta shares with the run: `src/quantum_memory.rs` has the same layout. */
#ifndef SCHEDLAB_QUANTUM_H
#define SCHEDLAB_QUANTUM_H

#include <linux/types.h>
#include "shared.h"
#include "windows.h"

/* The quanta of a run. */
struct grid {
	/* Length of a quantum, in ns. */
	__u64 quantum;
	/* Number of processors. */
	__u32 processors;
	/* One more than the highest index of a task. */
	__u32 end;
	/* Not 0 if each processor has its own boundaries. */
	__u32 staggered;
	/* Not 0 if a task that executed in the slot before keeps its processor. */
	__u32 keeps;
};

/* What is decided of a task. */
struct entity {
	struct stream stream;
	/* PD2 priority of the next subtask. */
	__u64 point;
	/* The slot for which the task is chosen and which it was not given yet, plus one; 0 for none. */
	__u64 chosen;
	/* The slot that the task was given last, plus one; 0 for none. */
	__u64 given;
	/* When its last job was complete, in ns. */
	__u64 completed;
	/* Number of quanta that the live job was given. */
	__u64 had;
	/* The number of the decision that gave the task its last quantum, plus one; 0 once its job may not go on in
	 * it. */
	__u64 holds;
	/* 1 from a job's begin to its completion. */
	__u32 live;
	/* 1 while the live job is not suspended. */
	__u32 ready;
	/* 1 while the task competes. */
	__u32 in;
	/* 1 once a job was complete. */
	__u32 seasoned;
	/* 1 if the next job has been released while the live one is not complete. */
	__u32 succeeded;
	/* The place of the processor that the task was given last. */
	__u32 home;
};

/* What a processor was given last. */
struct seat {
	/* The task; 0 for none. */
	__u32 index;
	__u32 unused;
	/* The number of the decision, plus one. */
	__u64 decision;
};

/* Set before the scheduler is loaded. */
struct quanta {
	struct grid grid;
	/* Processors in the order of their places, by number. */
	__u8 processors[CPUS];
	/* By processor: its place, plus one; 0 if it has none. */
	__u8 places[CPUS];
};

/* What the kernel knows of a task, by index. Written by the run before it hands the thread over. */
struct share {
	/* The weight. */
	__u64 quanta;
	__u64 slots;
	/* Time after which a job is recorded as overrunning, in ns; 0 for none. */
	__u64 budget;
	/* Not 0 if subtasks are released early. */
	__u64 early;
};

/* The arrival of a job that never comes. */
#define NEVER (~0ull)

/* What a thread and the kernel say to each other, by index of the task. Jobs of even and of odd numbers take turns: so
 * the next job is known as long as the live one is not complete. Times are in ns of the run. */
struct arrivals {
	__u64 arrival[2];
	/* The job does not begin before this, which is not before its arrival. */
	__u64 release[2];
	/* The thread writes the number of the job that it wants next, from 1 on, after that one's times and those of
	 * the job after it. With that, its job before is complete. */
	__u32 job;
	/* The kernel writes the number of the job that has begun. */
	__u32 admitted;
	/* The kernel sets it once the thread may not execute on all processors of the scenario, and no others: it is no
	 * task's any more. */
	__u32 strayed;
	/* The thread writes the number of the job that it has seen to have begun. */
	__u32 taken;
};

/* How late a processor was. */
struct lateness {
	/* Quanta that were over before they were given. */
	__u64 missed;
	/* Inputs that came after the boundary before which they count, and those that count later than they came. */
	__u64 moved_back;
	__u64 moved_on;
	/* Longest time by which one of them was moved, in ns. */
	__u64 longest_move;
	/* Longest time for which a task's thread executed without a quantum: from the boundary by which it lost the
	 * processor to when it stopped, or had the processor again. In ns. */
	__u64 longest_stop;
};

/* Kinds of records besides those of `enum kind`. */
enum quantum_kind {
	/* A quantum that begins now is given to a job: `value` is the number of its processor. */
	GIVEN = 64,
};

#endif
