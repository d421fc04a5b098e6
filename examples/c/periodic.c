/* Two periodic tasks that share a counter under P-EDF and the MSRP, for a second.
 *
 *     cc periodic.c -o periodic $(pkg-config --cflags --libs schedlab)
 */
#include <schedlab.h>
#include <stdio.h>

static int counter, shared;

static void count(schedlab_job *job, void *step) {
    while (schedlab_wait_for_next_job(job)) {
        schedlab_lock(job, shared);
        counter += *(int *)step;
        schedlab_unlock(job, shared);
    }
}

int main(void) {
    schedlab_system *system = schedlab_new("P-EDF", "msrp", 2);
    schedlab_task tasks[2] = {
        {.name = "ones", .wcet_ns = 1000000, .period_ns = 10000000, .priority = -1, .processor = 0},
        {.name = "tens", .wcet_ns = 2000000, .period_ns = 20000000, .priority = -1, .processor = 1},
    };
    int steps[2] = {1, 10};
    shared = schedlab_resource(system, "counter");
    for (int i = 0; i < 2; i++)
        schedlab_uses(system, schedlab_create_task(system, &tasks[i], count, &steps[i]), shared, 100000);
    schedlab_totals totals;
    int result = schedlab_run(system, 1000000000, &totals);
    if (result != 0)
        fprintf(stderr, "%s\n", schedlab_error());
    else
        printf("%lu jobs, %lu late, counter %d\n", totals.jobs_completed, totals.jobs_missed, counter);
    schedlab_free(system);
    return -result;
}
