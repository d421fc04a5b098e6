/* The handler of a signal releases a task: every 3 ms a timer interrupts whichever thread the kernel chooses. */
#include <schedlab.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#include "check.h"

static const schedlab_event *event;
static atomic_uint jobs, answers[4];
static uint64_t last;

static void on_alarm(int signal) {
    (void)signal;
    int answer = schedlab_release(event);
    if (answer >= 0 && answer < 4)
        answers[answer]++;
}

static void answer(schedlab_job *job, void *argument) {
    (void)argument;
    while (schedlab_wait_for_next_job(job)) {
        uint64_t arrival = schedlab_job_arrival(job);
        CHECK(jobs == 0 || arrival - last >= 10000000);
        last = arrival;
        jobs++;
    }
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    schedlab_system *system = schedlab_new("P-EDF", "none", 1);
    schedlab_task task = {.name = "alarm", .wcet_ns = 1000000, .period_ns = 10000000, .priority = -1, .processor = -1};
    int number = schedlab_create_task(system, &task, answer, NULL);
    CHECK(schedlab_event_driven(system, number + 1) == NULL && strstr(schedlab_error(), "task 1 does not exist"));
    CHECK(schedlab_event_driven(system, -1) == NULL && schedlab_event_driven(NULL, number) == NULL);
    event = schedlab_event_driven(system, number);
    CHECK(event != NULL && schedlab_release(event) == SCHEDLAB_NOT_RUNNING);
    CHECK(schedlab_release(NULL) == SCHEDLAB_ERROR && strstr(schedlab_error(), "event: a null pointer"));
    schedlab_event_counts counts;
    CHECK(schedlab_count_events(event, NULL) == SCHEDLAB_ERROR);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{.tv_usec = 3000}, {.tv_usec = 3000}}, never = {{0}, {0}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    schedlab_totals totals;
    CHECK(schedlab_keep_trace(system, arguments[1]) == 0);
    CHECK(schedlab_run(system, 500000000, &totals) == 0);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(schedlab_release(event) == SCHEDLAB_NOT_RUNNING);
    CHECK(schedlab_count_events(event, &counts) == 0);
    CHECK(counts.calls == answers[SCHEDLAB_RELEASED] + answers[SCHEDLAB_DELAYED] + answers[SCHEDLAB_TOO_EARLY]);
    CHECK(counts.delayed == answers[SCHEDLAB_DELAYED] && counts.refused == answers[SCHEDLAB_TOO_EARLY]);
    CHECK(jobs > 0 && jobs <= totals.jobs_arrived && totals.jobs_arrived <= counts.calls - counts.refused);
    CHECK(counts.calls - counts.refused <= totals.jobs_arrived + 1);
    CHECK(schedlab_print_findings(system, true) >= 0);
    schedlab_free(system);
    return 0;
}
