/* Jobs that are cut within operations on buffers, queues and heaps: each operation takes place as a whole, and no object loses
 * anything. Argument: how many jobs of each task. Exits with 3 where real time is refused. */
#define _GNU_SOURCE
#include <schedlab.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { TASKS = 2, KINDS = 3, SCHEMES = 3, OBJECTS = KINDS * SCHEMES, CAPACITY = 8, WORDS = 10, BUFFER = 0, QUEUE = 1, HEAP = 2 };
enum doing { NOTHING, PUTS, TAKES, OTHER };

static schedlab_object *memory;
static uint64_t places[OBJECTS];

/* What a task saw of one object. An operation in which its job was cut may have taken place before that. */
struct seen { uint64_t put, taken, unsure_put, unsure_taken, last[TASKS]; };

static struct task {
    uint64_t number, next, begun, cut, within;
    int at;
    volatile enum doing doing;
    schedlab_member *members[OBJECTS];
    struct seen seen[OBJECTS];
} tasks[TASKS];

/* Values of a task rise, those of all tasks differ. */
static uint64_t value_of(uint64_t next, uint64_t task) { return next * TASKS + task; }

static void note_taken(struct task *task, uint64_t value) {
    struct seen *seen = &task->seen[task->at];
    uint64_t of = value % TASKS, next = value / TASKS;
    ++seen->taken;
    if (task->at / SCHEMES == QUEUE) { /* First in, first out: also by who put. */
        CHECK(next > seen->last[of]);
        seen->last[of] = next;
    }
}

static void use_buffer(struct task *task) {
    uint64_t words[WORDS];
    for (int at = 0; at < WORDS; at++)
        words[at] = value_of(task->next, task->number);
    ++task->next;
    task->doing = OTHER;
    CHECK(schedlab_write_buffer(task->members[task->at], words) == 0);
    CHECK(schedlab_read_buffer(task->members[task->at], words) == 0);
    task->doing = NOTHING;
    for (int at = 1; at < WORDS; at++)
        CHECK(words[at] == words[0]);
}

static void use_container(struct task *task) {
    schedlab_member *member = task->members[task->at];
    struct seen *seen = &task->seen[task->at];
    uint64_t mine = task->next++, value;
    task->doing = PUTS;
    int put = schedlab_put(member, value_of(mine, task->number));
    schedlab_enter_uncut();
    task->doing = NOTHING;
    CHECK(put == 0 || put == 1);
    seen->put += put;
    schedlab_leave_uncut();
    if (mine % 3 == 0) /* Full now and then. */
        return;
    task->doing = TAKES;
    int taken = schedlab_take(member, &value);
    schedlab_enter_uncut();
    task->doing = NOTHING;
    CHECK(taken == 0 || taken == 1);
    if (taken)
        note_taken(task, value);
    schedlab_leave_uncut();
}

static void use(schedlab_job *job, void *argument) {
    struct task *task = argument;
    task->at = schedlab_job_number(job) % OBJECTS;
    ++task->begun;
    while (!schedlab_is_over(job))
        if (task->at / SCHEMES == BUFFER)
            use_buffer(task);
        else
            use_container(task);
}

static void handle(schedlab_job *job, void *argument) {
    struct task *task = argument;
    struct seen *seen = &task->seen[task->at];
    CHECK(schedlab_is_aborted(job));
    ++task->cut;
    task->within += task->doing != NOTHING;
    seen->unsure_put += task->doing == PUTS;
    seen->unsure_taken += task->doing == TAKES;
    task->doing = NOTHING;
}

static void each(schedlab_job *job, void *argument) {
    struct task *task = argument;
    for (int at = 0; at < OBJECTS; at++)
        CHECK((task->members[at] = schedlab_join(memory, places[at], task->number, job)));
    schedlab_each_job(job, use, handle, task);
    for (int at = 0; at < OBJECTS; at++)
        schedlab_leave(task->members[at]);
}

/* What is left in it is what was put and not taken, and there is room for as many values as at first. */
static void look_at(int at) {
    schedlab_member *member = schedlab_join(memory, places[at], 0, NULL);
    uint64_t left = 0, put = 0, taken = 0, unsure_put = 0, unsure_taken = 0, value;
    CHECK(member != NULL);
    while (schedlab_take(member, &value) == 1)
        ++left;
    for (int task = 0; task < TASKS; task++) {
        struct seen *seen = &tasks[task].seen[at];
        put += seen->put, taken += seen->taken;
        unsure_put += seen->unsure_put, unsure_taken += seen->unsure_taken;
    }
    CHECK(left <= CAPACITY && taken + left <= put + unsure_put && put <= taken + left + unsure_taken);
    for (uint64_t round = 0; round < 10; round++) {
        for (uint64_t more = 1; more <= CAPACITY; more++)
            CHECK(schedlab_put(member, more) == 1);
        CHECK(schedlab_put(member, 1) == 0);
        for (uint64_t more = 1; more <= CAPACITY; more++)
            CHECK(schedlab_take(member, &value) == 1 && value == (at / SCHEMES == QUEUE ? more : CAPACITY + 1 - more));
        CHECK(schedlab_take(member, &value) == 0);
    }
    schedlab_leave(member);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    char name[32];
    snprintf(name, sizeof name, "cuts-test-%d", (int)getpid());
    memory = schedlab_open_object(name, 1 << 20);
    CHECK(memory != NULL && schedlab_unlink_object(name) == 0);
    const char *schemes[] = {"locked", "lock-free", "wait-free"};
    for (int at = 0; at < SCHEMES; at++) {
        places[BUFFER * SCHEMES + at] = schedlab_make_buffer(memory, schemes[at], WORDS, TASKS);
        places[QUEUE * SCHEMES + at] = schedlab_make_queue(memory, schemes[at], CAPACITY, TASKS);
        places[HEAP * SCHEMES + at] = schedlab_make_heap(memory, schemes[at], CAPACITY, TASKS);
    }
    schedlab_system *system = schedlab_new("P-HVDF", "none", TASKS);
    CHECK(system);
    for (int at = 0; at < TASKS; at++) {
        tasks[at].number = at, tasks[at].next = 1;
        /* Periods that differ: they meet on each object, and are cut at other points each time. */
        schedlab_task task = {
            .name = at ? "one" : "other", .wcet_ns = 100000, .period_ns = 1000000, .offset_ns = at * 70000, .priority = -1,
            .processor = at, .utility = 1, .termination_ns = 300000, .has_abort_handler = true,
        };
        CHECK(schedlab_create_task(system, &task, each, &tasks[at]) == at);
    }
    schedlab_totals totals;
    int result = schedlab_run(system, atoi(arguments[1]) * 1000000ull, &totals);
    if (result == SCHEDLAB_REFUSED)
        return fprintf(stderr, "%s\n", schedlab_error()), 3;
    CHECK(result == 0);
    for (int at = QUEUE * SCHEMES; at < OBJECTS; at++)
        look_at(at);
    uint64_t cut = tasks[0].cut + tasks[1].cut, within = tasks[0].within + tasks[1].within;
    printf("%lu jobs, %lu cut, %lu of them within an operation\n", tasks[0].begun + tasks[1].begun, cut, within);
    schedlab_free(system);
    schedlab_close_object(memory);
    return 0;
}
