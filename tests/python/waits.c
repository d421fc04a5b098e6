/* Threads that wait in the ways that Linux programs commonly do: `waits WAY`, for about three seconds.
   The thread "worker" works for about 1 ms every 10 ms. What releases it is the way's name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 300, PERIOD = 10000000 };

static int ends[2], descriptor;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static int pending;

static int64_t now(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void sleep_until(int64_t ns) {
    struct timespec at = {ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void by_clock_nanosleep(int job) {
    static int64_t begin;
    if (job == 0) begin = now(CLOCK_MONOTONIC);
    sleep_until(begin + (job + 1) * (int64_t)PERIOD);
}

static void by_timerfd(int job) {
    uint64_t times;
    if (read(descriptor, &times, sizeof times) < 0) _exit(1);
}

static void by_epoll(int job) {
    static int all;
    struct epoll_event event = {.events = EPOLLIN};
    if (job == 0) {
        all = epoll_create1(0);
        epoll_ctl(all, EPOLL_CTL_ADD, descriptor, &event);
    }
    epoll_wait(all, &event, 1, -1);
    by_timerfd(job);
}

static void by_futex(int job) {
    pthread_mutex_lock(&lock);
    while (pending == 0) pthread_cond_wait(&released, &lock);
    pending -= 1;
    pthread_mutex_unlock(&lock);
}

static void by_read(int job) {
    char byte;
    if (read(ends[0], &byte, 1) < 0) _exit(1);
}

static const struct {
    const char *name;
    void (*wait)(int job);
} ways[] = {{"clock_nanosleep", by_clock_nanosleep},
            {"timerfd", by_timerfd},
            {"epoll", by_epoll},
            {"futex", by_futex},
            {"read", by_read}};

static void *work(void *way) {
    for (int job = 0; job < JOBS; job++) {
        ways[*(size_t *)way].wait(job);
        int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + 1000000;
        while (now(CLOCK_THREAD_CPUTIME_ID) < until) {}
    }
    return NULL;
}

int main(int count, char **words) {
    size_t way = 0;
    while (count < 2 || strcmp(ways[way].name, words[1]) != 0)
        if (count < 2 || ++way == sizeof ways / sizeof *ways) return 2;
    struct itimerspec times = {{0, PERIOD}, {0, PERIOD}};
    descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(descriptor, 0, &times, NULL);
    if (pipe(ends) != 0) return 1;
    pthread_t worker;
    pthread_create(&worker, NULL, work, &way);
    pthread_setname_np(worker, "worker");
    /* Two settings that a scenario keeps; the first needs a privilege. */
    struct sched_param urgent = {.sched_priority = 40};
    pthread_setschedparam(worker, SCHED_FIFO, &urgent);
    cpu_set_t first;
    sched_getaffinity(0, sizeof first, &first);
    for (int at = 0, seen = 0; at < CPU_SETSIZE; at++)
        if (CPU_ISSET(at, &first) && seen++ > 0) CPU_CLR(at, &first);
    pthread_setaffinity_np(worker, sizeof first, &first);
    int64_t begin = now(CLOCK_MONOTONIC);
    for (int job = 1; job <= JOBS; job++) {
        sleep_until(begin + job * (int64_t)PERIOD);
        pthread_mutex_lock(&lock);
        pending += 1;
        pthread_cond_signal(&released);
        pthread_mutex_unlock(&lock);
        if (write(ends[1], "x", 1) != 1) return 1;
    }
    pthread_join(worker, NULL);
    return 0;
}
