/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A scheduler that decides by itself: each cluster of processors executes its most urgent ready jobs. A job has one
 * priority point while it lasts, and the task's index breaks ties. So it is P-, C- and G-EDF, RM, DM, FP, FIFO, FL
 * and GEL, preemptive or not.
 *
 * A thread writes the arrival of its next job into memory that it shares with the kernel, and sleeps. As it wakes
 * up, the kernel checks the arrival, computes the point and puts the thread into its cluster's queue. Inputs and
 * switches go out by a ring: from them the run decides anew, and compares. */
#include "queue.h"

s32 OPS(cluster_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OPS(cluster_enqueue, struct task_struct *p, u64 enq_flags)
{
	struct task task = {};
	check_run();
	if (let_go(p) || !find(p, &task)) {
		enqueue_outside(p, enq_flags);
		return;
	}
	struct job *job = task.job;
	u64 now = bpf_ktime_get_ns();
	if (job->suspended && (enq_flags & SCX_ENQ_WAKEUP))
		wake(&task, now);
	admit(&task, now, 0);
	s32 cpu = scx_bpf_task_cpu(p);
	if (job->on == cpu + 1) {
		/* It did not give way: a thread of the kernel's or of the reserve has interrupted it. It goes on
		 * afterwards where it was, and `running` looks whether it still may. */
		insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, enq_flags);
		return;
	}
	u32 cluster = task.plan->cluster & (CPUS - 1);
	bool sections = job->live && in_section(&task, now);
	enforce(&task, 0, sections);
	if (sections && cluster_of(cpu) == cluster) {
		wait_in_section(p, &task, cpu, now, enq_flags);
		return;
	}
	announce(job, cluster);
	look(cluster, job->key, cpu);
	insert_by(p, READY(cluster), SCX_SLICE_INF, job->key, enq_flags);
}

/* Notes that the thread of the task executes its job from now on. */
static __always_inline void begin(struct task *task, u32 cpu, u64 now)
{
	task->job->on = cpu + 1;
	task->job->begun = task->job->live;
	go_on_in_section(task->job, now);
	emit_of(RUNNING, task, 0);
	arm(task, cpu, now, 0);
}

/* Lets the thread that executes go on. `begins` if it has just begun another job. */
static __always_inline void stay(struct task_struct *p, struct task *task, u32 cpu, u64 now, bool begins)
{
	set_slice(p, sections_wait(cpu) ? TURN : SCX_SLICE_INF);
	if (begins) {
		emit(STOPPED, task->index, 0, 1);
		begin(task, cpu, now);
		return;
	}
	task->job->on = cpu + 1;
	arm(task, cpu, now, stretch(cpu, now));
}

/* True if the processor executes a task's thread next. `prev` is that of `task`, unless that is 0. */
static __always_inline bool decide(u32 cpu, u32 cluster, struct task_struct *prev, struct task *task)
{
	struct seat *seat = bpf_map_lookup_elem(&seats, &cpu);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	u64 now = bpf_ktime_get_ns(), mine = IDLE;
	bool begins = false, stays = false, sections = false;
	if (!seat || !state)
		return false;
	bool kicked = seat->kicked;
	seat->kicked = 0;
	if (task) {
		u64 lasted = stretch(cpu, now);
		u32 before = task->job->live;
		begins = admit(task, now, lasted);
		if (begins || task->job->live != before) {
			state->since = now;
			lasted = 0;
		}
		sections = in_section(task, now);
		enforce(task, lasted, sections);
		mine = task->job->key;
		stays = sections || (!clusters.preemptive && task->job->live && task->job->begun);
	}
	sit(seat, mine);
	/* Jobs in sections that wait for this processor execute by turns with one that is in a section, too, and before one
	 * that may be preempted. One that may not, without being in a section, ends first. */
	if ((sections || !stays) && sections_wait(cpu) && take(SECTIONS(cpu))) {
		if (task)
			task->job->on = 0;
		sit(seat, GRANTED);
		return true;
	}
	bool contended = task || scx_bpf_dsq_nr_queued(READY(cluster)) > 0;
	if (contended && !sections && grant(cpu)) {
		sit(seat, GRANTED);
		return true;
	}
	u64 taken = stays ? IDLE : take_before(cluster, cpu, mine);
	if (taken != IDLE) {
		u32 index = index_of_key(taken);
		struct job *next = bpf_map_lookup_elem(&jobs, &index);
		if (next) {
			withdraw(next, cluster);
			next->on = cpu + 1;
		}
		if (task)
			task->job->on = 0;
		sit(seat, taken);
		return true;
	}
	if (!task)
		return false;
	bool delays = sections && first_key(cluster) < mine;
	if (delays)
		keep(task, cpu, now);
	stay(prev, task, cpu, now, begins);
	seat->delayed = delays;
	settle(cpu, cluster);
	struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
	if (kicked && !begins && !delays && tally)
		tally->needless++;
	return true;
}

