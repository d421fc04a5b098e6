//! What a scenario may have, by name, and which two of them cannot be had together.

use super::scene::Scene;
use super::task::{Less, Part, SceneTask, When};
use schedlab_lock::{Ceilings, Protocol, Reach, Waiting};

/// A name, and whether a scene has what it says.
pub type Feature = (&'static str, fn(&Scene) -> bool);

/// The name of the feature that only a placement has.
pub(super) const SPLIT: &str = "split tasks";

/// Every feature, in the order of the table.
pub const FEATURES: &[Feature] = &[
    ("partitioned", |scene| scope(scene) == "P"),
    ("even clusters", |scene| scope(scene) == "C" && !uneven(scene)),
    ("uneven clusters", |scene| scope(scene) == "C" && uneven(scene)),
    ("global", |scene| scope(scene) == "G"),
    ("EDF", |scene| order(scene) == "EDF"),
    ("fixed priorities", |scene| ["RM", "DM", "FP"].contains(&order(scene))),
    ("FIFO", |scene| order(scene) == "FIFO"),
    ("FL", |scene| order(scene) == "FL"),
    ("GEL", |scene| order(scene) == "GEL"),
    ("Pfair", |scene| scene.is_pfair() && !scene.staggered),
    ("S-PD2", |scene| scene.is_pfair() && scene.staggered),
    ("guaranteed weights", |scene| scene.guaranteed),
    ("supertasks", |scene| any(scene, |task| task.supertask.is_some()) && scene.is_pfair()),
    (SPLIT, |scene| scene.split.is_some()),
    ("non-preemptive", |scene| scene.scheduler.starts_with('N')),
    ("offsets", |scene| any(scene, |task| task.offset > 0)),
    ("sporadic arrivals", |scene| any(scene, |task| matches!(task.when, When::Sporadic(_)))),
    ("arrival lists", |scene| any(scene, |task| matches!(task.when, When::Listed(_)))),
    ("constrained deadlines", |scene| any(scene, |task| task.relative_deadline < task.period)),
    ("arbitrary deadlines", |scene| any(scene, |task| task.relative_deadline > task.period)),
    ("jitter", |scene| any(scene, |task| task.jitter > 0)),
    ("dynamic suspension", |scene| any(scene, |task| task.suspension > 0)),
    ("segmented suspension", |scene| has(scene, |part| matches!(part, Part::Suspend(_)))),
    ("non-preemptive sections", |scene| has(scene, |part| matches!(part, Part::NonPreemptive(_)))),
    ("costs below the WCET", |scene| any(scene, |task| task.less != Less::Never)),
    ("joins and leaves", |scene| any(scene, |task| task.stay.is_some())),
    ("changes of weight", |scene| any(scene, |task| task.change.is_some())),
    ("overload", is_overload),
    ("overheads", |scene| scene.overheads.iter().any(|(_, length)| *length > 0)),
    ("releases at ticks", |scene| scene.ticks),
    ("staggered ticks", |scene| scene.staggered && !scene.is_pfair()),
    ("local protocols", |scene| protocol(scene, |known| known.reach == Reach::Local)),
    ("spin locks", |scene| protocol(scene, |known| spins(known) && !reads(known) && !quanta(known))),
    ("reader-writer locks", |scene| protocol(scene, reads)),
    ("semaphores", |scene| {
        protocol(scene, |known| !spins(known) && known.reach != Reach::Local && !quanta(known))
    }),
    ("locks of Pfair", |scene| protocol(scene, quanta)),
    ("nested sections", |scene| has(scene, |part| matches!(part, Part::Section { inner: Some(_), .. }))),
    ("several units", |scene| scene.resources.iter().any(|(units, _)| *units == 2)),
];

/// Features that a scene has one of.
const EXCLUSIVE: &[&[&str]] = &[
    &["partitioned", "even clusters", "uneven clusters", "global"],
    &["EDF", "fixed priorities", "FIFO", "FL", "GEL", "Pfair", "S-PD2"],
    &["local protocols", "spin locks", "reader-writer locks", "semaphores", "locks of Pfair"],
];

/// Everything of the first list is refused with everything of the second, for this reason.
pub type Refused = (&'static [&'static str], &'static [&'static str], &'static str);

