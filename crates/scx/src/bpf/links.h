/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that the link follower shares with the run: `src/table.rs` has the same layout. */
#ifndef SCHEDLAB_LINKS_H
#define SCHEDLAB_LINKS_H

/* Index 0 is no task's: a link to it is no link. */
#define INDICES 256
#define CPUS 64

/* Words of a thread that must not be stopped. In a section it keeps its processor, also after it has slept there: another
 * thread may wait for it. At its gate it keeps its processor until it sleeps, and then executes where it is linked. */
#define SECTION_INSIDE 1
#define SECTION_AT_GATE 2

/* A task's thread, by index. */
struct place {
	/* The processor on which the thread is to execute, plus one; 0 for none. Written by `relink`. */
	__u32 cpu;
	/* Set by the thread while it must not be stopped: a `SECTION_` word, else 0. */
	__u32 section;
	/* Set by the scheduler if the thread went on in its section although its link had gone. */
	__u32 kept;
	/* Set by the scheduler while the thread is ready and does not execute. */
	__u32 queued;
};

/* What a processor did. */
struct account {
	/* Execution of kernel threads that are bound to the processor, in ns. */
	__u64 kernel_ns;
	/* Execution of all other threads that are not the scenario's, in ns. */
	__u64 outside_ns;
	/* Part of `outside_ns` that the reserve gave while a task was ready. */
	__u64 reserve_ns;
	/* Kicks that stopped a thread which had come back from the processor's own queue without a link. */
	__u64 corrected;
	/* Times that a thread kept the processor in a section although it would have been stopped. */
	__u64 kept;
};

/* The end of the scheduler, which the kernel reports. */
struct ending {
	/* The kernel's `enum scx_exit_kind`; 0 while the scheduler is there. Written last. */
	__u64 kind;
	__s64 code;
	char reason[128];
	char message[1024];
};

/* Set before the scheduler is loaded. */
struct settings {
	/* Processors of the scenario, a bit each. */
	__u64 processors;
	/* Part of each second that is reserved on them for threads outside of the scenario, in ns. */
	__u64 reserve_ns;
};

/* The sign that the run is alive. Without one for this long, twice in a row, the scheduler takes itself away: the run's
 * process was stopped, and its threads would be linked for ever. In ns. */
#define BEAT_STALE 600000000ull
#define BEAT_CONFIRMED 200000000ull
#define EXIT_STANDS_STILL 1

struct beat {
	/* When the run was last alive, by the monotonic clock in ns; 0 before its first sign. Written by the run. */
	__u64 at;
	/* When the scheduler first missed a sign; 0 if none is missing. */
	__u64 missed;
};

/* Argument of `relink`: the processors whose wishes become links. */
struct change {
	__u64 processors;
};

#endif
