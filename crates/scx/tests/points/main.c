/* Computes with the arithmetic of the kernel's schedulers: reads operands from standard input and writes results to
 * standard output, all as 64-bit words of this machine. */
#include <stdio.h>
#include "points.h"

enum { OPERANDS = 6, RESULTS = 4 };

int main(void)
{
	__u64 in[OPERANDS], out[RESULTS];
	while (fread(in, sizeof(in), 1, stdin) == 1) {
		__u64 after = in[0], parts = in[1], arrival = in[2], index = in[3], band = in[4], other = in[5];
		out[0] = point_of(after, parts, arrival);
		out[1] = key_of(band, out[0], index);
		out[2] = plus(arrival, other);
		out[3] = left_of(arrival, other);
		if (index_of_key(out[1]) != index || out[1] >> 63)
			return 2;
		if (fwrite(out, sizeof(out), 1, stdout) != 1)
			return 3;
	}
	return 0;
}
