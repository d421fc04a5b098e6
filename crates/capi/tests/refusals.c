/* Bad arguments of objects, buffers, queues and heaps: each is refused, and the text says what, where and what is allowed. */
#include <schedlab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* The call fails with this result, and its text has these words. */
#define REFUSED(call, result, words) \
    do { \
        CHECK((call) == (result)); \
        CHECK(strstr(schedlab_error(), (words)) != NULL); \
    } while (0)

static schedlab_object *object;
static uint64_t words[4];

static void code(void *argument) {
    (void)argument;
}

static void null_pointers(void) {
    const char *no_object = "object: a null pointer", *no_member = "member: a null pointer";
    REFUSED(schedlab_open_object(NULL, 1), NULL, "object name: a null pointer");
    REFUSED(schedlab_unlink_object(NULL), SCHEDLAB_ERROR, "object name: a null pointer");
    REFUSED(schedlab_object_root(NULL, 8), NULL, no_object);
    REFUSED(schedlab_object_allocate(NULL, 8), NULL, no_object);
    REFUSED(schedlab_object_free(NULL, NULL), SCHEDLAB_ERROR, no_object);
    REFUSED(schedlab_object_place(NULL, words), 0, no_object);
    REFUSED(schedlab_object_at(NULL, 64), NULL, no_object);
    REFUSED(schedlab_object_with_lock(NULL, code, NULL), SCHEDLAB_ERROR, no_object);
    REFUSED(schedlab_object_with_lock(object, NULL, NULL), SCHEDLAB_ERROR, "code: a null pointer");
    REFUSED(schedlab_make_buffer(NULL, "locked", 1, 1), 0, "allowed: what schedlab_open_object() returned");
    REFUSED(schedlab_make_queue(object, NULL, 1, 1), 0, "scheme: a null pointer");
    REFUSED(schedlab_make_heap_in_blocks(NULL, "locked", 1, 1, 0, 0), 0, no_object);
    REFUSED(schedlab_join(NULL, 64, 0, NULL), NULL, no_object);
    REFUSED(schedlab_read_buffer(NULL, words), SCHEDLAB_ERROR, no_member);
    REFUSED(schedlab_write_buffer(NULL, words), SCHEDLAB_ERROR, no_member);
    REFUSED(schedlab_put(NULL, 1), SCHEDLAB_ERROR, no_member);
    REFUSED(schedlab_take(NULL, words), SCHEDLAB_ERROR, "allowed: what schedlab_join() returned");
    CHECK(schedlab_attempts(NULL) == 0);
    schedlab_leave(NULL);
    schedlab_close_object(NULL);
}

