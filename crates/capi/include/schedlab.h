/* schedlab: real-time tasks under any scheduler and locking protocol.
 *
 * Set up a system, run it, free it. Names and rules are those of the scenario file.
 * This header is made from crates/capi; a test says when it is stale. */

#ifndef SCHEDLAB_H
#define SCHEDLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 What was asked for is not possible; schedlab_error() says why. 
 */
#define SCHEDLAB_ERROR -1

/*
 The machine does not let real-time threads run; schedlab_error() says what to change. 
 */
#define SCHEDLAB_REFUSED -3

/*
 The run did not end as it ought to: a task crashed or did not end, or real-time threads starved the machine. 
 */
#define SCHEDLAB_CRASHED -4

/*
 A task died while it held the lock of a buffer, queue or heap, or waited for it. 
 */
#define SCHEDLAB_DEAD -5

/*
 The job arrives now. 
 */
#define SCHEDLAB_RELEASED 0

/*
 The call comes earlier than the task's period allows: the job arrives as soon as that is over. 
 */
#define SCHEDLAB_DELAYED 1

/*
 The job of an earlier call is still to arrive: this call releases none. 
 */
#define SCHEDLAB_TOO_EARLY 2

/*
 The run has not begun or is over, or the task has left: the call releases no job. 
 */
#define SCHEDLAB_NOT_RUNNING 3

/*
 The source of the events that release a task's jobs. Any thread may use it.
 */
typedef struct schedlab_event schedlab_event;

/*
 A task, as its code sees it: at first without a job, then with one after the other. Only the task's own thread may
 use it.
 */
typedef struct schedlab_job schedlab_job;

/*
 One task's access to a buffer, queue or heap. Only one thread may use it.
 */
typedef struct schedlab_member schedlab_member;

/*
 Memory with a name, mapped into this process.
 */
typedef struct schedlab_object schedlab_object;

/*
 Tasks, resources, scheduler and protocol: being set up, or run.
 */
typedef struct schedlab_system schedlab_system;

/*
 Numbers of calls of schedlab_release() for one task during the run.
 */
typedef struct schedlab_event_counts {
    /*
     All calls.
     */
    uint64_t calls;
    /*
     Calls that came too early, whose jobs were to arrive later.
     */
    uint64_t delayed;
    /*
     Calls that came while the job of an earlier one was still to arrive: they released none.
     */
    uint64_t refused;
} schedlab_event_counts;

/*
 The code of a section, which may be executed by the thread of a server.
 */
typedef void (*schedlab_section_code)(void *argument);

/*
 A task to create. Set all fields to zero first; fields that stay zero have their defaults.
 */
typedef struct schedlab_task {
    /*
     Name of the task.
     */
    const char *name;
    /*
     Bound on the execution of each job, sections included, in nanoseconds.
     */
    uint64_t wcet_ns;
    /*
     Distance of arrivals, in nanoseconds.
     */
    uint64_t period_ns;
    /*
     Time from a job's arrival to its deadline, in nanoseconds; 0 for the period.
     */
    uint64_t relative_deadline_ns;
    /*
     Arrival of the first job, in nanoseconds.
     */
    uint64_t offset_ns;
    /*
     Given fixed priority, smaller is more urgent; -1 for none, which only FP needs.
     */
    int64_t priority;
    /*
     The processor on which a partitioned scheduler has to run it; -1 to have it placed.
     */
    int32_t processor;
    /*
     Utility of a completion up to the termination time, in whole units; 0 for 1. Utility-accrual schedulers decide
     by it. Functions that fall are stated in a scenario file.
     */
    uint64_t utility;
    /*
     Time from a job's arrival until utility-accrual schedulers give it up, in nanoseconds; 0 for the relative
     deadline.
     */
    uint64_t termination_ns;
    /*
     True if a job that has begun executes an abort handler when it is given up. Under utility-accrual schedulers,
     tasks with sections need one.
     */
    bool has_abort_handler;
    /*
     Longest execution of the abort handler, in nanoseconds.
     */
    uint64_t abort_cost_ns;
} schedlab_task;

/*
 Code of a task: it loops over schedlab_wait_for_next_job() until that returns false. When the code returns, the task
 leaves. Its thread has a stack of 2 MiB, or of the size set by schedlab_set_stack().
 */
