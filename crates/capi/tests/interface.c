/* Every function of the interface once, and what it refuses. Exits with 3 where real time is refused. */
#include <schedlab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int buffer, other;
static unsigned jobs, steps;

static void worker(schedlab_job *job, void *argument) {
    CHECK(argument == &jobs);
    CHECK(schedlab_lock(job, buffer) == SCHEDLAB_ERROR); /* No job executes yet. */
    while (schedlab_wait_for_next_job(job)) {
        CHECK(schedlab_job_number(job) == jobs);
        CHECK(schedlab_job_arrival(job) == jobs * 10000000ull);
        CHECK(schedlab_job_deadline(job) == schedlab_job_arrival(job) + 8000000);
        CHECK(schedlab_now(job) >= schedlab_job_arrival(job) && !schedlab_is_over(job));
        CHECK(schedlab_lock(job, buffer) == 0);
        CHECK(schedlab_lock(job, buffer) == SCHEDLAB_ERROR); /* It holds it already. */
        CHECK(schedlab_suspend(job, 1000) == SCHEDLAB_ERROR && strstr(schedlab_error(), "holds buffer")); /* The protocol was not asked. */
        CHECK(schedlab_unlock(job, buffer) == 0);
        CHECK(schedlab_unlock(job, buffer) == SCHEDLAB_ERROR);
        CHECK(schedlab_lock(job, other) == SCHEDLAB_ERROR && strstr(schedlab_error(), "1 of other"));
        CHECK(schedlab_lock(job, -1) == SCHEDLAB_ERROR && schedlab_lock(job, 77) == SCHEDLAB_ERROR);
        CHECK(schedlab_enter_np(job) == 0 && schedlab_enter_np(job) == 0);
        CHECK(schedlab_suspend(job, 1000) == SCHEDLAB_ERROR);
        CHECK(schedlab_exit_np(job) == 0 && schedlab_exit_np(job) == 0);
        CHECK(schedlab_exit_np(job) == SCHEDLAB_ERROR);
        CHECK(schedlab_suspend(job, 100000) == 0);
        if (++jobs == 20)
            schedlab_end(job);
    }
    CHECK(schedlab_is_over(job));
    CHECK(schedlab_lock(job, buffer) == 0 && schedlab_unlock(job, buffer) == 0); /* Once no other task is in a section. */
}

/* Ends while it holds something: it is given back. */
static void leaver(schedlab_job *job, void *argument) {
    (void)argument;
    CHECK(schedlab_wait_for_next_job(job));
    CHECK(schedlab_lock(job, other) == 0);
}

static void endless(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job))
        ;
    for (;;)
        ++steps;
}

static void add_one(void *counter) { ++*(unsigned *)counter; }

struct root { uint64_t place; unsigned counter; };

static void objects(void) {
    char name[64];
    snprintf(name, sizeof name, "test-c-%d", (int)getpid());
    CHECK(!schedlab_open_object("no/slashes", 1) && strstr(schedlab_error(), "no/slashes"));
    schedlab_object *object = schedlab_open_object(name, 10000);
    CHECK(object);
    pid_t child = fork();
    if (child == 0) {
        schedlab_object *mine = schedlab_open_object(name, 0);
        struct root *root = schedlab_object_root(mine, sizeof *root);
        for (int i = 0; i < 1000; i++)
            schedlab_object_with_lock(mine, add_one, &root->counter);
        char *text = schedlab_object_allocate(mine, 100);
        strcpy(text, "from the child");
        root->place = schedlab_object_place(mine, text);
        schedlab_close_object(mine);
        _exit(0);
    }
    struct root *root = schedlab_object_root(object, sizeof *root);
    for (int i = 0; i < 1000; i++)
        schedlab_object_with_lock(object, add_one, &root->counter);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(root->counter == 2000);
    char *text = schedlab_object_at(object, root->place);
    CHECK(text && strcmp(text, "from the child") == 0);
    CHECK(schedlab_object_free(object, text) == 0 && schedlab_object_free(object, text) == SCHEDLAB_ERROR);
    CHECK(!schedlab_object_at(object, 0) && !schedlab_object_place(object, &status));
    CHECK(!schedlab_object_allocate(object, 1u << 30));
    CHECK(schedlab_unlink_object(name) == 0 && schedlab_unlink_object(name) == SCHEDLAB_ERROR);
    schedlab_close_object(object);
}