static void jobs_and_systems(void) {
    const char *no_job = "job: a null pointer";
    REFUSED(schedlab_lock(NULL, 0), SCHEDLAB_ERROR, no_job);
    REFUSED(schedlab_lock(NULL, -1), SCHEDLAB_ERROR, "resource -1: allowed are the numbers that were given out");
    REFUSED(schedlab_enter_np(NULL), SCHEDLAB_ERROR, no_job);
    REFUSED(schedlab_suspend(NULL, 1), SCHEDLAB_ERROR, no_job);
    REFUSED(schedlab_wait_for_next_job(NULL), false, no_job);
    REFUSED(schedlab_complete(NULL), false, no_job);
    REFUSED(schedlab_is_aborted(NULL), false, no_job);
    REFUSED(schedlab_is_over(NULL), true, no_job);
    CHECK(schedlab_job_number(NULL) == 0 && schedlab_job_arrival(NULL) == 0);
    CHECK(schedlab_job_deadline(NULL) == 0 && schedlab_now(NULL) == 0);
    schedlab_end(NULL);
    schedlab_set_landing(NULL, NULL);
    REFUSED(schedlab_run(NULL, 1, NULL), SCHEDLAB_ERROR, "system: a null pointer");
    REFUSED(schedlab_write_trace(NULL, "x"), SCHEDLAB_ERROR, "allowed: what schedlab_new() or schedlab_read() returned");
    REFUSED(schedlab_print_findings(NULL, false), SCHEDLAB_ERROR, "system: a null pointer");
    schedlab_system *system = schedlab_new("P-EDF", "none", 1);
    CHECK(system != NULL);
    schedlab_task task = {.name = "a", .wcet_ns = 1000, .period_ns = 1000000, .priority = -2, .processor = -1};
    REFUSED(schedlab_create_task(system, NULL, NULL, NULL), SCHEDLAB_ERROR, "task: a null pointer");
    REFUSED(schedlab_create_task(system, &task, NULL, NULL), SCHEDLAB_ERROR, "priority -2: allowed are 0 to 4294967295, or -1");
    task.priority = -1, task.processor = 70000;
    REFUSED(schedlab_create_task(system, &task, NULL, NULL), SCHEDLAB_ERROR, "processor 70000: allowed are 0 to 65535, or -1");
    task.processor = -1;
    REFUSED(schedlab_create_task(system, &task, NULL, NULL), SCHEDLAB_ERROR, "code: a null pointer");
    REFUSED(schedlab_uses(system, -1, 0, 1), SCHEDLAB_ERROR, "task -1 does not exist");
    REFUSED(schedlab_uses(system, 0, -7, 1), SCHEDLAB_ERROR, "resource -7 does not exist");
    REFUSED(schedlab_print_findings(system, false), SCHEDLAB_ERROR, "has not run");
    schedlab_free(system);
}

static void numbers(void) {
    REFUSED(schedlab_open_object("refusals", -1), NULL, "object size -1: allowed are 0 to");
    REFUSED(schedlab_object_allocate(object, -1), NULL, "a size of -1 bytes is negative");
    REFUSED(schedlab_object_root(object, 1 << 30), NULL, "no room for 1073741824 bytes");
    REFUSED(schedlab_object_allocate(object, (size_t)1 << 31), NULL, "no room for 2147483648 bytes");
    REFUSED(schedlab_object_allocate(object, ((size_t)1 << 31) + 1), NULL,
            "a block of 2147483649 bytes; allowed: at most 2147483648");
    REFUSED(schedlab_make_buffer(object, "wait-free", 0, 2), 0, "wait-free buffer: size 0: allowed are 1 to 60000");
    REFUSED(schedlab_make_queue(object, "locked", -1, 2), 0, "locked queue: size -1: allowed are 1 to 60000");
    REFUSED(schedlab_make_heap(object, "locked", 60001, 2), 0, "size 60001: allowed are 1 to 60000");
    REFUSED(schedlab_make_heap(object, "lock-free", 4, 0), 0, "tasks 0: allowed are 1 to 120");
    REFUSED(schedlab_make_heap(object, "lock-free", 4, -1), 0, "tasks -1: allowed are 1 to 120");
    REFUSED(schedlab_make_queue(object, "lockfree", 4, 2), 0, "scheme \"lockfree\": known are locked, lock-free, wait-free");
    REFUSED(schedlab_make_heap_in_blocks(object, "lock-free", 4, 2, 3, 0), 0, "block 3: allowed are powers of two from 2 to 65536");
    REFUSED(schedlab_make_heap_in_blocks(object, "lock-free", 4, 2, (size_t)1 << 62, 0), 0, "block 4611686018427387904: allowed");
    REFUSED(schedlab_make_queue_in_blocks(object, "wait-free", 4, 2, 0, 3), 0, "help 3: allowed are 1 to 2");
    REFUSED(schedlab_make_buffer(object, "wait-free", 60000, 120), 0, "a block of 6969631360 bytes; allowed: at most");
}

