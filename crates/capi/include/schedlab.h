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
 A task to create. Set all to zero first; what stays zero has its default.
 */
typedef struct schedlab_task {
    /*
     Its name.
     */
    const char *name;
    /*
     Bound on what each of its jobs executes, sections included, in nanoseconds.
     */
    uint64_t wcet_ns;
    /*
     Distance of arrivals, in nanoseconds.
     */
    uint64_t period_ns;
    /*
     From a job's arrival to its deadline, in nanoseconds; 0 for the period.
     */
    uint64_t relative_deadline_ns;
    /*
     When the first job arrives, in nanoseconds.
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
     What a completion up to the termination time is worth, in whole units; 0 for 1. Utility-accrual schedulers
     decide by it. Functions that fall are stated in a scenario file.
     */
    uint64_t utility;
    /*
     From a job's arrival to the time at which those schedulers give it up, in nanoseconds; 0 for the relative
     deadline.
     */
    uint64_t termination_ns;
    /*
     True if a job that has begun executes an abort handler then. Under those schedulers, tasks with sections need
     one.
     */
    bool has_abort_handler;
    /*
     How long that executes at most, in nanoseconds.
     */
    uint64_t abort_cost_ns;
} schedlab_task;

/*
 What a task does: it loops over schedlab_wait_for_next_job() until that is false. When it returns, the task leaves.
 Its thread has a stack of 2 MiB, or of what schedlab_set_stack() says.
 */
typedef void (*schedlab_code)(struct schedlab_job *job, void *argument);

/*
 What happened in a run.
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
     When the run ended, in nanoseconds.
     */
    uint64_t end_ns;
} schedlab_totals;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Why the calling thread's last call failed. Valid until its next one that fails.
 */
const char *schedlab_error(void);

/*
 Ends the job, if there is one, and waits for the task's next. False once the run is over: then return.

 A child that a task forks has no part in the run. In it, this is false, all calls that can fail do, schedlab_end()
 does nothing, and schedlab_is_over() is true. If it returns from the task's code, it exits with 0.

 # Safety
 In all functions of a job, it is the one that the task's code was given, in its own thread. A null pointer is
 refused: numbers and times are 0 then.
 */
bool schedlab_wait_for_next_job(struct schedlab_job *job);

/*
 The job's number, from zero.
 */
uint32_t schedlab_job_number(const struct schedlab_job *job);

/*
 When the job arrived, in nanoseconds from the start of the run.
 */
uint64_t schedlab_job_arrival(const struct schedlab_job *job);

/*
 When the job ought to be complete, in nanoseconds from the start of the run.
 */
uint64_t schedlab_job_deadline(const struct schedlab_job *job);

/*
 The time, in nanoseconds from the start of the run.
 */
uint64_t schedlab_now(const struct schedlab_job *job);

/*
 Waits for a resource as the protocol says, and holds it then. The task's section on it must have been declared
 (schedlab_uses(), or the scenario's program). After the end of the run it waits until no other thread is in a
 section: one goes on after the other, each alone, whatever is declared. Threads that wait so within sections of
 their own wait for each other, and none of them goes on.
 */
int32_t schedlab_lock(struct schedlab_job *job,
                      int32_t resource);

/*
 Gives a resource back.
 */
int32_t schedlab_unlock(struct schedlab_job *job, int32_t resource);

/*
 The job is not preempted from now on. Sections nest. After the end of the run it is as for schedlab_lock().
 */
int32_t schedlab_enter_np(struct schedlab_job *job);

/*
 Ends a non-preemptive section; a preemption that was delayed happens now.
 */
int32_t schedlab_exit_np(struct schedlab_job *job);

/*
 Gives up the processor for so many nanoseconds.
 */
int32_t schedlab_suspend(struct schedlab_job *job, uint64_t ns);

/*
 Asks for the end of the run: schedlab_wait_for_next_job() is false from then on.
 */
void schedlab_end(const struct schedlab_job *job);

/*
 True once the run is over: code that goes on for long ought to look, and to return.
 */
bool schedlab_is_over(const struct schedlab_job *job);

/*
 True if the job was given up at its termination time, under a utility-accrual scheduler. What it executes from then
 on is its abort handler, which goes before all jobs. Code that is not cut ought to look, and to wait for the next
 job soon. System calls return EINTR when the job is given up; one that begins just then, 50 ms later.
 */
bool schedlab_is_aborted(const struct schedlab_job *job);

/*
 Has the job cut when it is given up: its thread goes on at this landing, a sigjmp_buf that sigsetjmp() wrote with
 the signal mask. The frame of that call must be there until this is called with null. schedlab_cut() does all this.
 */
