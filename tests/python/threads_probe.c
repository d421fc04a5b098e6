/* A program whose threads the header of `schedlab export threads` starts: `threads_probe SECONDS [watch]`.
   Each job works for a part of its task's WCET, the second half of that in its section. Prints what each thread did,
   and with `watch` each time at which a processor executed nothing of the program's most urgent threads although it
   had to: stalls of host or kernel. */
#include "robot.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct work {
    int64_t ns;
    pthread_mutex_t *mutex;
};

static int64_t end;

static int64_t now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void burn(int64_t ns)
{
    int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

static bool job(void *argument)
{
    const struct work *work = argument;
    burn(work->ns / 2);
    int error = pthread_mutex_lock(work->mutex);
    if (error != 0) {
        fprintf(stderr, "pthread_mutex_lock: %s\n", strerror(error));
        exit(1);
    }
    burn(work->ns / 2);
    pthread_mutex_unlock(work->mutex);
    return now(CLOCK_MONOTONIC) < end;
}

static bool alone(void *argument)
{
    burn(((const struct work *)argument)->ns);
    return now(CLOCK_MONOTONIC) < end;
}

/* Sleeps for a millisecond again and again, above all other threads: who wakes late was stalled. */
static void *watch(void *processor)
{
    int cpu = *(int *)processor;
    struct sched_param most = {.sched_priority = 99};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setname_np(pthread_self(), "watch");
    if (sched_setaffinity(0, sizeof set, &set) != 0 || sched_setscheduler(0, SCHED_FIFO, &most) != 0)
        return NULL;
    int64_t at = now(CLOCK_MONOTONIC);
    while (at < end) {
        at += 1000000;
        struct timespec until = {at / 1000000000, at % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        int64_t late = now(CLOCK_MONOTONIC) - at;
        if (late > 200000) {
            printf("stall %d %lld\n", cpu, (long long)late);
            at += late;
        }
    }
    return NULL;
}

static void started(int error, const char *name)
{
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", name, strerror(error));
        exit(3);
    }
}

static void show(const char *name, const struct threads_seen *seen)
{
    printf("%s %llu %llu %lld\n", name, (unsigned long long)seen->jobs, (unsigned long long)seen->late,
           (long long)seen->longest_ns);
}

int main(int argc, char **argv)
{
    static struct work sensor = {500000, &threads_mutex_map}, planner = {1000000, &threads_mutex_map};
    static struct work journal = {1000000, &threads_mutex_log}, radio = {600000, &threads_mutex_log}, camera = {800000, NULL};
    static int processors[] = {0, 1};
    pthread_t all[5], watchers[2];
    started(threads_init(), "threads_init");
    end = now(CLOCK_MONOTONIC) + (int64_t)(atof(argv[1]) * 1e9);
    started(threads_start_sensor(&all[0], job, &sensor), "sensor");
    started(threads_start_planner_of_the_route(&all[1], job, &planner), "planner");
    started(threads_start_journal(&all[2], job, &journal), "journal");
    started(threads_start_radio(&all[3], job, &radio), "radio");
    started(threads_start_camera(&all[4], alone, &camera), "camera");
    if (threads_start_camera(&all[4], alone, &camera) != EBUSY)
        return 1;
    for (int index = 0; argc > 2 && index < 2; index++)
        started(pthread_create(&watchers[index], NULL, watch, &processors[index]), "watch");
    for (int index = 0; index < 5; index++)
        pthread_join(all[index], NULL);
    for (int index = 0; argc > 2 && index < 2; index++)
        pthread_join(watchers[index], NULL);
    show("sensor", &threads_seen_sensor);
    show("planner", &threads_seen_planner_of_the_route);
    show("journal", &threads_seen_journal);
    show("radio", &threads_seen_radio);
    show("camera", &threads_seen_camera);
    return 0;
}
