//! Sections whose places in a job a format does not state: they are spread evenly over the job's WCET.

use schedlab_model::{ResourceId, Step, Work};

/// The program of a job of this WCET with these sections; `None` if they do not fit.
pub(super) fn spread(wcet: u64, sections: &[(ResourceId, u32, u64)]) -> Option<Vec<Step>> {
    if sections.is_empty() {
        return Some(Vec::new());
    }
    let within = sections.iter().try_fold(0u64, |sum, (_, _, length)| sum.checked_add(*length))?;
    let plain = u128::from(wcet.checked_sub(within)?);
    let until = |part: usize| (plain * part as u128 / (sections.len() as u128 + 1)) as u64;
    let execute = |ns: u64| (ns > 0).then_some(Step::Execute(Work::from_ns(ns)));
    let mut program = Vec::new();
    for (index, (resource, units, length)) in sections.iter().enumerate() {
        program.extend(execute(until(index + 1) - until(index)));
        program.push(Step::Request(*resource, *units));
        program.extend(execute(*length));
        program.push(Step::Release(*resource, *units));
    }
    program.extend(execute(until(sections.len() + 1) - until(sections.len())));
    Some(program)
}
