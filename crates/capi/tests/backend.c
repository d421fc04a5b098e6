/* Three tasks share a counter by the backend that the first argument names. Exits with 3 where that is refused. */
#include <schedlab.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static int counter, shared;

static void count(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job)) {
        CHECK(schedlab_lock(job, shared) == 0);
        ++counter;
        CHECK(schedlab_unlock(job, shared) == 0);
    }
}

int main(int given, char **arguments) {
    CHECK(given == 2);
    schedlab_system *system = schedlab_new("G-EDF", "fmlp", 2);
    CHECK(schedlab_set_backend(system, "scheduler") == SCHEDLAB_ERROR);
    CHECK(strstr(schedlab_error(), "allowed: threads, scx, scx-native, class, auto") != NULL);
    CHECK(schedlab_set_backend(system, arguments[1]) == 0);
    schedlab_task task = {.name = "", .wcet_ns = 1000000, .period_ns = 20000000, .priority = -1, .processor = -1};
    const char *names[3] = {"a", "b", "c"};
    shared = schedlab_resource(system, "counter");
    for (int i = 0; i < 3; i++) {
        task.name = names[i];
        schedlab_uses(system, schedlab_create_task(system, &task, count, NULL), shared, 100000);
    }
    schedlab_totals totals;
    int result = schedlab_run(system, 300000000, &totals);
    if (result != 0)
        fprintf(stderr, "%s\n", schedlab_error());
    else
        printf("%d counted, %lu jobs\n", counter, totals.jobs_completed);
    schedlab_free(system);
    return -result;
}
