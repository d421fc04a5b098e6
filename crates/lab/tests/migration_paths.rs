//! What migrations cost by the caches that processors share: in simulation the path taken, in analysis the dearest
//! possible.

use schedlab_lab::{analyze, OverheadOutcome, Prepared};
use schedlab_model::{CpuId, Duration, JobId, OverheadKind};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;

const OVERHEADS: &str = "[overheads]\nall = { cache_related_preemption = \"2ns\", \
    cache_related_migration = { max = \"40ns\", mean = \"20ns\", paths = { L2 = \"5ns\", memory = \"40ns\" } } }\n";
const CACHES: &str = "caches = [{ level = 2, processors = [0, 1] }, { level = 2, processors = [2, 3] }]";

fn read(scheduler: &str, platform: &str, overheads: &str) -> Scenario {
    let tasks: String = [(30, 70), (40, 90), (50, 110), (60, 130), (45, 140), (70, 210), (80, 230)]
        .iter()
        .enumerate()
        .map(|(index, (wcet, period))| {
            format!("[[task]]\nname = \"t{index}\"\nwcet = \"{wcet}ns\"\nperiod = \"{period}ns\"\n")
        })
        .collect();
    let text = format!(
        "schedlab = 1\nscheduler = \"{scheduler}\"\nhorizon = \"20us\"\n\
         platform = {{ processors = 4, cluster_size = 2{platform} }}\n{overheads}{tasks}"
    );
    Scenario::parse("paths.toml", &text).unwrap()
}

/// By what each took: from which processor to which jobs migrated and loaded all of their working set.
fn reloads(scenario: &Scenario) -> BTreeMap<Duration, Vec<(CpuId, CpuId)>> {
    let mut timeline = Timeline::default();
    Prepared::new(scenario).unwrap().simulate(&mut timeline, &mut |_| true).unwrap();
    let (mut last, mut begun) = (BTreeMap::<JobId, CpuId>::new(), BTreeMap::new());
    let mut found: BTreeMap<Duration, Vec<(CpuId, CpuId)>> = BTreeMap::new();
    for (index, (at, record)) in timeline.records.iter().enumerate() {
        match *record {
            Record::Dispatch { cpu, job } => {
                if let Some(from) = last.insert(job, cpu) {
                    begun.insert(cpu, (from, *at));
                }
            }
            Record::OverheadEnd { cpu, kind: OverheadKind::CacheRelatedMigration, .. } => {
                let (from, since) = begun[&cpu];
                // One that is preempted meanwhile starts over later.
                let cut = timeline.records[index..].iter().take_while(|(then, _)| then == at);
                let is_cut =
                    |record: &Record| matches!(record, Record::Preempt { cpu: of, .. } if *of == cpu);
                if !cut.clone().any(|(_, record)| is_cut(record)) {
                    found.entry(*at - since).or_default().push((from, cpu));
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn a_simulated_migration_costs_as_its_path() {
    let found = reloads(&read("G-EDF", &format!(", {CACHES}"), OVERHEADS));
    let lengths: Vec<u64> = found.keys().map(|length| length.as_ns()).collect();
    assert_eq!(lengths, [5, 40], "{found:?}");
    let near = |(from, to): &(CpuId, CpuId)| from.0 / 2 == to.0 / 2;
    assert!(found[&Duration::from_ns(5)].iter().all(near));
    assert!(!found[&Duration::from_ns(40)].iter().any(near));
}

/// Caches may stand with the overheads of the machine that was measured; those of the platform go before them.
#[test]
fn overheads_may_say_the_caches() {
    let of_machine = OVERHEADS.replace("[overheads]", &format!("[overheads]\n{CACHES}"));
    let by_platform = reloads(&read("G-EDF", &format!(", {CACHES}"), OVERHEADS));
    assert_eq!(reloads(&read("G-EDF", "", &of_machine)), by_platform);
    let unknown = reloads(&read("G-EDF", "", OVERHEADS));
    assert_eq!(unknown.keys().map(|length| length.as_ns()).collect::<Vec<_>>(), [40]);
    let none = ", caches = [{ level = 1, processors = [0] }, { level = 1, processors = [1] }, \
                { level = 1, processors = [2] }, { level = 1, processors = [3] }]";
    assert_eq!(reloads(&read("G-EDF", none, &of_machine)), unknown);
}

#[test]
fn analysis_charges_the_dearest_path_within_a_cluster() {
    let costs = |scheduler, platform: &str| -> Vec<u64> {
        let prepared = Prepared::new(&read(scheduler, platform, OVERHEADS)).unwrap();
        let answers = analyze(&prepared).unwrap();
        let OverheadOutcome::Inflated(tasks) = answers.overheads else { panic!("they fit") };
        tasks.iter().map(|task| task.wcet.as_ns()).collect()
    };
    let text = format!(", {CACHES}");
    let (near, far, unknown) = (costs("C-EDF", &text), costs("G-EDF", &text), costs("C-EDF", ""));
    assert_eq!(near.iter().zip(&unknown).map(|(near, unknown)| unknown - near).collect::<Vec<_>>(), [35; 7]);
    assert_eq!(far, costs("G-EDF", ""));
}

#[test]
fn the_written_file_reads_back() {
    let of_machine = OVERHEADS.replace("[overheads]", &format!("[overheads]\n{CACHES}"));
    let scenario = read("C-EDF", &format!(", {CACHES}"), &of_machine);
    assert_eq!(Scenario::parse("again.toml", &scenario.to_toml()).unwrap(), scenario);
}
