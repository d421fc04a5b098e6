//! Checks whether a job can have a program that was made from records: a stored trace comes from anywhere, and the
//! simulator asserts that sections begin and end.

use schedlab_model::Step;

/// False if no job can have these steps, where `drawn`, its program in the scenario, bounds how deep requests nest.
/// `units` are those of each resource.
pub(crate) fn can_be(steps: &[Step], drawn: &[Step], units: &[u32]) -> bool {
    let Some(deepest) = depth(drawn, units) else { return true };
    depth(steps, units).is_some_and(|depth| depth <= deepest)
}

/// Returns the most resources that are held at once; `None` if a section does not begin or does not end.
fn depth(steps: &[Step], units: &[u32]) -> Option<usize> {
    let (mut held, mut deepest, mut protected) = (Vec::new(), 0, 0u32);
    for step in steps {
        match *step {
            Step::Execute(_) | Step::Serve(_) => {}
            Step::Suspend(_) => (protected == 0).then_some(())?,
            Step::NpEnter => protected += 1,
            Step::NpExit => protected = protected.checked_sub(1)?,
            Step::Request(resource, count) => {
                let is_free = held.iter().all(|(other, _)| *other != resource);
                let there_are = units.get(resource.index()).is_some_and(|all| (1..=*all).contains(&count));
                (is_free && there_are).then_some(())?;
                held.push((resource, count));
            }
            Step::Release(resource, count) => {
                let place = held.iter().position(|known| *known == (resource, count))?;
                held.remove(place);
            }
        }
        deepest = deepest.max(held.len());
    }
    (held.is_empty() && protected == 0).then_some(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, ResourceId};

    const R: ResourceId = ResourceId(0);
    const S: ResourceId = ResourceId(1);

    #[test]
    fn sections_begin_and_end_and_nest_as_deep_as_declared() {
        let (request, release) =
            (|resource| Step::Request(resource, 1), |resource| Step::Release(resource, 1));
        let pause = Step::Suspend(Duration::from_ns(1));
        let nested = [request(R), request(S), release(R), release(S)];
        let one = [request(R), pause, release(R)];
        let can = |steps: &[Step], drawn: &[Step]| can_be(steps, drawn, &[1, 1]);
        assert!(can(&one, &one) && can(&nested, &nested) && can(&one, &nested));
        assert!(!can(&nested, &one), "its program never nests");
        assert!(!can(&one, &[]), "its program never asks");
        assert!(can(&[Step::NpEnter, Step::NpEnter, Step::NpExit, Step::NpExit, pause], &[]));
        let never: [&[Step]; 8] = [
            &[release(R)],
            &[request(R)],
            &[request(R), request(R), release(R), release(R)],
            &[Step::Request(R, 2), Step::Release(R, 2)],
            &[request(ResourceId(2)), release(ResourceId(2))],
            &[Step::NpExit],
            &[Step::NpEnter],
            &[Step::NpEnter, pause, Step::NpExit],
        ];
        for steps in never {
            assert!(!can(steps, &nested), "{steps:?}");
        }
    }
}
