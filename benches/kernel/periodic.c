/* Periodic threads without any scheduler of schedlab's, for benches/kernel/decisions.py: `periodic SECONDS WCET_US
 * PERIOD_US...`. Each has one thread, which is released at multiples of its period, and executes for WCET_US of its own
 * processor time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long begin, end, wcet;

static long long now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void *work(void *argument)
{
	long long period = *(long long *)argument;
	for (long long at = begin; at < end; at += period) {
		struct timespec until = {at / 1000000000, at % 1000000000};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
		long long used = now(CLOCK_THREAD_CPUTIME_ID) + wcet;
		while (now(CLOCK_THREAD_CPUTIME_ID) < used)
			;
	}
	return 0;
}

int main(int count, char **arguments)
{
	pthread_t threads[256];
	static long long periods[256];
	if (count < 4 || count > 258)
		return 2;
	wcet = atoll(arguments[2]) * 1000;
	begin = now(CLOCK_MONOTONIC) + 200000000;
	end = begin + atoll(arguments[1]) * 1000000000;
	for (int i = 3; i < count; i++) {
		periods[i - 3] = atoll(arguments[i]) * 1000;
		if (pthread_create(&threads[i - 3], 0, work, &periods[i - 3]))
			return 1;
	}
	for (int i = 3; i < count; i++)
		pthread_join(threads[i - 3], 0);
	return 0;
}
