//! The profiles that come with schedlab.

use super::OverheadProfile;
use std::sync::OnceLock;

/// A profile, which is read at its first use: every scenario has one, and batches have many scenarios.
pub(super) struct Shipped {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    pub(super) profile: OnceLock<OverheadProfile>,
}

impl Shipped {
    const fn new(name: &'static str, text: &'static str) -> Shipped {
        Shipped { name, text, profile: OnceLock::new() }
    }
}

/// The name of no overheads at all.
pub const NO_OVERHEADS: &str = "none";

/// The shipped profiles. The values of a text never change: other values get another name.
static SHIPPED: [Shipped; 5] = [
    Shipped::new(NO_OVERHEADS, include_str!("none.toml")),
    Shipped::new("paper-2008-4k", include_str!("paper-2008-4k.toml")),
    Shipped::new("paper-2008-objects", include_str!("paper-2008-objects.toml")),
    Shipped::new("paper-2020-epos", include_str!("paper-2020-epos.toml")),
    Shipped::new("fitted-2011-amd", include_str!("fitted-2011-amd.toml")),
];

/// The shipped profile of this name.
pub(super) fn named(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|known| known.name == name)
}

/// The names of the shipped profiles.
pub fn shipped_names() -> impl Iterator<Item = &'static str> + Clone {
    SHIPPED.iter().map(|known| known.name)
}

#[cfg(test)]
mod tests {
    use crate::overheads::shipped;
    use schedlab_model::{OverheadKind, Statistic};

    /// Table 1 of block-or-not-2008, row by row, evaluated for 10, 50 and 100 tasks.
    #[test]
    fn the_2008_profile_is_table_1() {
        use OverheadKind::*;
        let profile = shipped("paper-2008-4k").unwrap();
        let rows: [(&str, OverheadKind, u64, [u64; 3]); 14] = [
            ("P-EDF", CacheRelatedPreemption, 15_700, [42_000; 3]),
            ("G-EDF", CacheRelatedPreemption, 15_700, [42_000; 3]),
            ("P-EDF", CacheRelatedMigration, 0, [0; 3]),
            ("G-EDF", CacheRelatedMigration, 15_800, [44_000; 3]),
            ("P-EDF", ContextSwitch, 2_650, [9_250; 3]),
            ("G-EDF", ContextSwitch, 2_500, [9_030; 3]),
            ("P-EDF", Scheduling, 2_880, [11_380; 3]),
            ("G-EDF", Scheduling, 4_310, [23_710, 26_710, 30_460]),
            ("P-EDF", Tick, 4_450, [9_540; 3]),
            ("G-EDF", Tick, 4_340, [8_700, 11_380, 14_730]),
            ("P-EDF", SyscallEntry, 310, [340; 3]),
            ("G-EDF", SyscallEntry, 310, [340; 3]),
            ("P-EDF", SyscallExit, 540, [890; 3]),
            ("G-EDF", SyscallExit, 540, [890; 3]),
        ];
        for (scheduler, kind, mean, max) in rows {
            let charged = profile.charged(scheduler, "none");
            let at = |statistic, tasks| charged.overheads.evaluate(kind, statistic, tasks, 4_096).as_ns();
            assert_eq!(at(Statistic::Mean, 50), mean, "{scheduler} {kind:?}");
            assert_eq!([10, 50, 100].map(|tasks| at(Statistic::Max, tasks)), max, "{scheduler} {kind:?}");
            assert_eq!(charged.borrowed_from, None);
        }
    }

    #[test]
    fn lock_rows_of_table_1() {
        let profile = shipped("paper-2008-4k").unwrap();
        for (protocol, acquire, release) in [
            ("FMLP-long", [5_040, 1_020], [12_710, 950]),
            ("FMLP-short", [2_000, 170], [870, 90]),
            ("SRP", [4_480, 1_070], [8_010, 1_290]),
        ] {
            let charged = profile.charged("P-EDF", protocol);
            for (kind, values) in [(OverheadKind::LockAcquire, acquire), (OverheadKind::LockRelease, release)]
            {
                let at = |statistic| charged.overheads.evaluate(kind, statistic, 1, 0).as_ns();
                assert_eq!([at(Statistic::Max), at(Statistic::Mean)], values, "{protocol} {kind:?}");
            }
        }
        assert_eq!(profile.unmodelled.keys().collect::<Vec<_>>(), ["leaving_np_section"]);
    }

    #[test]
    fn what_the_paper_lacks_is_unknown_by_name_and_borrowing_shows() {
        let profile = shipped("paper-2008-4k").unwrap();
        let charged = profile.charged("NG-EDF", "none");
        assert_eq!(charged.borrowed_from.as_deref(), Some("G-EDF"));
        use OverheadKind::*;
        for statistic in [Statistic::Max, Statistic::Mean] {
            let unknown: Vec<OverheadKind> = charged.unknown(statistic).collect();
            assert_eq!(unknown, [Release, Ipi, LockAcquire, LockRelease]);
        }
        assert_eq!(profile.charged("P-RM", "none").borrowed_from.as_deref(), Some("P-EDF"));
        assert_eq!(profile.charged("NP-FIFO", "none").borrowed_from.as_deref(), Some("P-EDF"));
        for global in ["gMUA", "G-GUA", "NG-GUA", "C-gMUA", "NG-HVDF"] {
            assert_eq!(profile.charged(global, "none").borrowed_from.as_deref(), Some("G-EDF"), "{global}");
        }
        assert_eq!(profile.charged("P-LBESA", "none").borrowed_from.as_deref(), Some("P-EDF"));
        assert_eq!(profile.charged("PD2", "none").borrowed_from, None);
    }