typedef void (*schedlab_code)(struct schedlab_job *job, void *argument);

/*
 Totals of a run.
 */
typedef struct schedlab_totals {
    /*
     Jobs that arrived.
     */
    uint64_t jobs_arrived;
    /*
     Jobs that were completed.
     */
    uint64_t jobs_completed;
    /*
     Jobs that were late.
     */
    uint64_t jobs_missed;
    /*
     End of the run, in nanoseconds.
     */
    uint64_t end_ns;
} schedlab_totals;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the message of the calling thread's last failed call. It is valid until the thread's next call that fails.
 */
const char *schedlab_error(void);

/*
 Releases the next job of an event-driven task, as early as the task's period allows. Any thread may call this at any
 time, and so may a signal's handler: it takes no lock and never waits. A thread above the tasks notices the call, on
 the first processor of the task's cluster. Returns SCHEDLAB_RELEASED, SCHEDLAB_DELAYED, SCHEDLAB_TOO_EARLY,
 SCHEDLAB_NOT_RUNNING or, for a null pointer, SCHEDLAB_ERROR.

 # Safety
 In all functions of an event, it is one that schedlab_event_driven() returned, and its system is not freed yet.
 */
int32_t schedlab_release(const struct schedlab_event *event);

/*
 Writes how often schedlab_release() was called during the run so far. Returns 0, or SCHEDLAB_ERROR for a null
 pointer.
 */
int32_t schedlab_count_events(const struct schedlab_event *event,
                              struct schedlab_event_counts *counts);

/*
 Ends the job, if there is one, and waits for the task's next one. Returns false once the run is over: then the
 task's code has to return.

 A child that a task forks has no part in the run. In the child, this returns false, all calls that can fail do,
 schedlab_end() does nothing, and schedlab_is_over() is true. If the child returns from the task's code, it exits
 with 0.

 # Safety
 In all functions of a job, it is the one that the task's code was given, in its own thread. A null pointer is
 refused: numbers and times are 0 then.
 */
bool schedlab_wait_for_next_job(struct schedlab_job *job);

/*
 Returns the job's number, from zero.
 */
uint32_t schedlab_job_number(const struct schedlab_job *job);

/*
 Returns the arrival of the job, in nanoseconds from the start of the run.
 */
uint64_t schedlab_job_arrival(const struct schedlab_job *job);

/*
 Returns the absolute deadline of the job, in nanoseconds from the start of the run.
 */
uint64_t schedlab_job_deadline(const struct schedlab_job *job);

/*
 Returns the present time, in nanoseconds from the start of the run.
 */
uint64_t schedlab_now(const struct schedlab_job *job);

/*
 Waits for a resource by the rules of the protocol, and holds it then. The task's section on it must have been
 declared (schedlab_uses(), or the scenario's program). After the end of the run it waits until no other thread is in
 a section: one goes on after the other, each alone, whatever is declared. Threads that wait in this way within
 sections of their own wait for each other, and none of them goes on.
 */
int32_t schedlab_lock(struct schedlab_job *job,
                      int32_t resource);

/*
 Gives a resource back.
 */
int32_t schedlab_unlock(struct schedlab_job *job, int32_t resource);

/*
 Calls the code with the argument as a section on a resource, and returns after it. A protocol of servers, such as
 "pfair-server", has the thread of the resource's server call the code; under all others this thread does. Servers
 refuse schedlab_lock(), because the code between it and schedlab_unlock() is the client's.
 */
int32_t schedlab_section(struct schedlab_job *job,
                         int32_t resource,
                         schedlab_section_code code,
                         void *argument);

/*
 The code of a server, for schedlab_create_task() and schedlab_set_code(): it executes the sections of other tasks on
 the resources that the task's program serves. The argument is ignored.
 */
void schedlab_serve(struct schedlab_job *job,
                    void*);

/*
 Begins a non-preemptive section of the job. Sections nest. After the end of the run the call waits as
 schedlab_lock() does.
 */
int32_t schedlab_enter_np(struct schedlab_job *job);

/*
 Ends a non-preemptive section; a preemption that was delayed happens now.
 */
int32_t schedlab_exit_np(struct schedlab_job *job);

/*
 Gives up the processor for `ns` nanoseconds.
 */
int32_t schedlab_suspend(struct schedlab_job *job, uint64_t ns);

