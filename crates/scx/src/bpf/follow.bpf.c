/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A scheduler that follows links: the run decides which task's thread is linked to which processor, and the kernel makes
 * it true. A ready thread of a task executes where it is linked, and nowhere else.
 *
 * Each task has a queue of its own, so a thread is never behind another one. The functions of the scheduler have no
 * timer, no lock and no loop: they load quickly and cannot deadlock.
 *
 * All threads of the machine that are not of a real-time class are scheduled here. On the processors of the scenario
 * those that are no tasks execute
 * - at once, if they are kernel threads that are bound to their processor;
 * - else in the time that tasks leave, and in a reserve: a thread that waits gets a slice each time that the reserve
 *   has come to be worth one. So the kernel's other work goes on under overload, and no thread starves until the kernel
 *   ejects the scheduler. */
#include "kernel.h"
#include "links.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, ##args)

/* Queues: threads that are no tasks, those of them that are bound to a processor, and each task's own. */
#define OUTSIDE 1ull
#define BOUND(cpu) (0x100ull + (cpu))
#define OWN(index) (0x1000ull + (index))

/* Slice of a thread that is no task, in ns. Where tasks wait, it is a part of the reserve. */
#define OUTSIDE_SLICE 1000000ull

/* A section of its own, so that the loader finds it at the section's begin. */
SEC(".rodata.settings") const volatile struct settings settings = {};

struct owner {
	u32 index;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct owner);
} owners SEC(".maps");

#define SHARED_ARRAY(name, length, kind)                                                                               \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                                      \
		__uint(map_flags, BPF_F_MMAPABLE);                                                                     \
		__uint(max_entries, length);                                                                           \
		__type(key, u32);                                                                                      \
		__type(value, kind);                                                                                   \
	} name SEC(".maps")

/* Index by processor: the links, and what `relink` makes links of. Memory that is shared has eight bytes an entry, or a
 * multiple. */
SHARED_ARRAY(links, CPUS, u64);
SHARED_ARRAY(wishes, CPUS, u64);
SHARED_ARRAY(places, INDICES, struct place);
SHARED_ARRAY(accounts, CPUS, struct account);
SHARED_ARRAY(endings, 1, struct ending);
SHARED_ARRAY(beats, 1, struct beat);

/* What the scheduler keeps of a processor. */
struct processor {
	/* Since when the thread that executes does so; 0 if none of ours does. */
	u64 since;
	/* When `owed` was last brought up to date; 0 if no thread outside waited. */
	u64 counted;
	/* What threads outside may still execute in place of tasks, in ns; below 0 after a slice that ended late, since slices
	 * end at ticks. */
	s64 owed;
	/* Set when the next thread outside executes by the reserve, and while it does. `stopping` of the thread before comes
	 * in between. */
	u32 granting;
	u32 granted;
	/* How often in a row the linked thread was in no queue although it is ready. */
	u32 retries;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, struct processor);
} states SEC(".maps");

static __always_inline u32 index_of(struct task_struct *p)
{
	struct owner *owner = bpf_task_storage_get(&owners, p, 0, 0);
	return owner ? owner->index : 0;
}

static __always_inline u32 link_of(u32 cpu)
{
	u64 *index = bpf_map_lookup_elem(&links, &cpu);
	return index ? *index : 0;
}

static __always_inline struct place *place_of(u32 index)
{
	return index ? bpf_map_lookup_elem(&places, &index) : 0;
}

static __always_inline bool is_scenarios(u32 cpu)
{
	return cpu < CPUS && (settings.processors >> cpu & 1);
}

static __always_inline bool is_bound_kernel_thread(struct task_struct *p)
{
	return (p->flags & PF_KTHREAD) && p->nr_cpus_allowed == 1;
}

/* True if a thread outside waits that may execute on the processor, or might. */
static __always_inline bool outside_waits(u32 cpu)
{
	return scx_bpf_dsq_nr_queued(BOUND(cpu)) > 0 || scx_bpf_dsq_nr_queued(OUTSIDE) > 0;
}

/* Takes a thread that is no task. */
static __always_inline bool take_outside(u32 cpu)
{
	return take(BOUND(cpu)) || take(OUTSIDE);
}

/* Brings what threads outside are owed up to date, and says whether that is worth a slice. Only time counts in which one
 * of them waited. */
static __always_inline bool is_owed(u32 cpu)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	if (!state || !settings.reserve_ns)
		return false;
	if (!outside_waits(cpu)) {
		state->counted = 0;
		return false;
	}
	u64 now = bpf_ktime_get_ns();
	if (state->counted && now > state->counted) {
		u64 waited = now - state->counted;
		if (waited > 1000000000ull)
			waited = 1000000000ull;
		state->owed += waited * settings.reserve_ns / 1000000000ull;
		if (state->owed > (s64)settings.reserve_ns)
			state->owed = settings.reserve_ns;
	}
	state->counted = now;
	return state->owed >= (s64)OUTSIDE_SLICE;
}

