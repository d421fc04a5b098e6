/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records of the schedulers that decide by themselves, and what their processors count. */
#ifndef SCHEDLAB_RECORDS_H
#define SCHEDLAB_RECORDS_H

#include "outside.h"
#include "cluster.h"

SHARED_ARRAY(tallies, CPUS, struct tally);
SHARED_ARRAY(origins, 1, struct origin);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} records SEC(".maps");

/* Writes a record of what happened at `at`; one that finds no room is counted. */
__noinline int emit_at(u32 kind, u32 index, u32 number, u64 value, u64 at)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct record *record = bpf_ringbuf_reserve(&records, sizeof(struct record), 0);
	if (!record) {
		struct tally *tally = bpf_map_lookup_elem(&tallies, &cpu);
		if (tally)
			__sync_fetch_and_add(&tally->lost, 1);
		return 0;
	}
	record->at = at;
	record->value = value;
	record->job = number;
	record->index = index;
	record->cpu = cpu;
	record->kind = kind;
	record->unused = 0;
	/* A reader looks by itself: to wake it here would take time from every decision. */
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Writes a record of what happens now. */
static __always_inline int emit(u32 kind, u32 index, u32 number, u64 value)
{
	return emit_at(kind, index, number, value, bpf_ktime_get_ns());
}

#endif
