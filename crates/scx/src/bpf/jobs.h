/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Jobs of the clustered scheduler: how they begin and end, their budgets and sections, and what is recorded of them. */
#ifndef SCHEDLAB_JOBS_H
#define SCHEDLAB_JOBS_H

#include "records.h"
#include "points.h"

#define NO_CLUSTER CPUS

/* Time that a thread has for its way from a job's completion to sleep, where jobs have budgets, in ns. */
#define WAY 1000000ull

SEC(".rodata.clusters") const volatile struct clusters clusters = {};

SHARED_ARRAY(plans, INDICES, struct plan);
SHARED_ARRAY(words, INDICES, struct words);

/* What the scheduler keeps of a task: no thread can write it. */
struct job {
	/* By which its thread is queued. */
	u64 key;
	u64 arrival;
	/* Time for which the job has executed, or the thread since its completion, without the present stretch. */
	u64 executed;
	/* Since when its section delays a preemption. Times in which its thread slept or made room for another one in
	 * a section do not count. */
	u64 kept_since;
	/* Since when its thread sleeps or makes room in a section; 0 if it does not. */
	u64 paused_since;
	/* Number of the job, the last one's if it is complete; 0 before the first. */
	u32 number;
	/* 1 from the job's arrival to its completion. */
	u32 live;
	/* 1 once the job has executed. */
	u32 begun;
	u32 suspended;
	/* 1 while its thread sleeps in a section. */
	u32 sleeps_in_section;
	/* 1 once its time is used up. */
	u32 overran;
	/* Number of the section that delays a preemption, and of the one that is not heeded any more. */
	u32 kept_section;
	u32 broken_section;
	/* Number of the last job that was to arrive too early. */
	u32 too_early;
	/* The processor where its thread executes or is interrupted, plus one; 0 for none. */
	u32 on;
	/* 1 while its thread is announced to the cluster's queue. */
	u32 queued;
	u32 strayed;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INDICES);
	__type(key, u32);
	__type(value, struct job);
} jobs SEC(".maps");

/* A processor's timer. It is never cancelled: one that is not wanted any more fires in vain. */
struct alarm {
	struct bpf_timer timer;
	/* When the thread that executes has to be looked at; 0 for never. */
	u64 at;
	/* When the timer fires next; 0 for never. */
	u64 armed;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, struct alarm);
} alarms SEC(".maps");

/* Everything of the task whose thread it is. */
struct task {
	u32 index;
	struct job *job;
	struct plan *plan;
	struct words *words;
};

static __always_inline u32 cluster_of(u32 cpu)
{
	u32 of = cpu < CPUS ? clusters.of[cpu & (CPUS - 1)] : 0;
	return of ? of - 1 : NO_CLUSTER;
}

/* Finds the task of a thread; false if it has none, or is none's any more. */
static __always_inline bool find(struct task_struct *p, struct task *task)
{
	u32 index = index_of(p);
	if (!index)
		return false;
	task->index = index;
	task->job = bpf_map_lookup_elem(&jobs, &index);
	task->plan = bpf_map_lookup_elem(&plans, &index);
	task->words = bpf_map_lookup_elem(&words, &index);
	return task->job && task->plan && task->words && !task->job->strayed;
}

static __always_inline int emit_of(u32 kind, struct task *task, u64 value)
{
	return emit(kind, task->index, task->job->live ? task->job->number : 0, value);
}

/* Time for which the thread that executes on this processor has done so, in ns. */
static __always_inline u64 stretch(u32 cpu, u64 now)
{
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	return state && state->since && now > state->since ? now - state->since : 0;
}

static __always_inline u64 base_key(struct task *task)
{
	struct plan *plan = task->plan;
	return key_of(BASE, point_of(plan->after, plan->parts, task->job->arrival), task->index);
}

/* Ends the live job at `now`. `lasted` is its present stretch. The thread keeps the job's point on its way to sleep: no job
 * of it goes before that, so the next one is not late because others execute meanwhile. */