/*
 Asks for the end of the run: from then on schedlab_wait_for_next_job() returns false.
 */
void schedlab_end(const struct schedlab_job *job);

/*
 Returns true once the run is over. Code that goes on for long ought to check this, and to return.
 */
bool schedlab_is_over(const struct schedlab_job *job);

/*
 Returns true if the job was given up at its termination time, under a utility-accrual scheduler. From then on the
 job executes its abort handler, which goes before all jobs. Code that is not cut ought to check this, and to wait
 for the next job soon. System calls return EINTR when the job is given up; one that begins just then, 50 ms later.
 */
bool schedlab_is_aborted(const struct schedlab_job *job);

/*
 Lets the job be cut when it is given up: its thread goes on at `landing`, a sigjmp_buf that sigsetjmp() wrote with
 the signal mask. The frame of that call must exist until schedlab_set_landing() is called with null. schedlab_cut()
 does all this.
 */
void schedlab_set_landing(struct schedlab_job *job,
                          void *landing);

/*
 Ends the job's code. Returns false if the job was given up before: the code up to schedlab_wait_for_next_job() is
 then its abort handler. The handler may leave the sections that the job is in; the library leaves the remaining
 ones, the last first.
 */
bool schedlab_complete(struct schedlab_job *job);

/*
 Begins a part of the code in which the calling thread's job is not cut, for calls that must not be left half done,
 such as malloc() and printf(). Such parts nest.
 */
void schedlab_enter_uncut(void);

/*
 Ends schedlab_enter_uncut(). A job that was given up meanwhile is cut now.
 */
void schedlab_leave_uncut(void);

/*
 Makes a buffer of `words` words of 64 bits, all zero, for `tasks` tasks. Returns its place, for schedlab_join(), or
 0.

 The scheme is "locked", "lock-free" or "wait-free". An operation on a locked buffer waits for its turn, spinning. On
 a lock-free buffer it is tried again when another one came between. On a wait-free buffer it takes a bounded number
 of steps. A process that is killed leaves lock-free and wait-free buffers usable. A locked buffer is broken then,
 and operations on it return SCHEDLAB_DEAD.

 # Safety
 The object is open; the text ends with a zero byte. Null pointers are refused.
 */
uint64_t schedlab_make_buffer(const struct schedlab_object *object,
                              const char *scheme,
                              size_t words,
                              size_t tasks);

/*
 Makes a queue for at most `capacity` values, first in, first out. Otherwise as schedlab_make_buffer().
 */
uint64_t schedlab_make_queue(const struct schedlab_object *object,
                             const char *scheme,
                             size_t capacity,
                             size_t tasks);

/*
 Makes a heap for at most `capacity` values, the largest first. Otherwise as schedlab_make_buffer().
 */
uint64_t schedlab_make_heap(const struct schedlab_object *object,
                            const char *scheme,
                            size_t capacity,
                            size_t tasks);

/*
 Makes a queue as schedlab_make_queue() does, in blocks of `block` words, such that an attempt helps `help` others; 0
 for the default of either.

 Wait-free queues and heaps and lock-free heaps are in blocks: an operation copies each block that it writes. A block
 has a power of two of words, from 2 on. A value of a heap has as many children as a block has words: two words make
 the heap binary. An attempt on a wait-free queue or heap executes what others have announced, too. The more it
 helps, the fewer attempts an operation takes. Locked queues and heaps and lock-free queues have no blocks, and
 attempts on objects that are not wait-free do not help.
 */
uint64_t schedlab_make_queue_in_blocks(const struct schedlab_object *object,
                                       const char *scheme,
                                       size_t capacity,
                                       size_t tasks,
                                       size_t block,
                                       size_t help);

/*
 Makes a heap as schedlab_make_heap() does, in blocks, as schedlab_make_queue_in_blocks() does for queues.
 */
uint64_t schedlab_make_heap_in_blocks(const struct schedlab_object *object,
                                      const char *scheme,
                                      size_t capacity,
                                      size_t tasks,
                                      size_t block,
                                      size_t help);

/*
 Joins the buffer, queue or heap at a place as the task of this number, from 0 on. Returns null if that fails. One
 process has a number until it leaves; a process that is killed keeps it. With a job that is not null, operations on
 a locked object are non-preemptive sections of that job.

 # Safety
 The object stays open until the task left; the place is what one of the schedlab_make functions returned for it; the
 job is that of the calling thread's task. In all functions of a member, the member is one that schedlab_join()
 returned and that has not left. Other null pointers are refused.
 */
