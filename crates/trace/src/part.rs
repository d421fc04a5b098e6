//! Parts of records, as bytes.

use crate::varint;
use alloc::vec::Vec;
use schedlab_model::{
    Band, ClusterId, CpuId, Duration, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work,
};

/// A part of a record.
pub(crate) trait Part: Sized {
    fn write(self, out: &mut Vec<u8>);

    /// Reads the part from the front of the bytes; `None` if it is not there.
    fn read(p: &mut &[u8]) -> Option<Self>;
}

/// Implements parts that are one number each: how a part is made from its number, and the number from the part.
macro_rules! numbers {
    ($($part:ty: |$of:ident| $number:expr, $made:expr;)+) => {
        $(impl Part for $part {
            #[inline(always)]
            fn write(self, out: &mut Vec<u8>) {
                let $of = self;
                varint::write(out, $number);
            }

            #[inline(always)]
            fn read(p: &mut &[u8]) -> Option<Self> {
                varint::read(p)?.try_into().ok().map($made)
            }
        })+
    };
}

numbers! {
    CpuId: |cpu| cpu.0.into(), CpuId;
    ClusterId: |cluster| cluster.0.into(), ClusterId;
    TaskId: |task| task.0.into(), TaskId;
    ResourceId: |resource| resource.0.into(), ResourceId;
    Instant: |at| at.as_ns(), Instant::from_ns;
    Duration: |length| length.as_ns(), Duration::from_ns;
    Work: |work| work.as_ns(), Work::from_ns;
    u32: |number| number.into(), |number| number;
    u64: |number| number, |number| number;
}

pub(crate) fn byte(p: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = p.split_first()?;
    *p = rest;
    Some(first)
}

impl Part for JobId {
    #[inline(always)]
    fn write(self, out: &mut Vec<u8>) {
        self.task.write(out);
        self.number.write(out);
    }

    #[inline(always)]
    fn read(p: &mut &[u8]) -> Option<Self> {
        Some(JobId { task: Part::read(p)?, number: Part::read(p)? })
    }
}

impl Part for Option<JobId> {
    fn write(self, out: &mut Vec<u8>) {
        out.push(self.is_some().into());
        if let Some(job) = self {
            job.write(out);
        }
    }

    fn read(p: &mut &[u8]) -> Option<Self> {
        match byte(p)? {
            0 => Some(None),
            1 => Part::read(p).map(Some),
            _ => None,
        }
    }
}

impl Part for Priority {
    fn write(self, out: &mut Vec<u8>) {
        out.push(self.band() as u8);
        varint::write(out, self.point());
        self.tie().write(out);
    }

    fn read(p: &mut &[u8]) -> Option<Self> {
        let band = match byte(p)? {
            0 => Band::Boosted,
            1 => Band::Base,
            2 => Band::Background,
            _ => return None,
        };
        let point = varint::read(p).filter(|point| *point <= Priority::MAX_POINT)?;
        Some(Priority::in_band(band, point, Part::read(p)?))
    }
}

impl Part for OverheadKind {
    fn write(self, out: &mut Vec<u8>) {
        out.push(self as u8);
    }

    fn read(p: &mut &[u8]) -> Option<Self> {
        OverheadKind::ALL.get(usize::from(byte(p)?)).copied()
    }
}