static __always_inline void complete(struct task *task, u64 now, u64 lasted)
{
	struct job *job = task->job;
	if (!job->live)
		return;
	emit_at(COMPLETED, task->index, job->number, job->executed + lasted, now);
	job->live = 0;
	job->executed = 0;
	job->overran = 0;
	job->key = base_key(task);
}

/* Begins the job that the thread wants next, if there is one and its time has come. The job before is complete then, at
 * the same time, so that no other job begins between the two where jobs are not preempted. Returns true if a job begins. */
static __always_inline bool admit(struct task *task, u64 now, u64 lasted)
{
	struct job *job = task->job;
	struct plan *plan = task->plan;
	u32 wanted = *(volatile u32 *)&task->words->job;
	u64 arrival = *(volatile u64 *)&task->words->arrival;
	if (!job->number && !job->overran) {
		/* The thread goes by the point of the job that it will wait for. */
		job->arrival = arrival;
		job->key = base_key(task);
	}
	if (wanted == job->number)
		return false;
	complete(task, now, lasted);
	u32 only = 0;
	struct origin *origin = bpf_map_lookup_elem(&origins, &only);
	if (!origin || now < origin->at)
		return false;
	u64 earliest = job->number ? plus(job->arrival, plan->separation) : 0;
	if (arrival < earliest) {
		if (job->too_early != wanted) {
			job->too_early = wanted;
			emit(TOO_EARLY, task->index, wanted, earliest);
		}
		arrival = earliest;
		task->words->earliest = earliest;
	}
	/* A job that is released late does not begin while its thread is still on its way to sleep until then. */
	if (now - origin->at < arrival || now - origin->at < *(volatile u64 *)&task->words->release)
		return false;
	job->number = wanted;
	job->arrival = arrival;
	job->executed = 0;
	job->live = 1;
	job->begun = 0;
	job->suspended = 0;
	job->sleeps_in_section = 0;
	job->paused_since = 0;
	job->overran = 0;
	job->key = base_key(task);
	task->words->admitted = wanted;
	emit_at(ARRIVED, task->index, wanted, arrival, now);
	return true;
}

/* Time for which the task's thread may execute, in ns; 0 for any. */
static __always_inline u64 limit_of(struct task *task)
{
	u64 budget = task->plan->budget;
	return budget && !task->job->live ? WAY : budget;
}

/* Looks whether the thread has used its time up. In a section that has no effect yet. */
static __always_inline void enforce(struct task *task, u64 lasted, bool in_section)
{
	struct job *job = task->job;
	u64 limit = limit_of(task);
	if (!limit || job->overran || left_of(limit, job->executed + lasted))
		return;
	if (in_section) {
		/* The thread comes back at the section's end. */
		task->words->kept = 1;
		return;
	}
	job->overran = 1;
	if (!job->live) {
		job->key = key_of(BETWEEN, 0, task->index);
		return;
	}
	emit_of(OVERRAN, task, job->executed + lasted);
	if (task->plan->demotes)
		job->key = key_of(BACKGROUND, point_of(task->plan->relative_deadline, 1, job->arrival), task->index);
}

/* True if the thread is in a section that is heeded. */
static __always_inline bool in_section(struct task *task, u64 now)
{
	struct job *job = task->job;
	u32 section = *(volatile u32 *)&task->words->section;
	if (job->kept_section && job->kept_section != section) {
		emit_of(SECTION_LEFT, task, job->kept_section);
		job->kept_section = 0;
	}
	if (!section || section == job->broken_section)
		return false;
	u64 longest = task->plan->longest_section;
	if (!job->kept_section || !longest || left_of(longest, now - job->kept_since))
		return true;
	job->broken_section = section;
	task->words->broken = section;
	emit_of(SECTION_BROKEN, task, section);
	job->kept_section = 0;
	return false;
}

