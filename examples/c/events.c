/* A task that events release, beside a periodic one, for a second under G-EDF.
 *
 * The periodic task "sensor" looks at a value, and raises an alarm when that is high. A thread of the program, without
 * any priority, raises it too when a user pushes a button. The task "alarm" answers within 5 ms, at most once in 20 ms:
 * schedlab keeps its jobs that far apart.
 *
 *     cc events.c -o events $(pkg-config --cflags --libs schedlab) -lpthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <schedlab.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static const schedlab_event *alarm_event;
static atomic_bool over;
static atomic_int answered;

static void sense(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job))
        if (schedlab_job_number(job) % 7 == 3) /* the value is high */
            schedlab_release(alarm_event);
}

static void answer(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job))
        answered++;
}

/* Pushes the button twice in a row, again and again: the second push of a pair comes too early. */
static void *push_button(void *argument) {
    struct timespec pause = {.tv_nsec = 33000000};
    (void)argument;
    while (!over) {
        schedlab_release(alarm_event);
        schedlab_release(alarm_event);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

int main(void) {
    schedlab_system *system = schedlab_new("G-EDF", "none", 2);
    schedlab_task tasks[2] = {
        {.name = "sensor", .wcet_ns = 1000000, .period_ns = 10000000, .priority = -1, .processor = -1},
        {.name = "alarm", .wcet_ns = 1000000, .period_ns = 20000000, .relative_deadline_ns = 5000000,
         .priority = -1, .processor = -1},
    };
    schedlab_create_task(system, &tasks[0], sense, NULL);
    alarm_event = schedlab_event_driven(system, schedlab_create_task(system, &tasks[1], answer, NULL));
    pthread_t button;
    pthread_create(&button, NULL, push_button, NULL);
    schedlab_totals totals;
    int result = schedlab_run(system, 1000000000, &totals);
    over = true;
    pthread_join(button, NULL);
    schedlab_event_counts counts;
    schedlab_count_events(alarm_event, &counts);
    if (result != 0)
        fprintf(stderr, "%s\n", schedlab_error());
    else
        printf("%lu calls: %lu delayed, %lu refused, %d answered\n", counts.calls, counts.delayed,
               counts.refused, answered);
    schedlab_free(system);
    return -result;
}
