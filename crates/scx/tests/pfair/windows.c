/* Computes windows: reads cases from standard input and writes results to standard output, all as 64-bit words of this
 * machine. A case is a weight, the number of a subtask in its pattern, where the pattern starts, early release, and
 * steps of its stream. */
#include <stdio.h>
#include "windows.h"

enum { STEPS = 4, WORDS = 5 + 2 * STEPS, RESULTS = 8 };

static int put(const struct stream *at)
{
	__u64 out[RESULTS] = {
		at->release,	   at->deadline,     at->overlaps, at->group,
		eligible_from(at), next_pattern(at), pack(at),	   at->nth,
	};
	return fwrite(out, sizeof(out), 1, stdout) == 1;
}

int main(void)
{
	__u64 in[WORDS];
	while (fread(in, sizeof(in), 1, stdin) == 1) {
		struct stream stream = { .quanta = in[0], .slots = in[1], .early = in[4] };
		start_pattern(&stream, in[3]);
		stream.nth = in[2];
		set_window(&stream);
		if (!put(&stream))
			return 3;
		for (int step = 0; step < STEPS; step++) {
			__u64 what = in[5 + 2 * step], by = in[6 + 2 * step];
			if (what == 0)
				advance(&stream, eligible_from(&stream) + by);
			else if (what == 1)
				delay_until(&stream, stream.release + by);
			else
				begin_at(&stream, stream.pattern + by);
			if (!put(&stream))
				return 3;
		}
	}
	return 0;
}