/* Notes that the section of a thread delays a preemption. */
static __always_inline void keep(struct task *task, u32 cpu, u64 now)
{
	struct job *job = task->job;
	task->words->kept = 1;
	count_kept(cpu);
	if (job->kept_section)
		return;
	job->kept_section = *(volatile u32 *)&task->words->section;
	job->kept_since = now;
	emit_at(SECTION_KEPT, task->index, job->live ? job->number : 0, job->kept_section, now);
}

/* Notes that the thread sleeps before its job is complete. */
static __always_inline void sleep(struct task *task, u64 now)
{
	struct job *job = task->job;
	job->suspended = 1;
	if (!in_section(task, now)) {
		emit_of(SUSPENDED, task, 0);
		return;
	}
	job->sleeps_in_section = 1;
	job->paused_since = now;
	emit_of(SECTION_SLEPT, task, *(volatile u32 *)&task->words->section);
}

/* Counts the section's time again. */
static __always_inline void go_on_in_section(struct job *job, u64 now)
{
	u64 since = job->paused_since > job->kept_since ? job->paused_since : job->kept_since;
	if (job->paused_since && job->kept_section && now > since)
		job->kept_since += now - since;
	job->paused_since = 0;
}

/* Notes that the thread is ready again. */
static __always_inline void wake(struct task *task, u64 now)
{
	struct job *job = task->job;
	job->suspended = 0;
	if (job->sleeps_in_section)
		emit_of(SECTION_WOKE, task, *(volatile u32 *)&task->words->section);
	else
		emit_of(RESUMED, task, 0);
	job->sleeps_in_section = 0;
	go_on_in_section(job, now);
}

/* Arms the timer of the processor that executes this. Without it neither budgets nor sections would end, so the
 * scheduler takes itself away if that fails. */
static __always_inline void start(struct alarm *alarm, u64 at)
{
	static char reason[] = "the kernel does not arm a timer of the scheduler's";
	unsigned long long none[1] = {};
	alarm->armed = at;
	if (bpf_timer_start(&alarm->timer, at, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN))
		scx_bpf_exit_bstr(EXIT_NO_TIMER, reason, none, sizeof(none));
}

/* Has the processor's timer fire when the budget of the job that executes there is used up, or its section is too long.
 * The caller executes on that processor. */
static __always_inline void arm(struct task *task, u32 cpu, u64 now, u64 lasted)
{
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &cpu);
	struct job *job = task->job;
	struct plan *plan = task->plan;
	u64 at = 0;
	if (!clusters.timers || !alarm)
		return;
	u64 limit = limit_of(task);
	if (limit && !job->overran) {
		u64 left = left_of(limit, job->executed + lasted);
		/* Nothing is left only in a section, whose end brings the thread here. */
		at = left ? now + left : 0;
	}
	if (job->kept_section && plan->longest_section) {
		u64 end = job->kept_since + plan->longest_section;
		at = !at || end < at ? end : at;
	}
	alarm->at = at;
	if (at && (!alarm->armed || at < alarm->armed))
		start(alarm, at);
}

static int fire(void *map, u32 *cpu, struct alarm *alarm)
{
	u64 at = alarm->at;
	alarm->armed = 0;
	if (!at)
		return 0;
	if (at > bpf_ktime_get_ns()) {
		/* It was armed for a thread that executes no longer. */
		start(alarm, at);
		return 0;
	}
	alarm->at = 0;
	struct tally *tally = bpf_map_lookup_elem(&tallies, cpu);
	if (tally)
		tally->alarms++;
	scx_bpf_kick_cpu(*cpu, SCX_KICK_PREEMPT);
	return 0;
}

static __always_inline s32 create_alarms(void)
{
	s32 failed = 0;
	u32 cpu;
	if (!clusters.timers)
		return 0;
	bpf_for(cpu, 0, CPUS)
	{
		u32 key = cpu;
		struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);
		if (!alarm || failed)
			continue;
		failed = bpf_timer_init(&alarm->timer, &alarms, 1 /* CLOCK_MONOTONIC */);
		failed = failed ? failed : bpf_timer_set_callback(&alarm->timer, fire);
	}
	return failed;
}

#endif