void schedlab_set_landing(struct schedlab_job *job,
                          void *landing);

/*
 Says that the job's code has ended. False if the job was given up before: what follows until
 schedlab_wait_for_next_job() is its abort handler. It may leave the sections that the job is in; those that are
 left, the library leaves, the last first.
 */
bool schedlab_complete(struct schedlab_job *job);

/*
 From now on the calling thread's job is not cut: around what must not be left half done, such as malloc() and
 printf(). Nests.
 */
void schedlab_enter_uncut(void);

/*
 Ends schedlab_enter_uncut(). A job that was given up meanwhile is cut now.
 */
void schedlab_leave_uncut(void);

/*
 Makes a buffer of so many words of 64 bits, all zero, for so many tasks: where it is, for schedlab_join(), or 0.

 The scheme is "locked", "lock-free" or "wait-free". An operation on a locked one waits for its turn, spinning. On a
 lock-free one it is tried again when another one came between. On a wait-free one it takes a bounded number of
 steps. A process that is killed leaves lock-free and wait-free ones usable. A locked one is broken then, and says
 so.

 # Safety
 The object is open; the text ends with a zero byte. Null pointers are refused.
 */
uint64_t schedlab_make_buffer(const struct schedlab_object *object,
                              const char *scheme,
                              size_t words,
                              size_t tasks);

/*
 Makes a queue for at most so many values, first in, first out. Else as schedlab_make_buffer().
 */
uint64_t schedlab_make_queue(const struct schedlab_object *object,
                             const char *scheme,
                             size_t capacity,
                             size_t tasks);

/*
 Makes a heap for at most so many values, the largest first. Else as schedlab_make_buffer().
 */
uint64_t schedlab_make_heap(const struct schedlab_object *object,
                            const char *scheme,
                            size_t capacity,
                            size_t tasks);

/*
 As schedlab_make_queue(), in blocks of so many words, of which an attempt helps so many others; 0 for the usual
 number of either.

 Wait-free queues and heaps and lock-free heaps are in blocks: an operation copies each block that it writes. A block
 has a power of two of words, from 2 on. A value of a heap has as many children: two words make it binary. An attempt
 on a wait-free one executes what others have announced, too. The more it helps, the fewer attempts an operation
 takes. Locked ones and lock-free queues have no blocks, and those that are not wait-free do not help.
 */
uint64_t schedlab_make_queue_in_blocks(const struct schedlab_object *object,
                                       const char *scheme,
                                       size_t capacity,
                                       size_t tasks,
                                       size_t block,
                                       size_t help);

/*
 As schedlab_make_heap(), in blocks, as schedlab_make_queue_in_blocks().
 */
uint64_t schedlab_make_heap_in_blocks(const struct schedlab_object *object,
                                      const char *scheme,
                                      size_t capacity,
                                      size_t tasks,
                                      size_t block,
                                      size_t help);

/*
 Joins the buffer, queue or heap at a place as the task of this number, from 0 on; null if that fails. One process
 has a number until it leaves; one that is killed keeps it. A job, or null: operations on a locked one are
 non-preemptive sections of that job.

 # Safety
 The object stays open until the task left; the place is what one of the schedlab_make functions returned for it; the
 job is that of the calling thread's task. In all functions of a member, it is one that this returned and that has
 not left. Other null pointers are refused.
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
 Copies the buffer's latest value, as many words as it has. 0, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
 */
int32_t schedlab_read_buffer(struct schedlab_member *member, uint64_t *into);

/*
 Makes this the buffer's latest value, as many words as it has. 0, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
 */
int32_t schedlab_write_buffer(struct schedlab_member *member,
                              const uint64_t *value);

/*
 Adds a value to the queue or heap. 1, or 0 if it is full, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
 */
int32_t schedlab_put(struct schedlab_member *member, uint64_t value);

/*
 Takes the value whose turn it is out of the queue or heap. 1, or 0 if it is empty, or SCHEDLAB_ERROR, or
 SCHEDLAB_DEAD.
 */
int32_t schedlab_take(struct schedlab_member *member,
                      uint64_t *value);

/*
 How often the task's last operation tried; 0 for a null pointer.
 */
uint64_t schedlab_attempts(const struct schedlab_member *member);

/*
 Maps the object of this name, and makes it with room for so many bytes if there is none; null if that fails.

 # Safety
 In all functions of an object, it is one that schedlab_open_object() returned, not closed yet; texts end with a zero
 byte. A null pointer is refused.
 */
struct schedlab_object *schedlab_open_object(const char *name,
                                             size_t bytes);

