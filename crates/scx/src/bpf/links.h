/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that the link follower shares with the run: `src/mapped.rs` has the same layout. */
#ifndef SCHEDLAB_LINKS_H
#define SCHEDLAB_LINKS_H

#include "shared.h"

/* Words of a thread that must not be stopped. In a section it keeps its processor, also after it has slept there: another
 * thread may wait for it. At its gate it keeps its processor until it sleeps, and then executes where it is linked. */
#define SECTION_INSIDE 1
#define SECTION_AT_GATE 2

/* A task's thread, by index. A link to index 0 is no link. */
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

/* Argument of `relink`: the processors whose wishes become links. */
struct change {
	__u64 processors;
};

#endif
