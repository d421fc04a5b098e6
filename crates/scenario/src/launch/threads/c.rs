//! A header for C with a function that starts each thread.

use super::super::comment::{starred, Remarks};
use super::super::settings::{Setting, Settings};
use super::mutexes::Mutex;
use super::Thread;

const DECLARED: &str = r#"
#ifndef SCHEDLAB_THREADS_H
#define SCHEDLAB_THREADS_H

#if defined(_FEATURES_H) && !defined(__USE_GNU)
#error "include this header before all others, or compile with -D_GNU_SOURCE"
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Executes one job. The thread ends once it returns false. */
typedef bool threads_job(void *argument);

/* What a thread's jobs did: read it after pthread_join, or in the job. */
struct threads_seen {
    uint64_t jobs;      /* that were completed */
    uint64_t late;      /* of these, after their deadlines */
    int64_t longest_ns; /* from an arrival to the completion */
};

/* Makes the mutexes, locks the memory, and sets time zero: THREADS_DELAY_NS from now. To be called once, before any
   thread is started. Returns 0, or a number as in errno. */
int threads_init(void);
"#;

const HELPERS: &str = r#"#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef THREADS_DELAY_NS
#define THREADS_DELAY_NS INT64_C(100000000)
#endif

/* As the kernel has it: not every C library declares it. */
struct threads_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

struct threads_one {
    const char *name;
    int64_t offset, period, deadline;
    uint64_t runtime; /* of SCHED_DEADLINE */
    struct threads_seen *seen;
    threads_job *job;
    void *argument;
    sem_t told;
    int error;
};

static int64_t threads_zero;

static inline int64_t threads_now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

/* Jobs arrive periodically from time zero on. A job that overruns delays the next one, and none is left out. */
static inline void *threads_loop(void *given)
{
    struct threads_one *one = given;
    int64_t arrival = threads_zero + one->offset, late = threads_now() - arrival;
    if (late > 0)
        arrival += (late + one->period - 1) / one->period * one->period;
    pthread_setname_np(pthread_self(), one->name);
    for (bool goes_on = true; goes_on; arrival += one->period) {
        struct timespec at;
        at.tv_sec = (time_t)(arrival / INT64_C(1000000000));
        at.tv_nsec = (long)(arrival % INT64_C(1000000000));
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
        }
        goes_on = one->job(one->argument);
        int64_t response = threads_now() - arrival;
        one->seen->jobs += 1;
        one->seen->late += response > one->deadline;
        if (response > one->seen->longest_ns)
            one->seen->longest_ns = response;
    }
    return NULL;
}

static inline int threads_begin_fifo(pthread_t *thread, struct threads_one *one, int priority,
                                     const int *processors, size_t number)
{
    pthread_attr_t attributes;
    struct sched_param parameter;
    cpu_set_t set;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    memset(&parameter, 0, sizeof parameter);
    parameter.sched_priority = priority;
    CPU_ZERO(&set);
    for (size_t index = 0; index < number; index++)
        CPU_SET((size_t)processors[index], &set);
    error = pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    if (error == 0)
        error = pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    if (error == 0)
        error = pthread_attr_setschedparam(&attributes, &parameter);
    if (error == 0)
        error = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    if (error == 0)
        error = pthread_create(thread, &attributes, threads_loop, one);
    pthread_attr_destroy(&attributes);
    return error;
}

/* No attribute of pthreads holds SCHED_DEADLINE: the thread sets itself, and says how that ended. */
static inline void *threads_enter_deadline(void *given)
{
    struct threads_one *one = given;
    struct threads_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.policy = 6; /* SCHED_DEADLINE */
    attr.runtime = one->runtime;
    attr.deadline = (uint64_t)one->deadline;
    attr.period = (uint64_t)one->period;
    int error = syscall(SYS_sched_setattr, 0, &attr, 0) == 0 ? 0 : errno;
    one->error = error;
    sem_post(&one->told);
    return error == 0 ? threads_loop(one) : NULL;
}

static inline int threads_begin_deadline(pthread_t *thread, struct threads_one *one)
{
    sem_init(&one->told, 0, 0);
    int error = pthread_create(thread, NULL, threads_enter_deadline, one);
    if (error != 0)
        return error;
    while (sem_wait(&one->told) != 0) {
    }
    if (one->error != 0)
        pthread_join(*thread, NULL);
    return one->error;
}

static inline int threads_make_mutex(pthread_mutex_t *mutex, int protocol, int ceiling)
{
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_mutexattr_setprotocol(&attributes, protocol);
    if (error == 0 && protocol == PTHREAD_PRIO_PROTECT)
        error = pthread_mutexattr_setprioceiling(&attributes, ceiling);
    if (error == 0)
        error = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
}
"#;

const INIT: &str = r#"
int threads_init(void)
{
    int error = 0;
"#;

const INIT_ENDS: &str = r#"    if (error == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        error = errno;
    threads_zero = threads_now() + THREADS_DELAY_NS;
    return error;
}
"#;