/*
 Unmaps the object. It stays for others, and for who opens it again, until its name is taken away.
 */
void schedlab_close_object(struct schedlab_object *object);

/*
 Takes an object's name away; its memory goes with its last user.
 */
int32_t schedlab_unlink_object(const char *name);

/*
 The object's first block, of so many bytes, zero at first: the same one for all processes. Null if there is no room.
 */
void *schedlab_object_root(const struct schedlab_object *object,
                           size_t bytes);

/*
 A block of so many bytes inside the object, all zero. Null if there is no room. No system call, and no thread waits.
 */
void *schedlab_object_allocate(const struct schedlab_object *object,
                               size_t bytes);

/*
 Gives a block back, from whatever process.
 */
int32_t schedlab_object_free(const struct schedlab_object *object, void *block);

/*
 Where an address in the object is, counted from its beginning: the same number in every process. 0 if it is outside.
 */
uint64_t schedlab_object_place(const struct schedlab_object *object,
                               const void *address);

/*
 The address, in this process, of what is at a place. Null if it is outside.
 */
void *schedlab_object_at(const struct schedlab_object *object, uint64_t place);

/*
 Waits for the object's own lock, spinning, first come, first served, and calls the code with the argument. Enter a
 non-preemptive section first, so that no thread waits for a preempted holder. 0, or SCHEDLAB_ERROR.
 */
int32_t schedlab_object_with_lock(const struct schedlab_object *object,
                                  void (*code)(void*),
                                  void *argument);

/*
 A system without tasks, under a scheduler ("P-EDF", "G-EDF", "PD2", ...) and a protocol ("none", "msrp", ...). Null
 if that fails.

 # Safety
 In all functions of a system, it is one that schedlab_new() or schedlab_read() returned, not freed yet, and used
 by one thread at a time; texts end with a zero byte. A forked child of the process that made it is refused.
 */
struct schedlab_system *schedlab_new(const char *scheduler,
                                     const char *protocol,
                                     uint16_t processors);

/*
 The system of a scenario file, whose tasks need their code still. Null if that fails.
 */
struct schedlab_system *schedlab_read(const char *path);

/*
 The resource of this name, made as a mutex if there is none. Its number, or negative.
 */
int32_t schedlab_resource(struct schedlab_system *system, const char *name);

/*
 Creates a task whose thread calls the code once, with this argument. Its number, or negative.
 */
int32_t schedlab_create_task(struct schedlab_system *system,
                             const struct schedlab_task *task,
                             schedlab_code code,
                             void *argument);

/*
 Says what the scenario's task of this name does. Its number, or negative.
 */
int32_t schedlab_set_code(struct schedlab_system *system,
                          const char *name,
                          schedlab_code code,
                          void *argument);

/*
 Each job of the task has a section on the resource, at most so long; the task's WCET includes it.
 */
int32_t schedlab_uses(struct schedlab_system *system,
                      int32_t task,
                      int32_t resource,
                      uint64_t section_ns);

/*
 Each task's thread gets a stack of so many bytes, from 64 KiB to 1 GiB, in place of 2 MiB. All of it is locked in
 memory during the run. Code that needs more than its stack crashes the process.
 */
int32_t schedlab_set_stack(struct schedlab_system *system,
                           size_t bytes);

/*
 Runs the system for so many nanoseconds, or, if 0, until a task ends the run; once only. 0 if it ended so. Where a
 task's code does not end, its thread is shut in with its argument, which must stay then.
 */
int32_t schedlab_run(struct schedlab_system *system,
                     uint64_t duration_ns,
                     struct schedlab_totals *totals);

/*
 Has the run write its trace to `path`, as schedlab_write_trace() does. If the process does not live to do so, what
 happened until then is in a file of that name that ends in ".part".
 */
int32_t schedlab_keep_trace(struct schedlab_system *system,
                            const char *path);

/*
 Writes the trace of the run, for "schedlab check", "schedlab draw" and the like; beside it (run.kernel.slt beside
 run.slt) what the kernel says that ran, where it may be asked; an older file of that name goes in any case.
 */
int32_t schedlab_write_trace(const struct schedlab_system *system,
                             const char *path);

/*
 Prints what "schedlab run" says of a run, of that of this system; if `checked`, as "schedlab run --check" does. 1 if
 nothing was found wrong, 0 if a check failed, or SCHEDLAB_ERROR.
 */
int32_t schedlab_print_findings(const struct schedlab_system *system,
                                bool checked);

/*
 Forgets the system. In a child that was forked since it was made, nothing happens: its threads are not there.
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
