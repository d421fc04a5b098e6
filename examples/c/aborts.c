/* An overload under P-DASA-ND: jobs that are not complete at their termination times are cut, and their handlers called.
 *
 *     cc aborts.c -o aborts $(pkg-config --cflags --libs schedlab)
 */
#define _POSIX_C_SOURCE 200809L /* The header offers schedlab_each_job() where there is sigsetjmp(). */
#include <schedlab.h>
#include <stdio.h>

static unsigned whole, cut;

/* Takes between one and eight milliseconds. */
static void track(schedlab_job *job, void *argument) {
    (void)argument;
    uint64_t length = 1000000 + schedlab_job_number(job) % 8 * 1000000;
    for (uint64_t end = schedlab_now(job) + length; schedlab_now(job) < end;)
        ;
    ++whole;
}

/* What such a job needs to clean up: it goes before all jobs. */
static void give_up(schedlab_job *job, void *argument) {
    (void)job;
    (void)argument;
    ++cut;
}

static void tracker(schedlab_job *job, void *argument) { schedlab_each_job(job, track, give_up, argument); }

int main(void) {
    schedlab_system *system = schedlab_new("P-DASA-ND", "none", 1);
    schedlab_task task = {
        .name = "track", .wcet_ns = 4000000, .period_ns = 10000000, .priority = -1, .processor = -1,
        .utility = 20, .termination_ns = 5000000, .has_abort_handler = true, .abort_cost_ns = 100000,
    };
    schedlab_create_task(system, &task, tracker, NULL);
    schedlab_totals totals;
    int result = schedlab_run(system, 1000000000, &totals);
    if (result != 0)
        fprintf(stderr, "%s\n", schedlab_error());
    else
        printf("%lu jobs, %u whole, %u cut\n", totals.jobs_arrived, whole, cut);
    schedlab_free(system);
    return -result;
}
