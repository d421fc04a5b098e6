/* Jobs that are cut when they are given up: in their own code, in a section, in a system call, and between two uncut parts. Arguments: how many of each,
 * and where the trace goes. Exits with 3 where real time is refused. */
#define _GNU_SOURCE
#include <poll.h>
#include <schedlab.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

struct kind { unsigned begun, handled; void *block; };

static struct kind loops, holds, calls, shares;
static int shared, ends[2];
static atomic_int inside, blocks;

/* A block that the handler frees. */
static void begin(struct kind *kind) {
    schedlab_enter_uncut();
    ++kind->begun;
    kind->block = malloc(100);
    ++blocks;
    schedlab_leave_uncut();
}

static void end(struct kind *kind) {
    schedlab_enter_uncut();
    free(kind->block);
    kind->block = NULL;
    --blocks;
    schedlab_leave_uncut();
}

static void loop(schedlab_job *job, void *kind) {
    begin(kind);
    while (!schedlab_is_over(job))
        ;
    end(kind);
}

static void hold(schedlab_job *job, void *kind) {
    begin(kind);
    CHECK(schedlab_lock(job, shared) == 0);
    schedlab_enter_uncut();
    CHECK(atomic_fetch_add(&inside, 1) == 0);
    schedlab_leave_uncut();
    while (!schedlab_is_over(job))
        ;
    --inside;
    end(kind);
}

static void call(schedlab_job *job, void *kind) {
    struct pollfd nothing = {.fd = ends[0], .events = POLLIN};
    begin(kind);
    while (!schedlab_is_over(job))
        poll(&nothing, 1, 100);
    end(kind);
}

/* Is given up only if it waits for long. */
static void share(schedlab_job *job, void *kind) {
    begin(kind);
    CHECK(schedlab_lock(job, shared) == 0);
    schedlab_enter_uncut();
    CHECK(atomic_fetch_add(&inside, 1) == 0);
    --inside;
    schedlab_leave_uncut();
    CHECK(schedlab_unlock(job, shared) == 0);
    end(kind);
}

static void handle(schedlab_job *job, void *argument) {
    struct kind *kind = argument;
    CHECK(schedlab_is_aborted(job));
    ++kind->handled;
    if (kind == &holds && atomic_load(&inside) > 0) {
        --inside;
        CHECK(schedlab_unlock(job, shared) == 0); /* What it does not leave, the library leaves. */
    }
    if (kind->block) /* It may have been cut before its first line, or after its last. */
        end(kind);
}

static void each(schedlab_job *job, void *kind) {
    void (*code)(schedlab_job *, void *) = kind == &loops ? loop : kind == &holds ? hold : kind == &calls ? call : share;
    schedlab_each_job(job, code, handle, kind);
}

int main(int count, char **arguments) {
    CHECK(count == 3 && pipe(ends) == 0);
    unsigned times = atoi(arguments[1]);
    schedlab_system *system = schedlab_new("P-HVDF", "task-fair", 2);
    CHECK(system);
    const char *names[] = {"loops", "holds", "calls", "shares"};
    uint64_t offsets[] = {0, 3000000, 0, 3500000}; /* The last one waits for the second. */
    struct kind *kinds[] = {&loops, &holds, &calls, &shares};
    shared = schedlab_resource(system, "shared");
    for (int at = 0; at < 4; at++) {
        schedlab_task task = {
            .name = names[at], .wcet_ns = 1000000, .period_ns = 8000000, .offset_ns = offsets[at], .priority = -1,
            .processor = at == 1 || at == 2, .utility = 1, .termination_ns = 2000000, .has_abort_handler = true,
        };
        int number = schedlab_create_task(system, &task, each, kinds[at]);
        CHECK(number == at);
        if (at == 1 || at == 3)
            CHECK(schedlab_uses(system, number, shared, 500000) == 0);
    }
    CHECK(schedlab_keep_trace(system, arguments[2]) == 0);
    schedlab_totals totals;
    int result = schedlab_run(system, times * 8000000ull + 1000000, &totals);
    if (result == SCHEDLAB_REFUSED)
        return fprintf(stderr, "%s\n", schedlab_error()), 3;
    CHECK(result == 0 || result == SCHEDLAB_CRASHED);
    printf("%u %u %u of %u %u %u, %u shared, %d blocks\n", loops.handled, holds.handled, calls.handled, loops.begun, holds.begun, calls.begun, shares.begun, atomic_load(&blocks));
    CHECK(result == 0);
    /* The last one may have been in its code at the end of the run. */
    CHECK(loops.handled + 1 >= loops.begun && holds.handled + 1 >= holds.begun && calls.handled + 1 >= calls.begun);
    CHECK(loops.begun && holds.begun && calls.begun && shares.begun);
    CHECK(atomic_load(&blocks) == 0 && atomic_load(&inside) == 0);
    schedlab_free(system);
    return 0;
}
