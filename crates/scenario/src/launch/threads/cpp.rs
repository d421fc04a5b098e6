//! A header for C++ with a function that starts each thread as `std::thread`.

use super::super::comment::{starred, Remarks};
use super::super::settings::{Setting, Settings};
use super::mutexes::Mutex;
use super::Thread;

const PIECES: &str = r#"
#ifndef SCHEDLAB_THREADS_HPP
#define SCHEDLAB_THREADS_HPP

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <future>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifndef THREADS_DELAY_NS
#define THREADS_DELAY_NS INT64_C(100000000)
#endif

namespace threads {

/* What a thread's jobs did: read it after join(), or in the job. */
struct seen {
    std::uint64_t jobs = 0;      /* that were completed */
    std::uint64_t late = 0;      /* of these, after their deadlines */
    std::int64_t longest_ns = 0; /* from an arrival to the completion */
};

namespace detail {

inline void check(int error, const char *what)
{
    if (error != 0)
        throw std::system_error(error, std::generic_category(), what);
}

struct settings {
    const char *name;
    int priority; /* of SCHED_FIFO; 0 is SCHED_DEADLINE */
    std::vector<int> processors;
    std::int64_t offset, period, deadline;
    std::uint64_t runtime; /* of SCHED_DEADLINE */
};

/* As the kernel has it: not every C library declares it. */
struct attr {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
};

inline std::int64_t zero = 0;

inline std::int64_t now()
{
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return static_cast<std::int64_t>(at.tv_sec) * INT64_C(1000000000) + at.tv_nsec;
}

/* Sets the thread that calls it. */
inline void apply(const settings &one)
{
    check(pthread_setname_np(pthread_self(), one.name), "pthread_setname_np");
    if (one.priority == 0) {
        attr wanted{};
        wanted.size = sizeof wanted;
        wanted.policy = 6; /* SCHED_DEADLINE */
        wanted.runtime = one.runtime;
        wanted.deadline = static_cast<std::uint64_t>(one.deadline);
        wanted.period = static_cast<std::uint64_t>(one.period);
        check(syscall(SYS_sched_setattr, 0, &wanted, 0) == 0 ? 0 : errno, "sched_setattr");
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int processor : one.processors)
        CPU_SET(processor, &set);
    check(pthread_setaffinity_np(pthread_self(), sizeof set, &set), "pthread_setaffinity_np");
    sched_param parameter{};
    parameter.sched_priority = one.priority;
    check(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter), "pthread_setschedparam");
}

/* Jobs arrive periodically from time zero on. A job that overruns delays the next one, and none is left out. */
template <class Job>
void loop(const settings &one, seen &counts, Job &job)
{
    std::int64_t arrival = zero + one.offset, late = now() - arrival;
    if (late > 0)
        arrival += (late + one.period - 1) / one.period * one.period;
    for (bool goes_on = true; goes_on; arrival += one.period) {
        timespec at{};
        at.tv_sec = static_cast<time_t>(arrival / INT64_C(1000000000));
        at.tv_nsec = static_cast<long>(arrival % INT64_C(1000000000));
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
        }
        goes_on = job();
        std::int64_t response = now() - arrival;
        counts.jobs += 1;
        counts.late += response > one.deadline;
        if (response > counts.longest_ns)
            counts.longest_ns = response;
    }
}

/* The thread sets itself before its first job; what it could not set is thrown here. */
template <class Job>
std::thread start(settings one, seen &counts, Job job)
{
    std::promise<void> told;
    std::future<void> answer = told.get_future();
    std::thread made([one = std::move(one), &counts, job = std::move(job), told = std::move(told)]() mutable {
        try {
            apply(one);
        } catch (...) {
            told.set_exception(std::current_exception());
            return;
        }
        told.set_value();
        loop(one, counts, job);
    });
    try {
        answer.get();
    } catch (...) {
        made.join();
        throw;
    }
    return made;
}

} // namespace detail

