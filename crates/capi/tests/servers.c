/* A server executes the sections of two clients under Pfair: only its thread writes what they share. */
#include <pthread.h>
#include <schedlab.h>
#include <string.h>

#include "check.h"

static int device;
static unsigned long written, by_clients;
static pthread_t server;

/* No lock guards this: only the server's thread comes here, and after the end of the run one thread at a time. */
static void write_device(void *step) {
    if (written == 0)
        server = pthread_self();
    by_clients += !pthread_equal(server, pthread_self());
    written += *(unsigned long *)step;
}

static void client(schedlab_job *job, void *step) {
    while (schedlab_wait_for_next_job(job)) {
        if (schedlab_job_number(job) == 0 && !schedlab_is_over(job)) {
            CHECK(schedlab_lock(job, device) == SCHEDLAB_ERROR && strstr(schedlab_error(), "schedlab_section"));
            CHECK(schedlab_section(job, device, NULL, step) == SCHEDLAB_ERROR);
            CHECK(schedlab_section(job, -1, write_device, step) == SCHEDLAB_ERROR);
            CHECK(schedlab_section(job, device + 1, write_device, step) == SCHEDLAB_ERROR);
        }
        CHECK(schedlab_section(job, device, write_device, step) == 0);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    schedlab_system *system = schedlab_read(arguments[1]);
    CHECK(system != NULL);
    unsigned long ones = 1, thousands = 1000;
    device = schedlab_resource(system, "device");
    CHECK(schedlab_set_code(system, "a", client, &ones) >= 0);
    CHECK(schedlab_set_code(system, "b", client, &thousands) >= 0);
    CHECK(schedlab_set_code(system, "S", schedlab_serve, NULL) >= 0);
    CHECK(schedlab_section(NULL, device, write_device, &ones) == SCHEDLAB_ERROR);
    schedlab_totals totals;
    int result = schedlab_run(system, 300000000, &totals);
    if (result == SCHEDLAB_REFUSED) {
        fprintf(stderr, "%s\n", schedlab_error());
        return 3;
    }
    CHECK(result == 0);
    /* The end of the run meets at most one section of each client. */
    CHECK(written > 0 && by_clients <= 2);
    CHECK(schedlab_print_findings(system, true) >= 0);
    schedlab_free(system);
    return 0;
}
