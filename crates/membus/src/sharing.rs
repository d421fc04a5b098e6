//! Programs that have their lines for themselves.
//!
//! A line that only one processor ever touches is never taken away by another one. Therefore that processor may look
//! ahead.

use crate::machine::Machine;

/// By program: true if no processor but one ever touches any of its lines.
pub(crate) fn private(machine: &Machine) -> Vec<bool> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); machine.programs.len()];
    for (processor, stretches) in machine.processors.iter().enumerate() {
        for program in stretches.iter().filter_map(|stretch| stretch.program) {
            if users[program].last() != Some(&processor) {
                users[program].push(processor);
            }
        }
    }
    let spans: Vec<_> =
        machine.programs.iter().map(|program| program.lines(machine.cache.line_bytes)).collect();
    let mut by_first: Vec<usize> = (0..spans.len()).filter(|program| !users[*program].is_empty()).collect();
    by_first.sort_unstable_by_key(|program| spans[*program]);
    let mut private = vec![false; spans.len()];
    // Overlapping arrays form groups: a group ends where the next array begins behind all of its lines.
    let mut group: Vec<usize> = Vec::new();
    let mut end = 0;
    for program in by_first {
        let (first, last) = spans[program];
        if first > end {
            judge(&group, &users, &mut private);
            group.clear();
        }
        end = end.max(last);
        group.push(program);
    }
    judge(&group, &users, &mut private);
    private
}

fn judge(group: &[usize], users: &[Vec<usize>], private: &mut [bool]) {
    let mut all = group.iter().flat_map(|program| &users[*program]);
    let Some(one) = all.next() else { return };
    if all.all(|other| other == one) {
        group.iter().for_each(|program| private[*program] = true);
    }
}
