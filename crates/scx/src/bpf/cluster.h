/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that the clustered scheduler shares with the run: `src/cluster_memory.rs` has the same layout. */
#ifndef SCHEDLAB_CLUSTER_H
#define SCHEDLAB_CLUSTER_H

#include "shared.h"

/* Set before the scheduler is loaded. */
struct clusters {
	/* Processors of each cluster, a bit each. */
	__u64 members[CPUS];
	/* The cluster of each processor, plus one; 0 for none. */
	__u8 of[CPUS];
	/* One more than the highest number of a processor of a cluster. */
	__u32 end;
	/* Not 0 if a job gives way to one that goes before it. */
	__u32 preemptive;
	/* Not 0 if tasks have budgets, or sections a longest length: timers are needed. */
	__u32 timers;
	__u32 unused;
};

/* What the kernel knows of a task, by index. Written by the run before it hands the thread over. */
struct plan {
	/* The priority point itself if `parts` is 0, else the distance from the arrival, in parts of a nanosecond. */
	__u64 after;
	__u64 parts;
	/* Least time between two arrivals, in ns. */
	__u64 separation;
	/* Time for which a job may execute, in ns; 0 for any. */
	__u64 budget;
	/* Distance from the arrival to the absolute deadline, by which jobs beyond their budgets are ordered, in ns. */
	__u64 relative_deadline;
	/* Longest time for which a section may delay a preemption, in ns; 0 for any. */
	__u64 longest_section;
	__u32 cluster;
	/* Not 0 if a job goes to the background once its budget is used up; else that is only recorded. */
	__u32 demotes;
};

/* What a thread and the kernel say to each other, by index of the task. */
struct words {
	/* The thread writes the arrival of its next job, in ns of the run, and then its number, from 1 on. With
	 * that, its job before is complete. */
	__u64 arrival;
	/* The kernel writes when the next job may arrive, where the thread's word is too early. */
	__u64 earliest;
	/* When the next job is released, in ns of the run: not before its arrival. The thread writes it before the number. */
	__u64 release;
	__u32 job;
	/* The thread writes a number that no other section of it has; 0 at the end. */
	__u32 section;
	/* The kernel writes the number of the job that has begun. */
	__u32 admitted;
	/* The kernel sets it if the thread has to yield at the end of its section. */
	__u32 kept;
	/* The kernel writes the number of the section that it does not heed any more, since it was too long. */
	__u32 broken;
	/* The kernel sets it once the thread may not execute on its cluster's processors, and no others: it is no
	 * task's any more. */
	__u32 strayed;
};

/* When the run's time zero is, by the monotonic clock in ns. */
struct origin {
	__u64 at;
};

/* What a processor decided. */
struct tally {
	/* Records that found no room in the ring. */
	__u64 lost;
	/* Kicks of the processor so that another job may take it. */
	__u64 kicks;
	/* Kicks after which its job went on. */
	__u64 needless;
	/* Looks that were repeated, because a thread was on its way to the queue. */
	__u64 repeated;
	/* Alarms for the ends of budgets and of long sections. */
	__u64 alarms;
};

/* Kinds of records. `value` is in ns. */
enum kind {
	/* A job begins to be ready: `value` is its arrival. */
	ARRIVED = 1,
	/* A job is complete: `value` is the time for which it executed. */
	COMPLETED,
	/* A job sleeps, and is ready again. */
	SUSPENDED,
	RESUMED,
	/* A task's thread begins to execute, and ends: `value` is 1 if it is ready to go on. Job 0 is none. */
	RUNNING,
	STOPPED,
	/* A section delays a preemption for the first time, and ends: `value` is its number. */
	SECTION_KEPT,
	SECTION_LEFT,
	/* A section was too long, and is not heeded any more. */
	SECTION_BROKEN,
	/* A job has used its budget up: `value` is the time for which it has executed. */
	OVERRAN,
	/* A job arrives too early: `value` is when it may. */
	TOO_EARLY,
	/* A thread is no task's any more. */
	STRAYED,
	/* A job sleeps in a section that is heeded, and is ready again: `value` is the section's number. */
	SECTION_SLEPT,
	SECTION_WOKE,
};

struct record {
	/* By the monotonic clock, in ns. */
	__u64 at;
	__u64 value;
	__u32 job;
	__u16 index;
	__u16 cpu;
	__u32 kind;
	__u32 unused;
};

#endif
