/* Decides as the kernel does: reads a system and what its tasks do from standard input, and writes to standard output
 * which task has which quantum, all as 64-bit words of this machine. */
#include <stdio.h>
#include <string.h>
#include "quantum.h"

static struct grid grid;
static struct entity entities[INDICES];
static struct seat seats[CPUS];

#define EACH(number, from, to) for (number = from; number < (to); number++)

static struct entity *entity(__u32 index)
{
	return index < INDICES ? &entities[index] : 0;
}

static struct seat *seat(__u32 place)
{
	return place < CPUS ? &seats[place] : 0;
}

#include "choice.h"

enum { SYSTEM = 7, EVENT = 4 };
/* Kinds of events. */
enum { DECIDES, COMPLETES, SLEEPS, WAKES, BEGINS, SUCCEEDS };

static int put(__u64 word)
{
	return fwrite(&word, sizeof(word), 1, stdout) == 1;
}

/* Makes a decision; returns 0 if its result cannot be written. */
static int decide(__u64 number)
{
	__u32 place;
	prepare(number);
	if (grid.staggered)
		return put(give(turn_of(number), slot_of(number), number));
	EACH(place, 0, grid.processors)
	{
		if (!put(give(place, slot_of(number), number)))
			return 0;
	}
	return 1;
}

static int run(__u64 decisions)
{
	__u64 number = 0, event[EVENT];
	while (number < decisions) {
		if (fread(event, sizeof(event), 1, stdin) != 1)
			return 4;
		__u32 index = event[1];
		struct entity *task = entity(index);
		switch (event[0]) {
		case DECIDES:
			if (!decide(number++))
				return 3;
			break;
		case COMPLETES:
			end_job(task, event[2], event[3]);
			break;
		case SLEEPS:
			suspend_job(task);
			break;
		case WAKES:
			resume_job(task, number);
			break;
		case BEGINS:
			begin_job(task, event[2], event[3], number);
			break;
		case SUCCEEDS:
			task->succeeded = 1;
			break;
		}
	}
	return 0;
}

int main(void)
{
	__u64 in[SYSTEM], share[2];
	while (fread(in, sizeof(in), 1, stdin) == 1) {
		grid = (struct grid){ .quantum = in[0], .processors = in[1], .end = in[2] + 1, .staggered = in[3],
				      .keeps = in[4] };
		memset(entities, 0, sizeof(entities));
		memset(seats, 0, sizeof(seats));
		for (__u32 index = 1; index < grid.end; index++) {
			struct stream *stream = &entities[index].stream;
			if (fread(share, sizeof(share), 1, stdin) != 1)
				return 4;
			stream->quanta = share[0];
			stream->slots = share[1];
			stream->early = in[5];
			start_pattern(stream, 0);
		}
		int failed = run(in[6]);
		if (failed)
			return failed;
	}
	return 0;
}