/* A mutex with a protocol of POSIX, for std::lock_guard and its like. */
class mutex {
public:
    mutex(int protocol, int ceiling)
    {
        pthread_mutexattr_t attributes;
        detail::check(pthread_mutexattr_init(&attributes), "pthread_mutexattr_init");
        int error = pthread_mutexattr_setprotocol(&attributes, protocol);
        if (error == 0 && protocol == PTHREAD_PRIO_PROTECT)
            error = pthread_mutexattr_setprioceiling(&attributes, ceiling);
        if (error == 0)
            error = pthread_mutex_init(&native, &attributes);
        pthread_mutexattr_destroy(&attributes);
        detail::check(error, "pthread_mutex_init");
    }
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;
    ~mutex() { pthread_mutex_destroy(&native); }
    void lock() { detail::check(pthread_mutex_lock(&native), "pthread_mutex_lock"); }
    void unlock() { detail::check(pthread_mutex_unlock(&native), "pthread_mutex_unlock"); }
    bool try_lock()
    {
        int error = pthread_mutex_trylock(&native);
        if (error == EBUSY)
            return false;
        detail::check(error, "pthread_mutex_trylock");
        return true;
    }
    pthread_mutex_t *native_handle() { return &native; }

private:
    pthread_mutex_t native;
};

/* Locks the memory and sets time zero: THREADS_DELAY_NS from now. To be called once, before any thread is started. */
inline void init()
{
"#;

const INIT_ENDS: &str = r#"    detail::check(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno, "mlockall");
    detail::zero = detail::now() + THREADS_DELAY_NS;
}
"#;

const ABOUT: [&str; 4] = [
    "Threads of one program, for C++17 and glibc. threads::init() comes first, then threads::start_...() for each",
    "thread, with what executes one job: it is called without arguments, and the thread ends once it returns false.",
    "Sections are std::lock_guard and its like on the mutexes below. What fails throws std::system_error. Needs root",
    "or CAP_SYS_NICE, and limits that let memory be locked. Link with -pthread.",
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
    let mut text = format!("{}{PIECES}", starred(&about));
    if threads.iter().any(|thread| thread.setting == Setting::Deadline) {
        text.push_str(&format!(
            "    /* SCHED_DEADLINE takes all processors: there have to be as many as the scenario has. */\n    \
             cpu_set_t set;\n    \
             detail::check(sched_getaffinity(0, sizeof set, &set) == 0 ? 0 : errno, \"sched_getaffinity\");\n    \
             detail::check(CPU_COUNT(&set) == {} ? 0 : ERANGE, \"number of processors\");\n",
            settings.processors
        ));
    }
    text.push_str(INIT_ENDS);
    for mutex in mutexes {
        text.push_str(&format!(
            "\n{}inline mutex mutex_{}{{{}, {}}};\n",
            starred(&[format!("Resource \"{}\"", mutex.resource)]),
            mutex.id,
            mutex.attribute.constant(),
            mutex.attribute.ceiling()
        ));
    }
    for thread in threads {
        text.push_str(&one(thread));
    }
    text.push_str("\n} // namespace threads\n\n#endif\n");
    text
}

/// The function that starts a thread.
fn one(thread: &Thread<'_>) -> String {
    let (id, spec) = (&thread.id, thread.spec);
    let (priority, list) = match thread.setting {
        Setting::Fifo(priority) => (priority, thread.processors.iter().map(u16::to_string).collect()),
        Setting::Deadline => (0, Vec::new()),
    };
    format!(
        "\n{}inline seen seen_{id};\ntemplate <class Job>\nstd::thread start_{id}(Job job)\n{{\n    \
         detail::settings one{{\"{}\", {priority}, {{{}}}, INT64_C({}), INT64_C({}), INT64_C({}), UINT64_C({})}};\n    \
         return detail::start(std::move(one), seen_{id}, std::move(job));\n}}\n",
        starred(&[vec![super::heading(thread)], thread.remarks.to_vec()].concat()),
        thread.name,
        list.join(", "),
        spec.offset.as_ns(),
        spec.period.as_ns(),
        spec.relative_deadline.as_ns(),
        spec.wcet.as_ns(),
    )
}
