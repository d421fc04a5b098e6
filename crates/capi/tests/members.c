/* Buffers, queues and heaps from C: what they return, and a process that is killed while it holds a lock. */
#include <schedlab.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static schedlab_object *object;

static void containers(const char *scheme) {
    uint64_t queue_place = schedlab_make_queue(object, scheme, 2, 2), heap_place = schedlab_make_heap(object, scheme, 3, 2);
    CHECK(queue_place != 0 && heap_place != 0);
    schedlab_member *queue = schedlab_join(object, queue_place, 0, NULL), *heap = schedlab_join(object, heap_place, 1, NULL);
    CHECK(queue != NULL && heap != NULL);
    uint64_t value = 0;
    CHECK(schedlab_take(queue, &value) == 0);
    CHECK(schedlab_put(queue, 5) == 1 && schedlab_put(queue, UINT64_MAX) == 1 && schedlab_put(queue, 7) == 0);
    CHECK(schedlab_take(queue, &value) == 1 && value == 5 && schedlab_take(queue, &value) == 1 && value == UINT64_MAX);
    CHECK(schedlab_put(heap, 1) == 1 && schedlab_put(heap, 9) == 1 && schedlab_put(heap, 4) == 1 && schedlab_put(heap, 2) == 0);
    CHECK(schedlab_take(heap, &value) == 1 && value == 9 && schedlab_attempts(heap) == 1);
    CHECK(schedlab_join(object, heap_place, 1, NULL) == NULL);
    schedlab_leave(heap);
    heap = schedlab_join(object, heap_place, 1, NULL);
    CHECK(heap != NULL && schedlab_take(heap, &value) == 1 && value == 4);
    schedlab_leave(heap);
    schedlab_leave(queue);
}

/* Blocks of any size hold what is put into them. */
static void in_blocks(const char *scheme, size_t block) {
    uint64_t places[] = {
        schedlab_make_queue_in_blocks(object, scheme, 20, 3, block, 2), schedlab_make_heap_in_blocks(object, scheme, 20, 3, block, 2)
    };
    for (int which = 0; which < 2; which++) {
        schedlab_member *member = schedlab_join(object, places[which], 2, NULL);
        CHECK(member != NULL);
        for (uint64_t value = 0; value < 20; value++)
            CHECK(schedlab_put(member, value) == 1);
        CHECK(schedlab_put(member, 20) == 0);
        for (uint64_t at = 0; at < 20; at++) {
            uint64_t value;
            CHECK(schedlab_take(member, &value) == 1 && value == (which == 0 ? at : 19 - at));
        }
        schedlab_leave(member);
    }
}

static void a_dead_holder(void) {
    uint64_t place = schedlab_make_buffer(object, "locked", 1000, 2);
    int pipes[2];
    CHECK(place != 0 && pipe(pipes) == 0);
    pid_t child = fork();
    uint64_t value[1000] = {0};
    if (child == 0) {
        schedlab_member *buffer = schedlab_join(object, place, 0, NULL);
        CHECK(buffer != NULL && write(pipes[1], "x", 1) == 1);
        for (;;)
            schedlab_write_buffer(buffer, value);
    }
    char ready;
    CHECK(read(pipes[0], &ready, 1) == 1);
    usleep(2000);
    kill(child, SIGKILL);
    /* Nobody has waited for it: it is a zombie when the lock's waiters ask. */
    schedlab_member *buffer = schedlab_join(object, place, 1, NULL);
    CHECK(buffer != NULL);
    int result = schedlab_read_buffer(buffer, value);
    CHECK(result == 0 || (result == SCHEDLAB_DEAD && strstr(schedlab_error(), "task 0 died")));
    CHECK(result == 0 || schedlab_write_buffer(buffer, value) == SCHEDLAB_DEAD);
    waitpid(child, NULL, 0);
    schedlab_leave(buffer);
}

int main(void) {
    char name[32];
    snprintf(name, sizeof name, "members-test-%d", (int)getpid());
    object = schedlab_open_object(name, 1 << 20);
    CHECK(object != NULL && schedlab_unlink_object(name) == 0);
    const char *schemes[] = {"locked", "lock-free", "wait-free"};
    for (int at = 0; at < 3; at++) {
        containers(schemes[at]);
        for (size_t block = 2; block <= 16; block *= 2)
            in_blocks(schemes[at], block);
    }
    for (int at = 0; at < 10; at++)
        a_dead_holder();
    schedlab_close_object(object);
    return 0;
}