const OF_PFAIR: &[&str] = &["Pfair", "S-PD2", "guaranteed weights", "supertasks", "locks of Pfair"];

/// What is refused by design.
pub const REFUSED: &[Refused] = &[
    (
        OF_PFAIR,
        &["partitioned", "even clusters", "uneven clusters", "non-preemptive", SPLIT, "staggered ticks"],
        "Pfair schedulers are global and preemptive, and their ticks are their quanta",
    ),
    (OF_PFAIR, &["EDF", "fixed priorities", "FIFO", "FL", "GEL"], "jobs or windows are ordered"),
    (
        &[SPLIT],
        &[
            "even clusters",
            "uneven clusters",
            "global",
            "fixed priorities",
            "FIFO",
            "FL",
            "GEL",
            "non-preemptive",
        ],
        "pieces are scheduled by preemptive EDF on each processor",
    ),
    (
        &[SPLIT],
        &[
            "jitter",
            "dynamic suspension",
            "segmented suspension",
            "releases at ticks",
            "non-preemptive sections",
        ],
        "a piece begins where the one before has to be done",
    ),
    (
        &[SPLIT],
        &[
            "local protocols",
            "spin locks",
            "reader-writer locks",
            "semaphores",
            "nested sections",
            "several units",
        ],
        "a piece of a section is none",
    ),
    (&["local protocols"], &["uneven clusters"], "each cluster has to be one processor"),
    (
        &["reader-writer locks", "locks of Pfair"],
        &["nested sections"],
        "no published protocol of the kind nests",
    ),
    (&["locks of Pfair"], &["several units"], "zones, servers and objects are of one unit"),
];

fn scope(scene: &Scene) -> &str {
    scene.scheduler.trim_start_matches('N').split_once('-').map_or("G", |(scope, _)| match scope {
        "P" | "C" => scope,
        // Pfair schedulers have names such as S-PD2.
        _ => "G",
    })
}

fn order(scene: &Scene) -> &str {
    if scene.is_pfair() {
        return "";
    }
    scene.scheduler.rsplit('-').next().unwrap_or_default()
}

fn uneven(scene: &Scene) -> bool {
    scene.clusters.iter().any(|cpus| cpus.len() != scene.clusters[0].len())
}

fn any(scene: &Scene, has: impl Fn(&SceneTask) -> bool) -> bool {
    scene.tasks.iter().any(has)
}

fn has(scene: &Scene, is: impl Fn(&Part) -> bool + Copy) -> bool {
    any(scene, |task| task.program.iter().any(is))
}

fn is_overload(scene: &Scene) -> bool {
    (0..scene.cluster_count()).any(|cluster| {
        let here = scene.tasks.iter().filter(|task| task.cluster == cluster);
        let share = |task: &SceneTask| task.wcet() as f64 / task.period as f64;
        here.map(share).sum::<f64>() > scene.size(cluster) as f64
    })
}

fn protocol(scene: &Scene, is: impl Fn(&Protocol) -> bool) -> bool {
    scene.protocol.is_some_and(is) && has(scene, |part| matches!(part, Part::Section { .. }))
}

fn spins(protocol: &Protocol) -> bool {
    protocol.waiting == Waiting::Spins && protocol.reach != Reach::Local
}

fn reads(protocol: &Protocol) -> bool {
    protocol.name.starts_with("rw-")
}

fn quanta(protocol: &Protocol) -> bool {
    protocol.ceilings == Ceilings::Quanta
}

/// Why no scenario has both; `None` if some may.
pub fn refused(a: &str, b: &str) -> Option<&'static str> {
    let both = |first: &[&str], second: &[&str]| first.contains(&a) && second.contains(&b);
    let pair = REFUSED.iter().find(|(first, second, _)| both(first, second) || both(second, first));
    let exclusive = EXCLUSIVE.iter().any(|group| group.contains(&a) && group.contains(&b));
    pair.map(|(_, _, why)| *why).or(exclusive.then_some("a scenario has one of them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_of_a_feature() {
        let known = |name: &&str| FEATURES.iter().any(|(feature, _)| feature == name);
        let named = REFUSED.iter().flat_map(|(a, b, _)| a.iter().chain(*b));
        for name in named.chain(EXCLUSIVE.iter().copied().flatten()) {
            assert!(known(name), "{name}");
        }
    }
}