struct schedlab_member *schedlab_join(const struct schedlab_object *object,
                                      uint64_t place,
                                      size_t task,
                                      struct schedlab_job *job);

/*
 Gives the task's number back.
 */
void schedlab_leave(struct schedlab_member *member);

/*
 Copies the buffer's latest value, as many words as it has. Returns 0, SCHEDLAB_ERROR or SCHEDLAB_DEAD.
 */
int32_t schedlab_read_buffer(struct schedlab_member *member,
                             uint64_t *into);

/*
 Writes the buffer's latest value, as many words as it has. Returns 0, SCHEDLAB_ERROR or SCHEDLAB_DEAD.
 */
int32_t schedlab_write_buffer(struct schedlab_member *member,
                              const uint64_t *value);

/*
 Adds a value to the queue or heap. Returns 1, or 0 if it is full, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
 */
int32_t schedlab_put(struct schedlab_member *member,
                     uint64_t value);

/*
 Takes the next value out of the queue or heap. Returns 1, or 0 if it is empty, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
 */
int32_t schedlab_take(struct schedlab_member *member,
                      uint64_t *value);

/*
 Returns the number of attempts of the task's last operation; 0 for a null pointer.
 */
uint64_t schedlab_attempts(const struct schedlab_member *member);

/*
 Maps the object of this name, and makes it with room for `bytes` bytes if there is none. Returns null if that fails.

 # Safety
 In all functions of an object, the object is one that schedlab_open_object() returned, not closed yet; texts end
 with a zero byte. A null pointer is refused.
 */
struct schedlab_object *schedlab_open_object(const char *name,
                                             size_t bytes);

/*
 Unmaps the object. Its memory stays for other processes, and for processes that open it again, until its name is
 removed.
 */
void schedlab_close_object(struct schedlab_object *object);

/*
 Removes an object's name; its memory is freed with its last user.
 */
int32_t schedlab_unlink_object(const char *name);

/*
 Returns the object's first block, of `bytes` bytes, zero at first: the same block for all processes. Returns null if
 there is no room.
 */
void *schedlab_object_root(const struct schedlab_object *object,
                           size_t bytes);

/*
 Allocates a block of `bytes` bytes inside the object, all zero. Returns null if there is no room. It makes no system
 call, and no thread waits.
 */
void *schedlab_object_allocate(const struct schedlab_object *object,
                               size_t bytes);

/*
 Gives a block back, from any process.
 */
int32_t schedlab_object_free(const struct schedlab_object *object, void *block);

/*
 Returns the place of an address in the object, counted from its beginning: the same number in every process. Returns
 0 if the address is outside.
 */
uint64_t schedlab_object_place(const struct schedlab_object *object,
                               const void *address);

/*
 Returns the address, in this process, of a place in the object. Returns null if the place is outside.
 */
void *schedlab_object_at(const struct schedlab_object *object,
                         uint64_t place);

/*
 Waits for the object's own lock, spinning, first come, first served, and calls the code with the argument. Enter a
 non-preemptive section first, so that no thread waits for a preempted holder. Returns 0 or SCHEDLAB_ERROR.
 */
int32_t schedlab_object_with_lock(const struct schedlab_object *object,
                                  void (*code)(void*),
                                  void *argument);

/*
 A system without tasks, under a scheduler ("P-EDF", "G-EDF", "PD2", ...) and a protocol ("none", "msrp", ...).
 Returns null if that fails.

 # Safety
 In all functions of a system, the system is one that schedlab_new() or schedlab_read() returned, not freed yet, and
 used by one thread at a time; texts end with a zero byte. A forked child of the process that made it is refused.
 */
struct schedlab_system *schedlab_new(const char *scheduler,
                                     const char *protocol,
                                     uint16_t processors);

/*
 Reads the system of a scenario file, whose tasks still need their code. Returns null if that fails.
 */
struct schedlab_system *schedlab_read(const char *path);

/*
 Returns the number of the resource of this name, which is made as a mutex if there is none. The number is negative
 if that fails.
 */
int32_t schedlab_resource(struct schedlab_system *system,
                          const char *name);

/*
 Creates a task whose thread calls the code once, with this argument. Returns its number, or a negative error.
 */
