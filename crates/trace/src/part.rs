//! What records hold, read from the front of their bytes; `None` if it is not there.

use crate::varint;
use schedlab_model::{CpuId, Duration, Instant, JobId, ResourceId, TaskId};

pub(crate) fn byte(p: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = p.split_first()?;
    *p = rest;
    Some(first)
}

/// A number that fits into this type.
pub(crate) fn number<N: TryFrom<u64>>(p: &mut &[u8]) -> Option<N> {
    varint::read(p)?.try_into().ok()
}

pub(crate) fn cpu(p: &mut &[u8]) -> Option<CpuId> {
    number(p).map(CpuId)
}

pub(crate) fn task(p: &mut &[u8]) -> Option<TaskId> {
    number(p).map(TaskId)
}

pub(crate) fn resource(p: &mut &[u8]) -> Option<ResourceId> {
    number(p).map(ResourceId)
}

pub(crate) fn job(p: &mut &[u8]) -> Option<JobId> {
    Some(JobId::new(task(p)?, number(p)?))
}

pub(crate) fn instant(p: &mut &[u8]) -> Option<Instant> {
    varint::read(p).map(Instant::from_ns)
}

pub(crate) fn duration(p: &mut &[u8]) -> Option<Duration> {
    varint::read(p).map(Duration::from_ns)
}
