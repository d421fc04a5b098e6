/* Two processes share a wait-free heap: one puts events, the other takes the most urgent one, and neither ever waits.
 *
 *     cc heap.c -o heap $(pkg-config --cflags --libs schedlab)
 */
#include <schedlab.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* An operation on the heap copies a block for each level. Blocks of 8 words make five levels of 4,000 events. */
enum { CAPACITY = 4000, TASKS = 2, BLOCK = 8, HELP = 1, EVENTS = 100000 };

static int fail(void) {
    fprintf(stderr, "%s\n", schedlab_error());
    return EXIT_FAILURE;
}

/* An event is its urgency here: 1 to EVENTS, in an order that is no order. */
static int put_events(schedlab_member *heap) {
    for (uint64_t at = 0; at < EVENTS; at++) {
        int put;
        while ((put = schedlab_put(heap, at * 7919 % EVENTS + 1)) == 0)
            ; /* It is full: the other process takes some. */
        if (put < 0)
            return fail();
    }
    return EXIT_SUCCESS;
}

static int take_events(schedlab_member *heap, pid_t putter, int *status) {
    static bool seen[EVENTS + 1];
    bool over = false;
    for (int taken = 0; taken < EVENTS;) {
        uint64_t event;
        bool last = over; /* Whoever has ended puts nothing more. */
        over = over || waitpid(putter, status, WNOHANG) == putter;
        int there = schedlab_take(heap, &event);
        if (there < 0)
            return fail();
        if (there == 1 && (event < 1 || event > EVENTS || seen[event]))
            return fprintf(stderr, "an event came twice, or was never put\n"), EXIT_FAILURE;
        if (there == 1)
            seen[event] = true;
        if (there == 0 && last)
            return fprintf(stderr, "only %d events were put\n", taken), EXIT_FAILURE;
        taken += there;
    }
    printf("%d events put, each of them taken once\n", EVENTS);
    return EXIT_SUCCESS;
}

int main(void) {
    char name[32];
    snprintf(name, sizeof name, "heap-example-%d", (int)getpid());
    schedlab_object *object = schedlab_open_object(name, 1 << 20);
    uint64_t place = object ? schedlab_make_heap_in_blocks(object, "wait-free", CAPACITY, TASKS, BLOCK, HELP) : 0;
    if (place == 0)
        fail();
    schedlab_unlink_object(name); /* Both processes have it mapped. */
    if (place == 0)
        return EXIT_FAILURE;
    pid_t putter = fork();
    if (putter < 0)
        return perror("fork"), EXIT_FAILURE;
    schedlab_member *heap = schedlab_join(object, place, putter == 0 ? 0 : 1, NULL);
    if (heap == NULL)
        return fail();
    int status = 0;
    int result = putter == 0 ? put_events(heap) : take_events(heap, putter, &status);
    schedlab_leave(heap);
    if (putter > 0)
        waitpid(putter, &status, 0); /* If it ended before, its status is there. */
    schedlab_close_object(object);
    return result || status;
}