    /// Table 2 of block-or-not-2008, row by row, evaluated for 2 and 32 tasks that share the object; all else is table
    /// 1.
    #[test]
    fn the_2008_profile_of_objects_is_table_2() {
        use schedlab_model::ObjectKind::{Buffer, Heap, Queue};
        use schedlab_model::Scheme::{LockFree, Locked, WaitFree};
        let profile = shipped("paper-2008-objects").unwrap();
        let rows = [
            (Buffer, Locked, [380, 380], [670, 670]),
            (Buffer, LockFree, [840, 840], [1_140, 1_440]),
            (Buffer, WaitFree, [2_640, 2_940], [5_830, 11_830]),
            (Queue, Locked, [320, 320], [580, 580]),
            (Queue, LockFree, [660, 660], [1_250, 1_250]),
            (Queue, WaitFree, [11_970, 11_970], [14_850, 35_250]),
            (Heap, Locked, [1_040, 1_040], [2_600, 2_600]),
            (Heap, LockFree, [11_390, 12_590], [19_610, 22_310]),
            (Heap, WaitFree, [16_440, 18_840], [39_200, 113_900]),
        ];
        for (kind, scheme, mean, max) in rows {
            let at = |statistic, tasks| profile.access(kind, scheme, statistic, tasks).unwrap().as_ns();
            assert_eq!([2, 32].map(|tasks| at(Statistic::Mean, tasks)), mean, "{kind:?} {scheme:?}");
            assert_eq!([2, 32].map(|tasks| at(Statistic::Max, tasks)), max, "{kind:?} {scheme:?}");
        }
        let table_1 = shipped("paper-2008-4k").unwrap();
        assert_eq!(profile.charged("G-EDF", "FMLP-short"), table_1.charged("G-EDF", "FMLP-short"));
        assert_eq!(table_1.access(Buffer, Locked, Statistic::Max, 2), None);
    }

    /// The text of resource-protocols-2020 bounds P and V together, and a context switch; it gives nothing else.
    #[test]
    fn the_2020_profile_is_what_the_text_bounds() {
        use OverheadKind::*;
        // All but pushes and pulls.
        const OF_ALL: usize = OverheadKind::ALL.len() - 2;
        let profile = shipped("paper-2020-epos").unwrap();
        for (scheduler, protocol) in [("P-RM", "PCP"), ("P-EDF", "SRP"), ("P-RM", "MPCP"), ("P-EDF", "MSRP")]
        {
            let charged = profile.charged(scheduler, protocol);
            let at = |kind| charged.overheads.evaluate(kind, Statistic::Max, 20, 0).as_ns();
            assert_eq!((at(LockAcquire) + at(LockRelease), at(ContextSwitch)), (4_000, 300), "{protocol}");
            let unknown: Vec<OverheadKind> = charged.unknown(Statistic::Max).collect();
            assert!(!unknown.contains(&LockAcquire) && unknown.len() == OF_ALL - 3, "{unknown:?}");
            assert_eq!(charged.unknown(Statistic::Mean).count(), OF_ALL);
        }
    }

    /// Table II of chronos-scalability-2011 in ticks of 1.7 GHz; what is fitted says so.
    #[test]
    fn the_2011_profile_has_table_2_and_names_what_is_fitted() {
        let profile = shipped("fitted-2011-amd").unwrap();
        let found = |name| {
            let known = profile.charged(name, "none").decisions.unwrap();
            (known.costs.migration.as_ns(), known.in_words())
        };
        let ticks = |ticks: u64| (ticks * 10 + 8) / 17;
        let stopped = (ticks(14_866), "stop-the-world; fitted: hand_over, access".to_owned());
        for name in ["G-EDF", "G-RM", "C-EDF", "gMUA"] {
            assert_eq!(found(name), stopped, "{name}");
        }
        for name in ["G-FIFO", "NG-EDF", "NG-HVDF"] {
            let fitted = "concurrent; fitted: hand_over, release, scheduling".to_owned();
            assert_eq!(found(name), (ticks(4_516), fitted), "{name}");
        }
        for name in ["P-EDF", "P-RM", "SCHED_FIFO"] {
            assert!(profile.charged(name, "none").decisions.is_none(), "{name}");
        }
    }

    #[test]
    fn none_is_known_to_be_none() {
        let charged = shipped("none").unwrap().charged("P-EDF", "none");
        assert!(charged.overheads.are_none());
        let lacking: Vec<&str> = charged.unknown(Statistic::Max).map(OverheadKind::name).collect();
        assert_eq!(lacking, [""; 0], "none.toml has the line `KIND = \"not applicable\"` for each kind");
        assert_eq!(shipped("none").unwrap().charged("SCHED_FIFO", "none").unknown(Statistic::Max).count(), 0);
        assert!(shipped("nothing").is_none());
    }
}