/* Takes the scheduler away if the run has given no sign of life for long. Whatever happens on the machine, some thread
 * is queued, and asks; a sign that is only late gets a second chance. */
static __always_inline void check_run(void)
{
	u32 only = 0;
	struct beat *beat = bpf_map_lookup_elem(&beats, &only);
	if (!beat || !beat->at)
		return;
	u64 now = bpf_ktime_get_ns();
	if (now < beat->at + BEAT_STALE) {
		if (beat->missed)
			beat->missed = 0;
		return;
	}
	if (!beat->missed) {
		beat->missed = now;
	} else if (now > beat->missed + BEAT_CONFIRMED) {
		static char reason[] = "the run's process stands still";
		unsigned long long none[1] = {};
		scx_bpf_exit_bstr(EXIT_STANDS_STILL, reason, none, sizeof(none));
	}
}

s32 OPS(follow_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

static __always_inline void enqueue_outside(struct task_struct *p, u64 enq_flags)
{
	if (is_bound_kernel_thread(p)) {
		insert(p, SCX_DSQ_LOCAL, OUTSIDE_SLICE, enq_flags | SCX_ENQ_PREEMPT);
		return;
	}
	u64 queue = p->nr_cpus_allowed == 1 ? BOUND(scx_bpf_task_cpu(p)) : OUTSIDE;
	s32 idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	insert(p, queue, OUTSIDE_SLICE, enq_flags);
	if (idle >= 0)
		scx_bpf_kick_cpu(idle, SCX_KICK_IDLE);
}

/* Notes that a thread keeps its processor in a section. The thread executes nothing meanwhile: it finds the word when its
 * section ends. */
static __always_inline void keep(u32 cpu, struct place *place)
{
	place->kept = 1;
	struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
	if (account)
		account->kept++;
}

void OPS(follow_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 index = index_of(p);
	struct place *place = place_of(index);
	check_run();
	if (!place) {
		enqueue_outside(p, enq_flags);
		return;
	}
	bool woken = enq_flags & SCX_ENQ_WAKEUP;
	if (place->section == SECTION_INSIDE || (place->section && !woken)) {
		/* The section was interrupted, or has slept in the kernel: it goes on where it was, before all that is linked,
		 * even if its own link goes meanwhile. Sections on one processor take turns when one yields. */
		keep(scx_bpf_task_cpu(p), place);
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, enq_flags | (woken ? SCX_ENQ_PREEMPT : 0));
		return;
	}
	if (place->section && !place->cpu) {
		/* A signal has woken it at its gate: it looks, and sleeps again. */
		enqueue_outside(p, enq_flags);
		return;
	}
	/* Before the place is read: a link that comes now finds the word, or its place is found here. */
	__sync_lock_test_and_set(&place->queued, 1);
	insert(p, OWN(index), SCX_SLICE_INF, enq_flags);
	u32 cpu = place->cpu - 1;
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	/* A slice of the reserve that has just been granted puts the thread here, and is not to be taken back. */
	if (state && !state->granting)
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

/* True if the thread of `index`, which executes, goes on: by its link, or in a section that must not be interrupted. */
static __always_inline bool goes_on(u32 cpu, u32 index, u32 link)
{
	struct place *place = place_of(index);
	if (!place)
		return false;
	if (index == link)
		return true;
	if (!place->section)
		return false;
	keep(cpu, place);
	return true;
}

/* Takes a thread by the reserve, if threads outside are owed a slice. */
static __always_inline bool grant(u32 cpu)
{
	if (!is_scenarios(cpu) || !is_owed(cpu) || !take_outside(cpu))
		return false;
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	if (state)
		state->granting = 1;
	return true;
}

/* True if the processor shall look again for its linked thread, which is ready, but not yet in its queue. After many
 * looks it is there, but not allowed to execute here: its affinity was changed. */
static __always_inline bool look_again(u32 cpu, struct place *linked)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	if (!linked || !linked->queued || !state || state->retries >= 1000)
		return false;
	state->retries++;
	return true;
}

void OPS(follow_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 link = link_of(cpu);
	struct place *linked = place_of(link);
	bool ready = prev && (prev->scx.flags & SCX_TASK_QUEUED);
	u32 index = ready ? index_of(prev) : 0;
	struct place *place = place_of(index);
	bool contended = linked && (linked->queued || index == link);
	if (contended && !(place && place->section) && grant(cpu))
		return;
	if (ready && goes_on(cpu, index, link)) {
		set_slice(prev, SCX_SLICE_INF);
		return;
	}
	if (linked && take(OWN(link)))
		return;
	if (look_again(cpu, linked))
		scx_bpf_kick_cpu(cpu, 0);
	take_outside(cpu);
}

