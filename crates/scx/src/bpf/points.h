/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Arithmetic of priority points, arrivals and budgets. Nothing of the kernel's is used, so that a test compiles it with
 * any compiler and compares it with Rust (`tests/points.rs`). */
#ifndef SCHEDLAB_POINTS_H
#define SCHEDLAB_POINTS_H

#include <linux/types.h>

/* Keys order jobs in a queue: a band, the priority point, and the task's index, which breaks ties. The smaller key goes
 * first. Keys are below 2^63, since the kernel compares them by their difference. */
#define INDEX_BITS 8
#define POINT_BITS 53
#define MOST_POINT ((1ull << POINT_BITS) - 1)

/* Jobs within their budgets. */
#define BASE 0
/* Jobs that have used their budgets up. */
#define BACKGROUND 1
/* Threads that have no job, and have used up what they have for their way to sleep. */
#define BETWEEN 2

/* The key of a processor that executes no task, which comes after all others; and of one whose task must not give way
 * now, which comes before them. */
#define IDLE (~0ull)
#define GRANTED 0ull

static inline __u64 key_of(__u64 band, __u64 point, __u32 index)
{
	return band << (POINT_BITS + INDEX_BITS) | point << INDEX_BITS | index;
}

static inline __u32 index_of_key(__u64 key)
{
	return key & ((1u << INDEX_BITS) - 1);
}

/* The priority point of a job that arrives at `arrival`: `after` itself if there are no `parts`, else so many
 * parts of a nanosecond after the arrival. At most MOST_POINT. */
static inline __u64 point_of(__u64 after, __u64 parts, __u64 arrival)
{
	if (after > MOST_POINT)
		return MOST_POINT;
	if (!parts)
		return after;
	if (arrival > (MOST_POINT - after) / parts)
		return MOST_POINT;
	return arrival * parts + after;
}

/* The sum; the largest number if 64 bits do not hold it. */
static inline __u64 plus(__u64 a, __u64 b)
{
	return a + b < a ? ~0ull : a + b;
}

/* What is left of `budget` after `executed`. */
static inline __u64 left_of(__u64 budget, __u64 executed)
{
	return budget > executed ? budget - executed : 0;
}

#endif
