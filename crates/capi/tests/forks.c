/* Forked children have no part in a run, and the run does not wait for them. Exits with 3 where real time is refused. */
#include <schedlab.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #what, schedlab_error()); \
            _exit(1); \
        } \
    } while (0)

static schedlab_system *itself;
static int buffer;
static pid_t asks, sleeps, returns;
static unsigned jobs;

/* What the last call failed with names the reason. */
static int is_refused(void) {
    return strstr(schedlab_error(), "another process") != NULL;
}

static void child_asks(schedlab_job *job) {
    CHECK(schedlab_lock(job, buffer) == SCHEDLAB_ERROR && is_refused());
    CHECK(schedlab_unlock(job, buffer) == SCHEDLAB_ERROR && is_refused());
    CHECK(schedlab_enter_np(job) == SCHEDLAB_ERROR && is_refused());
    CHECK(schedlab_exit_np(job) == SCHEDLAB_ERROR && is_refused());
    CHECK(schedlab_suspend(job, 1000) == SCHEDLAB_ERROR && is_refused());
    CHECK(schedlab_is_over(job) && !schedlab_wait_for_next_job(job) && is_refused());
    schedlab_end(job);
    CHECK(schedlab_resource(itself, "other") < 0);
    CHECK(schedlab_write_trace(itself, "/dev/null") == SCHEDLAB_ERROR);
    schedlab_free(itself);
    /* A system of its own is its own affair. */
    schedlab_system *own = schedlab_new("P-EDF", "none", 1);
    CHECK(own != NULL && schedlab_resource(own, "mine") == 0);
    schedlab_free(own);
    _exit(0);
}

static void forks(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job)) {
        if (jobs == 2 && (asks = fork()) == 0)
            child_asks(job);
        if (jobs == 3 && (sleeps = fork()) == 0) {
            sleep(20);
            _exit(0);
        }
        if (jobs == 4 && (returns = fork()) == 0)
            continue; /* It is told that there is no job, and returns. */
        jobs++;
    }
}

static int ended_with_zero(pid_t child) {
    int status;
    return waitpid(child, &status, 0) == child && status == 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    itself = schedlab_new("P-EDF", "msrp", 1);
    CHECK(itself != NULL);
    buffer = schedlab_resource(itself, "buffer");
    schedlab_task task = { .name = "forks", .wcet_ns = 5000000, .period_ns = 50000000, .priority = -1, .processor = 0 };
    int number = schedlab_create_task(itself, &task, forks, NULL);
    CHECK(number == 0 && schedlab_uses(itself, number, buffer, 1000000) == 0);
    CHECK(schedlab_keep_trace(itself, arguments[1]) == 0);
    schedlab_totals totals;
    pid_t before = fork();
    if (before == 0) {
        CHECK(schedlab_run(itself, 1000000, &totals) == SCHEDLAB_ERROR && is_refused());
        _exit(0);
    }
    CHECK(ended_with_zero(before));
    int status = schedlab_run(itself, 500000000, &totals);
    if (status == SCHEDLAB_REFUSED) {
        fprintf(stderr, "%s\n", schedlab_error());
        return 3;
    }
    CHECK(status == 0 && totals.jobs_arrived == 10);
    double start = now();
    schedlab_free(itself);
    CHECK(now() - start < 5);
    CHECK(kill(sleeps, 0) == 0);
    kill(sleeps, SIGKILL);
    CHECK(ended_with_zero(asks) && ended_with_zero(returns));
    return 0;
}