/* What was made at a place, joined wrongly. */
static void places(void) {
    uint64_t place = schedlab_make_queue(object, "wait-free", 4, 2);
    CHECK(place != 0);
    REFUSED(schedlab_join(object, place, -1, NULL), NULL, "task -1: it was made for tasks 0 to 1");
    REFUSED(schedlab_join(object, place, 2, NULL), NULL, "task 2: it was made for tasks 0 to 1");
    REFUSED(schedlab_join(object, 0, 0, NULL), NULL, "place 0: outside of the object");
    REFUSED(schedlab_join(object, UINT64_MAX, 0, NULL), NULL, "outside of the object");
    void *block = schedlab_object_allocate(object, 4096);
    CHECK(block != NULL);
    REFUSED(schedlab_join(object, schedlab_object_place(object, block), 0, NULL), NULL, "no buffer, queue or heap was made there");
    REFUSED(schedlab_object_place(object, words), 0, "address: outside of the object");
    REFUSED(schedlab_object_free(object, words), SCHEDLAB_ERROR, "block: no block of this object begins there");
    CHECK(schedlab_object_free(object, block) == 0);
    REFUSED(schedlab_object_free(object, block), SCHEDLAB_ERROR, "block: the block is free already");
    schedlab_member *queue = schedlab_join(object, place, 0, NULL);
    CHECK(queue != NULL);
    REFUSED(schedlab_join(object, place, 0, NULL), NULL, "task 0: another process has this number");
    REFUSED(schedlab_take(queue, NULL), SCHEDLAB_ERROR, "value: a null pointer has no room");
    REFUSED(schedlab_take(queue, (uint64_t *)((char *)words + 1)), SCHEDLAB_ERROR, "value: the address is no multiple of 8");
    REFUSED(schedlab_read_buffer(queue, words), SCHEDLAB_ERROR, "schedlab_read_buffer(): this is a queue; allowed: schedlab_put()");
    REFUSED(schedlab_write_buffer(queue, words), SCHEDLAB_ERROR, "schedlab_write_buffer(): this is a queue");
    for (int at = 0; at < 4; at++)
        CHECK(schedlab_put(queue, at) == 1);
    CHECK(schedlab_put(queue, 4) == 0);
    schedlab_leave(queue);
    schedlab_member *buffer = schedlab_join(object, schedlab_make_buffer(object, "locked", 4, 1), 0, NULL);
    CHECK(buffer != NULL);
    REFUSED(schedlab_read_buffer(buffer, NULL), SCHEDLAB_ERROR, "into: a null pointer");
    REFUSED(schedlab_write_buffer(buffer, NULL), SCHEDLAB_ERROR, "value: a null pointer");
    REFUSED(schedlab_put(buffer, 1), SCHEDLAB_ERROR, "schedlab_put(): this is a buffer; allowed: schedlab_read_buffer()");
    REFUSED(schedlab_take(buffer, words), SCHEDLAB_ERROR, "schedlab_take(): this is a buffer");
    schedlab_leave(buffer);
    /* It begins at the next multiple of 128 bytes, with its layout's number and what it was made for. */
    uint64_t *first = (uint64_t *)(((uintptr_t)schedlab_object_at(object, place) + 127) / 128 * 128);
    *first -= 1;
    REFUSED(schedlab_join(object, place, 0, NULL), NULL, "another version of schedlab made it, in layout 5");
    *first += 1;
    uint64_t tasks = first[3];
    first[3] = 100000;
    REFUSED(schedlab_join(object, place, 0, NULL), NULL, "tasks 100000: allowed are 1 to 120");
    first[3] = 120;
    REFUSED(schedlab_join(object, place, 0, NULL), NULL, "smaller than what was made there");
    first[3] = tasks;
    queue = schedlab_join(object, place, 0, NULL);
    CHECK(queue != NULL);
    schedlab_leave(queue);
}

int main(void) {
    char name[32];
    snprintf(name, sizeof name, "refusals-test-%d", (int)getpid());
    object = schedlab_open_object(name, 1 << 16);
    CHECK(object != NULL && schedlab_unlink_object(name) == 0);
    null_pointers();
    jobs_and_systems();
    numbers();
    places();
    schedlab_close_object(object);
    return 0;
}