const ABOUT: [&str; 4] = [
    "Threads of one program, for C11 and glibc. #define THREADS_DEFINE before this header in one file of the program;",
    "there the functions are. threads_init() comes first, then threads_start_...() for each thread with the function",
    "that executes one job. Sections are pthread_mutex_lock and _unlock of the mutexes below. Needs root or",
    "CAP_SYS_NICE, and limits that let memory be locked. Link with -pthread.",
];

/// The header.
pub(super) fn write(
    settings: &Settings<'_>,
    threads: &[Thread<'_>],
    mutexes: &[Mutex],
    remarks: &Remarks,
) -> String {
    let about: Vec<String> =
        ABOUT.map(str::to_owned).into_iter().chain(remarks.general.iter().cloned()).collect();
    let mut text = starred(&about);
    text.push_str(DECLARED);
    for mutex in mutexes {
        let said =
            format!("Resource \"{}\": {}{}", mutex.resource, mutex.attribute.constant(), ceiling(mutex));
        text.push_str(&format!("\n{}extern pthread_mutex_t threads_mutex_{};\n", starred(&[said]), mutex.id));
    }
    for thread in threads {
        text.push_str(&format!(
            "\n{}",
            starred(&[vec![super::heading(thread)], thread.remarks.to_vec()].concat())
        ));
        text.push_str(&format!("extern struct threads_seen threads_seen_{};\n", thread.id));
        text.push_str(&format!("{};\n", signature(thread)));
    }
    text.push_str(
        "\n#endif\n\n#if defined(THREADS_DEFINE) && !defined(THREADS_DEFINED)\n#define THREADS_DEFINED\n",
    );
    text.push_str(HELPERS);
    for mutex in mutexes {
        text.push_str(&format!("\npthread_mutex_t threads_mutex_{};\n", mutex.id));
    }
    text.push_str(&init(settings, threads, mutexes));
    for thread in threads {
        text.push_str(&one(thread));
    }
    text.push_str("\n#endif\n");
    text
}

fn ceiling(mutex: &Mutex) -> String {
    match mutex.attribute.ceiling() {
        0 => String::new(),
        ceiling => format!(" with the ceiling {ceiling}"),
    }
}

fn signature(thread: &Thread<'_>) -> String {
    format!("int threads_start_{}(pthread_t *thread, threads_job *job, void *argument)", thread.id)
}

/// The function that begins all.
fn init(settings: &Settings<'_>, threads: &[Thread<'_>], mutexes: &[Mutex]) -> String {
    let mut text = INIT.to_owned();
    if threads.iter().any(|thread| thread.setting == Setting::Deadline) {
        text.push_str(&format!(
            "    /* SCHED_DEADLINE takes all processors: there have to be as many as the scenario has. */\n    \
             cpu_set_t set;\n    if (sched_getaffinity(0, sizeof set, &set) != 0)\n        return errno;\n    \
             if (CPU_COUNT(&set) != {})\n        return ERANGE;\n",
            settings.processors
        ));
    }
    for mutex in mutexes {
        text.push_str(&format!(
            "    if (error == 0)\n        error = threads_make_mutex(&threads_mutex_{}, {}, {});\n",
            mutex.id,
            mutex.attribute.constant(),
            mutex.attribute.ceiling()
        ));
    }
    text.push_str(INIT_ENDS);
    text
}

/// The function that starts a thread.
fn one(thread: &Thread<'_>) -> String {
    let (id, spec) = (&thread.id, thread.spec);
    let start = match thread.setting {
        Setting::Fifo(priority) => {
            let list: Vec<String> = thread.processors.iter().map(u16::to_string).collect();
            let number = list.len();
            format!(
                "    static const int processors[] = {{{}}};\n    one.job = job;\n    one.argument = argument;\n    \
                 int error = threads_begin_fifo(thread, &one, {priority}, processors, {number});\n",
                list.join(", ")
            )
        }
        Setting::Deadline => "    one.job = job;\n    one.argument = argument;\n    \
                              int error = threads_begin_deadline(thread, &one);\n"
            .to_owned(),
    };
    format!(
        "\nstruct threads_seen threads_seen_{id};\n\n{}\n{{\n    static struct threads_one one = {{\n        \
         .name = \"{}\",\n        .offset = INT64_C({}),\n        .period = INT64_C({}),\n        \
         .deadline = INT64_C({}),\n        .runtime = UINT64_C({}),\n        .seen = &threads_seen_{id},\n    }};\n    \
         if (one.job != NULL)\n        return EBUSY; /* it was started already */\n{start}    if (error != 0)\n        \
         one.job = NULL;\n    return error;\n}}\n",
        signature(thread),
        thread.name,
        spec.offset.as_ns(),
        spec.period.as_ns(),
        spec.relative_deadline.as_ns(),
        spec.wcet.as_ns(),
    )
}