int32_t schedlab_create_task(struct schedlab_system *system,
                             const struct schedlab_task *task,
                             schedlab_code code,
                             void *argument);

/*
 Sets the code of the scenario's task of this name. Returns its number, or a negative error.
 */
int32_t schedlab_set_code(struct schedlab_system *system,
                          const char *name,
                          schedlab_code code,
                          void *argument);

/*
 Declares that each job of the task has a section on the resource, of at most this length; the task's WCET includes
 it.
 */
int32_t schedlab_uses(struct schedlab_system *system,
                      int32_t task,
                      int32_t resource,
                      uint64_t section_ns);

/*
 Makes the task event-driven: its jobs are released by schedlab_release() alone. Its period is the least distance of
 two arrivals, its offset the earliest first one. Returns the source of its events, which is there until
 schedlab_free(); null if that fails. The scenario file of the system may not list the task's arrivals.
 */
const struct schedlab_event *schedlab_event_driven(struct schedlab_system *system,
                                                   int32_t task);

/*
 Gives each task's thread a stack of `bytes` bytes, from 64 KiB to 1 GiB, in place of 2 MiB. All of it is locked in
 memory during the run. Code that needs more than its stack crashes the process.
 */
int32_t schedlab_set_stack(struct schedlab_system *system,
                           size_t bytes);

/*
 Chooses what makes decisions true: "threads", "scx" (a scheduler in the kernel: Linux 6.12 or later, and a library
 built with the feature `kernel`), "scx-native" (one that decides by itself), "class" (the kernel's own schedulers
 alone), or "auto" (scx, else threads).
 */
int32_t schedlab_set_backend(struct schedlab_system *system,
                             const char *backend);

/*
 Runs the system for `duration_ns` nanoseconds, or, if 0, until a task ends the run; once only. Returns 0 if the run
 ended in this way. If a task's code does not end, its thread is shut in with its argument, which must stay valid
 then.
 */
int32_t schedlab_run(struct schedlab_system *system,
                     uint64_t duration_ns,
                     struct schedlab_totals *totals);

/*
 Lets the run write its trace to `path`, as schedlab_write_trace() does. If the process does not live to do so, the
 records until then are in a file of that name that ends in ".part".
 */
int32_t schedlab_keep_trace(struct schedlab_system *system,
                            const char *path);

/*
 Writes the trace of the run, for "schedlab check", "schedlab view" and the like; beside it (run.kernel.slt beside
 run.slt) it writes the kernel trace, where the kernel may be asked; an older file of that name is removed in any
 case.
 */
int32_t schedlab_write_trace(const struct schedlab_system *system,
                             const char *path);

/*
 Prints the findings of this system's run as "schedlab run" does; if `checked`, as "schedlab run --check" does.
 Returns 1 if nothing was found wrong, 0 if a check failed, or SCHEDLAB_ERROR.
 */
int32_t schedlab_print_findings(const struct schedlab_system *system,
                                bool checked);

/*
 Frees the system. In a child that was forked since the system was made, nothing happens, because its threads do not
 exist there.
 */
void schedlab_free(struct schedlab_system *system);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SCHEDLAB_H */

#include <setjmp.h>

/* POSIX has sigsetjmp: -std=gnu11, or _POSIX_C_SOURCE or _GNU_SOURCE before all headers. */
#if defined(sigsetjmp) && !defined(SCHEDLAB_CUT)
#define SCHEDLAB_CUT
/*
 Calls the code, which is cut wherever it is when the job is given up. What it has left half done stays so: see schedlab_enter_uncut().
 */
static inline void schedlab_cut(struct schedlab_job *job, schedlab_code code, void *argument)
{
    sigjmp_buf landing;
    if (sigsetjmp(landing, 1) == 0) {
        schedlab_set_landing(job, landing);
        code(job, argument);
        schedlab_set_landing(job, NULL);
    }
}

/*
 Loops over the jobs of a task: each is cut when it is given up, and the handler is called in its place.
 */
static inline void schedlab_each_job(struct schedlab_job *job, schedlab_code code, schedlab_code handler,
                                     void *argument)
{
    while (schedlab_wait_for_next_job(job)) {
        schedlab_cut(job, code, argument);
        if (!schedlab_complete(job))
            handler(job, argument);
    }
}
#endif
