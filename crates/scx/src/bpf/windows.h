/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Windows of Pfair tasks, and their PD2 priorities. Nothing of the kernel's is used, so that a test compiles it with
 * any compiler and compares it with Rust (`tests/pfair`).
 *
 * Time is in slots: slot k is the k-th quantum. A task of weight `quanta`/`slots` is a sequence of subtasks of one
 * quantum each, whose windows repeat in patterns of `quanta` subtasks in `slots` slots. */
#ifndef SCHEDLAB_WINDOWS_H
#define SCHEDLAB_WINDOWS_H

#include <linux/types.h>

/* Weights have denominators below this one, so that the products below fit into 64 bits. */
#define MOST_SLOTS (1ull << 32)

/* Bits of a packed priority: the pseudo-deadline, the b-bit, and how much later the group deadline is. */
#define DEADLINE_BITS 40
#define GAP_BITS 21
#define MOST_GAP ((1ull << GAP_BITS) - 1)

/* A priority that does not fit: after all that do. */
#define NO_POINT (1ull << (DEADLINE_BITS + 1 + GAP_BITS))

/* The place of a task in its sequence: its next subtask, and when that may execute. */
struct stream {
	__u64 quanta;
	__u64 slots;
	/* The slot at which the present pattern starts, delays included. */
	__u64 pattern;
	/* Number of the next subtask within its pattern, from 1. */
	__u64 nth;
	/* The next subtask's window: [release, deadline). */
	__u64 release;
	__u64 deadline;
	/* Its group deadline; 0 for a light task. */
	__u64 group;
	/* The slot after the last one in which the task executed, or to which it was delayed. */
	__u64 not_before;
	/* 1 if the window overlaps the next one: the b-bit. */
	__u32 overlaps;
	/* Not 0 if subtasks are released early, within their patterns. */
	__u32 early;
};

static inline __u64 ceiling(__u64 a, __u64 b)
{
	return a / b + (a % b != 0);
}

/* Computes the window of the next subtask. */
static inline void set_window(struct stream *stream)
{
	__u64 e = stream->quanta, p = stream->slots, nth = stream->nth;
	__u64 deadline = ceiling(nth * p, e), rest = p - e, group = 0;
	/* A task that executes always has windows of one slot. */
	if (2 * e >= p)
		group = rest ? ceiling(ceiling(deadline * rest, p) * p, rest) : deadline;
	stream->release = stream->pattern + (nth - 1) * p / e;
	stream->deadline = stream->pattern + deadline;
	stream->group = group ? stream->pattern + group : 0;
	stream->overlaps = deadline != nth * p / e;
}

/* Begins a pattern at slot `start`. */
static inline void start_pattern(struct stream *stream, __u64 start)
{
	stream->pattern = start;
	stream->nth = 1;
	set_window(stream);
}

/* The first slot in which the next subtask may execute. */
static inline __u64 eligible_from(const struct stream *stream)
{
	__u64 released = stream->early ? stream->pattern : stream->release;
	return released > stream->not_before ? released : stream->not_before;
}

/* The first slot at which a new pattern may start. */
static inline __u64 next_pattern(const struct stream *stream)
{
	return stream->nth == 1 ? stream->pattern : stream->pattern + stream->slots;
}

/* Charges the next subtask for `slot`, and goes on to the one after it. */
static inline void advance(struct stream *stream, __u64 slot)
{
	if (stream->nth == stream->quanta) {
		stream->pattern += stream->slots;
		stream->nth = 0;
	}
	stream->nth++;
	set_window(stream);
	stream->not_before = slot + 1;
}

/* Delays the next subtask, and with it all later ones, to `slot` or later (intra-sporadic). */
static inline void delay_until(struct stream *stream, __u64 slot)
{
	if (slot > stream->release) {
		stream->pattern += slot - stream->release;
		set_window(stream);
	}
	if (slot > stream->not_before)
		stream->not_before = slot;
}

/* Begins with a new job's first subtask: that of a new pattern from `start` on, if the task's share allows, or else the
 * next one. */
static inline void begin_at(struct stream *stream, __u64 start)
{
	if (start >= next_pattern(stream))
		start_pattern(stream, start);
	else
		delay_until(stream, start);
}

/* The PD2 priority of the next subtask, smaller first: pseudo-deadline, then b-bit (1 first), then group deadline
 * (later first). NO_POINT if it does not fit. */
static inline __u64 pack(const struct stream *stream)
{
	__u64 gap = stream->group ? stream->group - stream->deadline + 1 : 0;
	if (stream->deadline >> DEADLINE_BITS || gap > MOST_GAP)
		return NO_POINT;
	return (stream->deadline << 1 | !stream->overlaps) << GAP_BITS | (MOST_GAP - gap);
}

/* The first slot that begins at or after `at`, in ns. */
static inline __u64 slot_from(__u64 at, __u64 quantum)
{
	return ceiling(at, quantum);
}

#endif