static int deep_jobs;

/* Each job writes to 6 MiB of its stack. */
static void deep(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job)) {
        volatile char kept[6 << 20];
        for (size_t at = 0; at < sizeof kept; at += 4096) kept[at] = 1;
        deep_jobs += kept[0];
    }
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    objects();
    CHECK(!schedlab_new("Q-EDF", "none", 1) && strstr(schedlab_error(), "Q-EDF"));
    CHECK(!schedlab_new("P-EDF", "none", 0) && !schedlab_new(NULL, "none", 1));
    CHECK(!schedlab_read("there-is-no-such-file.toml"));
    schedlab_system *system = schedlab_new("G-EDF", "fmlp-short", 1);
    CHECK(system);
    buffer = schedlab_resource(system, "buffer");
    other = schedlab_resource(system, "other");
    CHECK(buffer == 0 && other == 1 && schedlab_resource(system, "buffer") == 0);
    schedlab_task task = {.name = "worker", .wcet_ns = 2000000, .period_ns = 10000000,
                          .relative_deadline_ns = 8000000, .priority = -1, .processor = -1};
    int id = schedlab_create_task(system, &task, worker, &jobs);
    CHECK(id == 0 && schedlab_uses(system, id, buffer, 500000) == 0);
    CHECK(schedlab_uses(system, id, buffer, 1600000) == SCHEDLAB_ERROR); /* More than the WCET in all. */
    CHECK(schedlab_uses(system, id, 9, 1) == SCHEDLAB_ERROR && schedlab_uses(system, 9, buffer, 1) == SCHEDLAB_ERROR);
    CHECK(schedlab_create_task(system, &task, NULL, NULL) == SCHEDLAB_ERROR);
    CHECK(schedlab_set_code(system, "nobody", worker, NULL) == SCHEDLAB_ERROR);
    task.name = "leaver";
    id = schedlab_create_task(system, &task, leaver, &steps);
    CHECK(id == 1 && schedlab_uses(system, id, other, 1000) == 0);
    CHECK(schedlab_write_trace(system, arguments[1]) == SCHEDLAB_ERROR);
    CHECK(schedlab_print_findings(system, true) == SCHEDLAB_ERROR);
    CHECK(schedlab_keep_trace(system, arguments[2]) == 0);
    schedlab_totals totals;
    int result = schedlab_run(system, 0, &totals);
    if (result == SCHEDLAB_REFUSED) {
        fprintf(stderr, "%s\n", schedlab_error());
        return 3;
    }
    CHECK(result == 0 && jobs >= 20 && totals.jobs_completed >= 20 && totals.end_ns > 190000000);
    CHECK(schedlab_write_trace(system, arguments[1]) == 0);
    CHECK(schedlab_print_findings(system, false) == 1 && schedlab_print_findings(system, true) >= 0);
    CHECK(schedlab_run(system, 0, &totals) == SCHEDLAB_ERROR && schedlab_resource(system, "x") == SCHEDLAB_ERROR);
    schedlab_free(system);
    system = schedlab_new("P-EDF", "none", 1);
    task.name = "endless";
    CHECK(schedlab_create_task(system, &task, endless, NULL) == 0);
    CHECK(schedlab_run(system, 50000000, NULL) == SCHEDLAB_CRASHED && strstr(schedlab_error(), "endless"));
    schedlab_free(system);
    system = schedlab_new("P-EDF", "none", 1);
    task.name = "deep";
    CHECK(schedlab_create_task(system, &task, deep, NULL) == 0 && schedlab_set_stack(system, 8 << 20) == 0);
    CHECK(schedlab_run(system, 50000000, NULL) == 0 && deep_jobs > 0);
    CHECK(schedlab_set_stack(system, 8 << 20) == SCHEDLAB_ERROR);
    schedlab_free(system);
    system = schedlab_new("P-EDF", "none", 1);
    CHECK(schedlab_create_task(system, &task, deep, NULL) == 0 && schedlab_set_stack(system, 1024) == 0);
    CHECK(schedlab_run(system, 50000000, NULL) == SCHEDLAB_REFUSED && strstr(schedlab_error(), "stack of 1024"));
    schedlab_free(system);
    return 0;
}