void OPS(follow_tick, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = index_of(p);
	if (!index || !is_scenarios(cpu) || !is_owed(cpu))
		return;
	struct place *place = place_of(index);
	if (place && !place->section)
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

void OPS(follow_running, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	u32 index = index_of(p);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct place *place = place_of(index);
	if (state) {
		state->since = bpf_ktime_get_ns();
		if (!is_bound_kernel_thread(p)) {
			state->granted = !index && state->granting;
			state->granting = 0;
		}
	}
	u32 link = link_of(cpu);
	if (place)
		place->queued = 0;
	if (state && index == link)
		state->retries = 0;
	if (index == link || is_bound_kernel_thread(p) || (state && state->granted))
		return;
	/* It may have come back from the processor's own queue, where a thread of a real-time class had put it, without
	 * `dispatch`: a link that changed meanwhile would be lost. */
	struct place *linked = place_of(link);
	if (place ? !place->section : look_again(cpu, linked)) {
		struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
		if (account)
			account->corrected++;
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	}
}

void OPS(follow_stopping, struct task_struct *p, bool runnable)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct account *account = bpf_map_lookup_elem(&accounts, &cpu);
	if (!state || !account || !state->since)
		return;
	u64 now = bpf_ktime_get_ns();
	u64 executed = now > state->since ? now - state->since : 0;
	bool granted = state->granted;
	state->since = 0;
	state->granted = 0;
	if (index_of(p))
		return;
	if (is_bound_kernel_thread(p)) {
		account->kernel_ns += executed;
		return;
	}
	account->outside_ns += executed;
	if (granted)
		account->reserve_ns += executed;
	state->owed -= executed;
	if (state->owed < -2 * (s64)OUTSIDE_SLICE)
		state->owed = -2 * (s64)OUTSIDE_SLICE;
}

/* The thread sleeps, or is scheduled by another class: no processor looks for it. */
void OPS(follow_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct place *place = place_of(index_of(p));
	if (place)
		place->queued = 0;
}

s32 SEC("struct_ops.s/follow_init") BPF_PROG(follow_init)
{
	s32 failed = scx_bpf_create_dsq(OUTSIDE, -1);
	s32 index;
	bpf_for(index, 0, CPUS)
		failed = failed ? failed : scx_bpf_create_dsq(BOUND(index), -1);
	bpf_for(index, 1, INDICES)
		failed = failed ? failed : scx_bpf_create_dsq(OWN(index), -1);
	return failed;
}

void OPS(follow_exit, struct scx_exit_info *info)
{
	u32 only = 0;
	struct ending *ending = bpf_map_lookup_elem(&endings, &only);
	if (!ending)
		return;
	ending->code = info->exit_code;
	bpf_probe_read_kernel_str(ending->reason, sizeof(ending->reason), info->reason);
	bpf_probe_read_kernel_str(ending->message, sizeof(ending->message), info->msg);
	__sync_lock_test_and_set(&ending->kind, info->kind);
}

SEC(".struct_ops.link")
struct sched_ext_ops follow = {
	.select_cpu = (void *)follow_select_cpu,
	.enqueue = (void *)follow_enqueue,
	.dispatch = (void *)follow_dispatch,
	.tick = (void *)follow_tick,
	.running = (void *)follow_running,
	.stopping = (void *)follow_stopping,
	.quiescent = (void *)follow_quiescent,
	.init = (void *)follow_init,
	.exit = (void *)follow_exit,
	.flags = SCX_OPS_ENQ_LAST,
	.timeout_ms = 5000,
	.name = "schedlab_follow",
};

/* Makes links of the wishes of some processors: afterwards each of them executes the thread of its new link, and none of
 * its old one. Called by the run with `struct change`. Two calls at a time must not name the same processor. */
SEC("syscall")
int relink(struct change *change)
{
	u64 changed = change->processors;
	u32 cpu;
	/* Places are taken away first: a thread that changes processors has one place at the end, whatever the order. */
	bpf_for(cpu, 0, CPUS)
	{
		u32 key = cpu;
		if (!(changed >> (key & 63) & 1))
			continue;
		u64 *link = bpf_map_lookup_elem(&links, &key);
		u64 *wish = bpf_map_lookup_elem(&wishes, &key);
		if (!link || !wish)
			continue;
		struct place *place = place_of(*link);
		if (place && place->cpu == key + 1)
			place->cpu = 0;
		*link = *wish;
	}
	bpf_for(cpu, 0, CPUS)
	{
		if (!(changed >> (cpu & 63) & 1))
			continue;
		struct place *place = place_of(link_of(cpu));
		if (place)
			place->cpu = cpu + 1;
	}
	bpf_for(cpu, 0, CPUS)
	{
		if (changed >> (cpu & 63) & 1)
			scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	}
	return 0;
}