void OPS(cluster_dispatch, s32 cpu, struct task_struct *prev)
{
	struct task task = {};
	u32 cluster = cluster_of(cpu);
	bool ready = prev && (prev->scx.flags & SCX_TASK_QUEUED);
	bool is_task = ready && find(prev, &task);
	if (cluster != NO_CLUSTER) {
		if (is_task ? decide(cpu, cluster, prev, &task) : decide(cpu, cluster, prev, 0))
			return;
	}
	/* One that is taken looks by itself as it begins. */
	if (take_outside(cpu))
		return;
	if (ready)
		set_slice(prev, OUTSIDE_SLICE);
	/* While the processor looked for other threads, the kernel may have let go of the processor's lock: a kick that came
	 * then is lost. */
	if (cluster != NO_CLUSTER)
		settle(cpu, cluster);
}

void OPS(cluster_tick, struct task_struct *p)
{
	struct task task = {};
	u32 cpu = bpf_get_smp_processor_id();
	if (!find(p, &task) || !makes_room(cpu))
		return;
	if (!in_section(&task, bpf_ktime_get_ns()))
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

void OPS(cluster_running, struct task_struct *p)
{
	struct task task = {};
	u32 cpu = bpf_get_smp_processor_id();
	u32 cluster = cluster_of(cpu);
	struct processor *state = bpf_map_lookup_elem(&states, &cpu);
	struct seat *seat = bpf_map_lookup_elem(&seats, &cpu);
	if (!state || !seat)
		return;
	bool is_task = find(p, &task);
	begin_execution(p, state, is_task ? task.index : 0);
	if (cluster == NO_CLUSTER || is_bound_kernel_thread(p) || state->granted)
		return;
	u64 key = IDLE;
	if (is_task) {
		withdraw(task.job, cluster);
		begin(&task, cpu, state->since);
		key = task.job->key;
		if (sections_wait(cpu))
			set_slice(p, TURN);
	}
	sit(seat, key);
	/* It may have come back from the processor's own queue, without `dispatch`: kicks meanwhile were lost. */
	if (settle(cpu, cluster))
		count_corrected(cpu);
}

void OPS(cluster_stopping, struct task_struct *p, bool runnable)
{
	struct task task = {};
	u32 cpu = bpf_get_smp_processor_id();
	bool is_task = find(p, &task);
	u64 executed = end_execution(p, cpu, is_task ? task.index : 0);
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &cpu);
	if (!is_task)
		return;
	if (alarm)
		alarm->at = 0;
	task.job->executed += executed;
	emit_of(STOPPED, &task, runnable);
}

/* The thread sleeps, or is scheduled by another class, or gets other processors. */
void OPS(cluster_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct task task = {};
	if (!find(p, &task))
		return;
	struct job *job = task.job;
	u32 cpu = job->on - 1;
	struct seat *seat = bpf_map_lookup_elem(&seats, &cpu);
	withdraw(job, task.plan->cluster & (CPUS - 1));
	if (job->on && seat)
		sit(seat, IDLE);
	job->on = 0;
	if (!(deq_flags & SCX_DEQ_SLEEP) || !job->live)
		return;
	if (*(volatile u32 *)&task.words->job != job->number) {
		complete(&task, bpf_ktime_get_ns(), 0);
	} else if (!job->suspended) {
		sleep(&task, bpf_ktime_get_ns());
	}
}

/* A task's thread may execute on all processors of its cluster, and on no others. One that changes this is no
 * task's any more. The mask that the kernel hands over has one processor while the kernel may not move the thread, and
 * says nothing of what the thread asked for. */
void OPS(cluster_set_cpumask, struct task_struct *p, const struct cpumask *allowed)
{
	struct task task = {};
	bool strays = false;
	u32 cpu, count = 0;
	if (!find(p, &task))
		return;
	u64 members = clusters.members[task.plan->cluster & (CPUS - 1)];
	bpf_for(cpu, 0, CPUS)
	{
		bool may = bpf_cpumask_test_cpu(cpu, &p->cpus_mask);
		strays = strays || may != (members >> (cpu & 63) & 1);
		count += may;
	}
	/* It may be allowed to execute on processors that have no bit here. */
	if (!strays && count == p->nr_cpus_allowed)
		return;
	emit_of(STRAYED, &task, 0);
	task.job->strayed = 1;
	task.words->strayed = 1;
}

s32 SEC("struct_ops.s/cluster_init") BPF_PROG(cluster_init)
{
	u32 cpu;
	bpf_for(cpu, 0, CPUS)
	{
		u32 key = cpu;
		struct seat *seat = bpf_map_lookup_elem(&seats, &key);
		if (seat)
			seat->key = IDLE;
	}
	s32 failed = create_outside();
	failed = failed ? failed : create_queues();
	return failed ? failed : create_alarms();
}

void OPS(cluster_exit, struct scx_exit_info *info)
{
	report_ending(info);
}

SEC(".struct_ops.link")
struct sched_ext_ops cluster = {
	.select_cpu = (void *)cluster_select_cpu,
	.enqueue = (void *)cluster_enqueue,
	.dispatch = (void *)cluster_dispatch,
	.tick = (void *)cluster_tick,
	.running = (void *)cluster_running,
	.stopping = (void *)cluster_stopping,
	.quiescent = (void *)cluster_quiescent,
	.set_cpumask = (void *)cluster_set_cpumask,
	.init = (void *)cluster_init,
	.exit = (void *)cluster_exit,
	.flags = SCX_OPS_ENQ_EXITING,
	.timeout_ms = 5000,
	.name = "schedlab_cluster",
};
