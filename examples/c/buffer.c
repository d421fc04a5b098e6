/* Two processes share a wait-free buffer: one writes positions, the other reads the latest, and neither ever waits.
 *
 *     cc buffer.c -o buffer $(pkg-config --cflags --libs schedlab)
 */
#include <schedlab.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 10, TURNS = 100000 };

static int fail(void) {
    fprintf(stderr, "%s\n", schedlab_error());
    return EXIT_FAILURE;
}

/* A position is WORDS equal numbers here, so that a reader would see if it got parts of two. */
static int write_positions(schedlab_member *buffer) {
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        uint64_t position[WORDS];
        for (int at = 0; at < WORDS; at++)
            position[at] = turn;
        if (schedlab_write_buffer(buffer, position) != 0)
            return fail();
    }
    return EXIT_SUCCESS;
}

static int read_positions(schedlab_member *buffer) {
    uint64_t last = 0, different = 0;
    while (last < TURNS) {
        uint64_t position[WORDS];
        if (schedlab_read_buffer(buffer, position) != 0)
            return fail();
        for (int at = 1; at < WORDS; at++)
            if (position[at] != position[0] || position[0] < last)
                return fprintf(stderr, "torn, or older than one before\n"), EXIT_FAILURE;
        different += position[0] != last;
        last = position[0];
    }
    printf("%d positions written, none torn, and %s of them read\n", TURNS, different > 0 ? "some" : "none");
    return EXIT_SUCCESS;
}

int main(void) {
    char name[32];
    snprintf(name, sizeof name, "buffer-example-%d", (int)getpid());
    schedlab_object *object = schedlab_open_object(name, 1 << 16);
    uint64_t place = object ? schedlab_make_buffer(object, "wait-free", WORDS, 2) : 0;
    if (place == 0)
        fail();
    schedlab_unlink_object(name); /* Both processes have it mapped. */
    if (place == 0)
        return EXIT_FAILURE;
    pid_t writer = fork();
    if (writer < 0)
        return perror("fork"), EXIT_FAILURE;
    int task = writer == 0 ? 0 : 1;
    schedlab_member *buffer = schedlab_join(object, place, task, NULL);
    if (buffer == NULL)
        return fail();
    int result = writer == 0 ? write_positions(buffer) : read_positions(buffer);
    schedlab_leave(buffer);
    int status = 0;
    if (writer > 0 && waitpid(writer, &status, 0) != writer)
        result = EXIT_FAILURE;
    schedlab_close_object(object);
    return result || status;
}
