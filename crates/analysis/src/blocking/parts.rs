//! Critical sections of others of which a bound on blocking consists.
//!
//! A bound is a sum of sections, each as often as it may delay the job, and its method chooses the worst. Its choice
//! shows in how the bound grows with the length of a section: by 2 ns if a section that is 1 ns longer delays the job
//! twice. Therefore each section in turn is lengthened by 1 ns, and the method bounds again how long each task is
//! delayed. Of sections that are equally long, the first counts: once it is longer, the other one does not matter. If
//! the lengths, each as often as it counts, add up to the bound, these sections are its parts. Otherwise no parts are
//! given: a bound may be rounded, or costs and spinning may count in it, too.

use super::methods::METHODS;
use super::retry::beside_locks::WithRetries;
use super::{Case, DelayingSection, Method, Requests, Sections, Sharing, Terms};
use schedlab_model::{ResourceId, Step, Task, TaskId};

/// Most different sections for which a bound is taken apart.
const MOST: usize = 128;

/// By task: the sections that make up its part of the bound `terms` by `method` for `case`. Empty where they are not
/// known.
pub fn of_terms(method: &str, case: &Case<'_>, terms: &[Terms]) -> Vec<Vec<DelayingSection>> {
    let none = vec![Vec::new(); terms.len()];
    let Some(method) = METHODS.iter().find(|known| known.test.name == method) else { return none };
    let with = match WithRetries::of(case) {
        None => None,
        Some(Ok(with)) => Some(with),
        Some(Err(_)) => return none,
    };
    let retries = |task: usize| with.as_ref().map_or(Some(0), |with| with.retries[task].total());
    let of_locks = |(task, terms): (usize, &Terms)| terms.total()?.checked_sub(retries(task)?);
    let totals: Vec<Option<u64>> = terms.iter().enumerate().map(of_locks).collect();
    let case = with.as_ref().map_or(*case, |with| with.case(case));
    match case.sharing(method.sections) {
        Ok(sharing) => take_apart(method, &case, &sharing, &totals),
        Err(_) => none,
    }
}

/// By task: the sections that make up the bound of `method` for `sharing`; empty where they are not known.
pub(crate) fn take_apart(
    method: &Method,
    case: &Case<'_>,
    sharing: &Sharing,
    totals: &[Option<u64>],
) -> Vec<Vec<DelayingSection>> {
    let mut found = vec![Vec::new(); totals.len()];
    let sections = sections(sharing);
    // A linear program takes long, and is not asked again and again.
    let is_asked = sections.len() <= MOST && METHODS.iter().any(|known| std::ptr::eq(known, method));
    // A group is called by one of its resources, which need not be the section's.
    if !is_asked || (method.sections == Sections::Groups && case.tasks.iter().any(nests)) {
        return found;
    }
    let mut longer = sharing.clone();
    let mut before = totals.to_vec();
    for (place, kind, section) in sections {
        *kind.length(&mut longer.requests_mut()[place]) += 1;
        let after: Vec<_> = (method.judge)(case, &longer).terms.iter().map(|terms| terms.total()).collect();
        for ((found, before), after) in found.iter_mut().zip(&before).zip(&after) {
            let count = after.zip(*before).and_then(|(after, before)| after.checked_sub(before));
            match count {
                Some(0) => {}
                Some(count) => found.push(DelayingSection { count, ..section }),
                // A longer section makes no bound shorter; one that does is not of this kind.
                None => found.push(DelayingSection { length: u64::MAX, ..section }),
            }
        }
        before = after;
    }
    for (found, total) in found.iter_mut().zip(totals) {
        let sum = found.iter().map(DelayingSection::total).fold(0, u64::saturating_add);
        if Some(sum) != *total {
            found.clear();
        }
        found.sort_by_key(|section: &DelayingSection| std::cmp::Reverse(section.total()));
    }
    found
}

/// True if a job requests something while it holds something.
fn nests(task: &Task) -> bool {
    let mut held = 0u32;
    task.program.iter().any(|step| match step {
        Step::Request(..) => {
            held += 1;
            held > 1
        }
        Step::Release(..) => {
            held = held.saturating_sub(1);
            false
        }
        Step::Execute(_) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => false,
    })
}

/// A kind of request.
#[derive(Clone, Copy)]
enum Kind {
    Write,
    Read,
}

impl Kind {
    fn length(self, requests: &mut Requests) -> &mut u64 {
        match self {
            Kind::Write => &mut requests.write_length,
            Kind::Read => &mut requests.read_length,
        }
    }
}

/// The longest section of each task, resource and kind, with its place among all requests.
fn sections(sharing: &Sharing) -> Vec<(usize, Kind, DelayingSection)> {
    let tasks = 0..sharing.tasks().len();
    let owned = tasks.flat_map(|task| sharing.requests(task).iter().map(move |requests| (task, requests)));
    let mut found = Vec::new();
    for (place, (task, requests)) in owned.enumerate() {
        let (task, resource) = (TaskId(task as u32), ResourceId(requests.resource));
        let kinds = [
            (Kind::Write, requests.writes, requests.write_length),
            (Kind::Read, requests.reads, requests.read_length),
        ];
        for (kind, count, length) in kinds {
            if count > 0 {
                found.push((place, kind, DelayingSection { task, resource, length, count: 1 }));
            }
        }
    }
    found
}
