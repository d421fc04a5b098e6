/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that every scheduler shares with the run: `src/mapped.rs` has the same layout. */
#ifndef SCHEDLAB_SHARED_H
#define SCHEDLAB_SHARED_H

/* Processors that a scenario can use have numbers below this one. */
#define CPUS 64

/* Tasks have indices from 1 on, below this one; index 0 is no task's. */
#define INDICES 256

/* What a processor did. */
struct account {
	/* Execution of kernel threads that are bound to the processor, in ns. */
	__u64 kernel_ns;
	/* Execution of all other threads that are not the scenario's, in ns. */
	__u64 outside_ns;
	/* Part of `outside_ns` that the reserve gave while a task was ready. */
	__u64 reserve_ns;
	/* Kicks that stopped a thread which had come back from the processor's own queue although another was to execute. */
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
 * process was stopped, and its threads would keep their processors for ever. In ns. */
#define BEAT_STALE 600000000ull
#define BEAT_CONFIRMED 200000000ull
#define EXIT_STANDS_STILL 1
/* A timer that the scheduler needs could not be armed. */
#define EXIT_NO_TIMER 2
/* A processor of the scenario goes off line. */
#define EXIT_OFF_LINE 3

struct beat {
	/* When the run was last alive, by the monotonic clock in ns; 0 before its first sign. Written by the run. */
	__u64 at;
	/* When the scheduler first missed a sign; 0 if none is missing. */
	__u64 missed;
};

#endif
