//! Blocking bounds: the golden family `locking`, number by number, and the published examples.

use flate2::read::GzDecoder;
use schedlab_analysis::blocking::*;
use schedlab_analysis::steps::Unwatched;
use schedlab_analysis::Budget;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};

fn records() -> impl Iterator<Item = Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/vectors/locking.jsonl.gz");
    let file = File::open(path).expect("the golden vectors are part of the project");
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

/// The tasks of a record; `size` processors in each cluster, 0 for one cluster.
fn sharing(record: &Value, edf: bool, size: u64) -> Sharing {
    let m = record["m"].as_u64().unwrap();
    let clusters = if size == 0 { 1 } else { m.div_ceil(size) };
    let tasks: Vec<Vec<u64>> = record["tasks"].as_array().unwrap().iter().map(numbers).collect();
    let partition = numbers(&record["partition"]);
    let mut deadlines: Vec<u64> = tasks.iter().map(|task| task[2]).collect();
    deadlines.sort_unstable();
    deadlines.dedup();
    let resources = record["generator"]["nres"].as_u64().unwrap() as usize;
    let mut sharing = Sharing::new(clusters as u32, vec![1; resources]);
    for (index, task) in tasks.iter().enumerate() {
        let rank = deadlines.partition_point(|deadline| *deadline < task[2]);
        let sharer = Sharer {
            cost: task[0],
            period: task[1],
            relative_deadline: task[2],
            cluster: partition[index].checked_div(size).unwrap_or(0) as u32,
            level: if edf { rank } else { index } as u32,
        };
        let request = |row: &Value| {
            let row = numbers(row);
            Requests {
                resource: row[0] as u32,
                writes: row[1] as u32,
                write_length: row[2],
                reads: row[3] as u32,
                read_length: row[4],
                units: 1,
            }
        };
        let requests: Vec<Requests> =
            record["requests"][index].as_array().unwrap().iter().map(request).collect();
        sharing.push(sharer, &requests).unwrap();
    }
    sharing
}

type Bound = fn(&Sharing, &[u64], u32) -> Vec<Terms>;

/// Key, processors in a cluster (0: all in one), the bound, the names of its parts.
const BOUNDS: &[(&str, u64, Bound, &str, &str)] = &[
    ("clust_omlp_c2", 2, |s, r, _| clustered_omlp::bounds(s, r, 2), "", "arrival"),
    ("dpcp", 1, |s, r, m| dpcp::bounds(s, r, &dpcp::in_turn(s.units().len(), m)), "remote", "local"),
    ("fmlp_plus", 1, |s, r, _| fmlp_plus::bounds(s, r, true), "remote", "local"),
    ("fmlp_plus_np", 1, |s, r, _| fmlp_plus::bounds(s, r, false), "remote", "local"),
    ("global_fmlp_sob", 0, |s, r, _| global_fmlp::bounds(s, r), "", ""),
    ("global_omlp", 0, global_omlp::bounds, "", ""),
    ("global_pip", 0, global_pip::bounds, "", "local"),
    ("mpcp", 1, |s, r, _| mpcp::bounds(s, r, false), "remote", "local"),
    ("mpcp_vs", 1, |s, r, _| mpcp::bounds(s, r, true), "remote", "local"),
    ("msrp_classic", 1, |s, _, _| msrp_classic::bounds(s), "remote", "local"),
    ("msrp_holistic", 1, |s, r, _| msrp_holistic::bounds(s, r), "remote", "arrival"),
    ("part_omlp", 1, |s, r, _| clustered_omlp::bounds(s, r, 1), "", "arrival"),
    ("ppcp", 0, ppcp::bounds, "", "local"),
    ("tf_mutex_c1", 1, |s, r, _| task_fair_mutex::bounds(s, r, 1), "", "arrival"),
    ("tf_mutex_global", 0, task_fair_mutex::bounds, "", "arrival"),
    ("rw.tf_rw_c1", 1, |s, r, _| rw_task_fair::bounds(s, r, 1), "", "arrival"),
    ("rw.pf_rw_c1", 1, |s, r, _| rw_phase_fair::bounds(s, r, 1), "", "arrival"),
];

#[test]
fn golden_bounds_agree_number_by_number() {
    let mut checked = vec![0; BOUNDS.len()];
    let mut wrong = Vec::new();
    for record in records() {
        let m = record["m"].as_u64().unwrap() as u32;
        let responses = numbers(&record["pending_interval"]);
        for (index, (key, size, bound, remote, local)) in BOUNDS.iter().enumerate() {
            for order in ["fp", "edf"] {
                let found = key.split('.').fold(&record["results"][order], |value, part| &value[part]);
                if found.is_null() {
                    continue;
                }
                let terms = bound(&sharing(&record, order == "edf", *size), &responses, m);
                let column = |of: &dyn Fn(&Terms) -> Option<u64>| -> Value {
                    terms.iter().map(of).collect::<Vec<_>>().into()
                };
                let mut parts = vec![("blocking", column(&|terms| terms.total()))];
                parts.extend((!remote.is_empty()).then(|| (*remote, column(&|terms| terms.remote))));
                parts.extend((!local.is_empty()).then(|| (*local, column(&|terms| Some(terms.local)))));
                for (part, ours) in parts {
                    if found[part] != ours {
                        wrong.push(format!(
                            "{} {order}.{key}.{part}: {} not {ours}",
                            record["id"], found[part]
                        ));
                    }
                }
                checked[index] += 1;
            }
        }
    }
    for ((key, ..), count) in BOUNDS.iter().zip(&checked) {
        println!("{key}: {count} agree");
    }
    assert!(wrong.is_empty(), "{} differ, such as\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    assert!(checked.iter().all(|count| *count >= 200), "{checked:?}");
}

fn example(id: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/worked_examples.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut examples = all["examples"].as_array().unwrap().iter();
    examples.find(|example| example["id"] == id).unwrap().clone()
}

fn remote(terms: &[Terms]) -> Vec<u64> {
    terms.iter().map(|terms| terms.remote.unwrap()).collect()
}

fn local(terms: &[Terms]) -> Vec<u64> {
    terms.iter().map(|terms| terms.local).collect()
}

/// A task that requests some resources: period, cluster and level.
fn sharer(period: u64, cluster: u32, level: u32) -> Sharer {
    Sharer { cost: 0, period, relative_deadline: period, cluster, level }
}

#[test]
fn blocking_factors_of_the_textbook_on_one_processor() {
    let example = example("blocking-table");
    let mut sharing = Sharing::new(1, vec![1; 3]);
    for (index, row) in example["system"]["critical_sections"].as_array().unwrap().iter().enumerate() {
        let lengths = numbers(row).into_iter().enumerate().filter(|(_, length)| *length > 0);
        let requests: Vec<Requests> =
            lengths.map(|(r, length)| Requests::mutex(r as u32, 1, length)).collect();
        sharing.push(sharer(100_000, 0, index as u32), &requests).unwrap();
    }
    let expected = |key: &str| numbers(&example["expected"][key]);
    assert_eq!(local(&pip::bounds(&sharing)), expected("PIP_simple_min_rule"));
    assert_eq!(local(&pcp::bounds(&sharing)), expected("PCP"));
    assert_eq!(local(&srp::bounds(&sharing)), expected("SRP"));
    assert_eq!(local(&npcs::bounds(&sharing)), [9_000, 8_000, 6_000, 0]);
}

#[test]
fn ceilings_of_resources_with_several_units() {
    let example = example("srp-multiunit");
    let units = numbers(&example["system"]["units"]);
    let mut sharing = Sharing::new(1, units.iter().map(|units| *units as u32).collect());
    for (task, needs) in example["system"]["needs"].as_array().unwrap().iter().enumerate() {
        let needs = numbers(needs).into_iter().enumerate().filter(|(_, units)| *units > 0);
        let request =
            |(r, units)| Requests { units: units as u32, ..Requests::mutex(r as u32, 1, 5 - task as u64) };
        let requests: Vec<Requests> = needs.map(request).collect();
        sharing.push(sharer(100, 0, task as u32), &requests).unwrap();
    }
    for (resource, by_units) in example["expected"]["ceiling_by_available_units"].as_object().unwrap() {
        for (free, level) in by_units.as_object().unwrap() {
            let resource: u32 = resource[1..].parse().unwrap();
            let found = srp::ceiling(&sharing, resource - 1, free.parse().unwrap());
            // The book counts levels from below: 3 is the most urgent, 0 is no task's.
            assert_eq!(found.map_or(0, |level| 3 - u64::from(level)), level.as_u64().unwrap());
        }
    }
    assert_eq!(local(&srp::bounds(&sharing)), [4, 3, 0]);
}

/// Two units; the most urgent task needs one. One less urgent task alone leaves it one, two of them do not.
#[test]
fn a_section_blocks_only_if_less_urgent_tasks_can_hold_enough_units() {
    let system = |lower: u32| {
        let mut sharing = Sharing::new(1, vec![2]);
        for task in 0..=lower {
            sharing.push(sharer(100, 0, task), &[Requests::mutex(0, 1, 7)]).unwrap();
        }
        local(&srp::bounds(&sharing))
    };
    assert_eq!(system(1), [0, 0]);
    assert_eq!(system(2), [7, 0, 0]);
}

/// The tasks of an example whose sections are written `[resource, requests, length]`.
fn listed(example: &Value, clusters: u32) -> Sharing {
    let mut sharing = Sharing::new(clusters, vec![1]);
    for (index, task) in example["system"]["tasks"].as_array().unwrap().iter().enumerate() {
        let row = |row: &Value| Requests::mutex(0, row[1].as_u64().unwrap() as u32, row[2].as_u64().unwrap());
        let requests: Vec<Requests> = task["sections"].as_array().unwrap().iter().map(row).collect();
        let (period, cluster) = (task["T"].as_u64().unwrap(), task["cpu"].as_u64().unwrap() as u32);
        sharing.push(sharer(period, cluster, index as u32), &requests).unwrap();
    }
    sharing
}

fn periods(sharing: &Sharing) -> Vec<u64> {
    sharing.tasks().iter().map(|task| task.period).collect()
}

#[test]
fn msrp_spins_and_blocks_as_published() {
    let example = example("msrp-bounds");
    let sharing = listed(&example, 3);
    let found = msrp_classic::bounds(&sharing);
    assert_eq!(remote(&found), numbers(&example["expected"]["spin_total"]));
    assert_eq!(local(&found), numbers(&example["expected"]["arrival_blocking_classic"]));
    assert_eq!(remote(&msrp_holistic::bounds(&sharing, &periods(&sharing)))[4], 187);
}

#[test]
fn suspension_protocols_block_as_published() {
    let sharing = listed(&example("mpcp-bounds"), 5);
    let periods = periods(&sharing);
    let expected = |id: &str, key: &str| numbers(&example(id)["expected"][key]);
    assert_eq!(remote(&mpcp::bounds(&sharing, &periods, false)), expected("mpcp-bounds", "remote_blocking"));
    assert_eq!(
        remote(&fmlp_plus::bounds(&sharing, &periods, true)),
        expected("fmlp-bounds", "remote_blocking")
    );
    let distributed = dpcp::bounds(&sharing, &periods, &[1]);
    assert_eq!(remote(&distributed), expected("dpcp-bounds", "remote_blocking"));
    assert_eq!(local(&distributed), expected("dpcp-bounds", "local_blocking"));
    // First come, first served: one request of each other task.
    assert_eq!(remote(&dflp::bounds(&sharing, &periods, &[1])), [12_000, 10_000, 8_000, 0]);
}

#[test]
fn global_fmlp_waits_for_all_others_and_the_omlp_for_few() {
    let example = example("global-fmlp-omlp");
    let mut sharing = Sharing::new(1, vec![1]);
    for task in 0..6 {
        sharing.push(sharer(1_000_000, 0, task), &[Requests::mutex(0, 1, 10_000)]).unwrap();
    }
    let one = |terms: Vec<Terms>| terms[0].total().unwrap();
    let expected = |key: &str| example["expected"][key].as_u64().unwrap();
    assert_eq!(one(global_fmlp::bounds(&sharing, &periods(&sharing))), expected("FMLP_blocking"));
    assert_eq!(one(global_omlp::bounds(&sharing, &periods(&sharing), 2)), expected("OMLP_blocking"));
}

/// Two processors use the resource: a request takes two of the longest sections, 5, and the own one is part of the
/// cost.
#[test]
fn mrsp_takes_one_section_for_each_processor() {
    let mut sharing = Sharing::new(3, vec![1]);
    sharing.push(sharer(10, 0, 0), &[Requests::mutex(0, 2, 3)]).unwrap();
    sharing.push(sharer(20, 0, 1), &[]).unwrap();
    sharing.push(sharer(30, 0, 2), &[Requests::mutex(0, 1, 5)]).unwrap();
    sharing.push(sharer(40, 1, 3), &[Requests::mutex(0, 1, 4)]).unwrap();
    let found = mrsp::bounds(&sharing);
    assert_eq!(remote(&found), [14, 0, 5, 6]);
    assert_eq!(local(&found), [10, 10, 0, 0]);
}

/// The closed form for the DFLP is not below the linear program's bound, which uses the same two constraints and more.
#[test]
fn linear_programs_are_not_above_closed_forms() {
    let mut compared = 0;
    for record in records() {
        let lp = &record["results"]["lp"];
        if lp.is_null() {
            continue;
        }
        let responses = numbers(&record["pending_interval"]);
        let sharing = sharing(&record, false, 1);
        let m = record["m"].as_u64().unwrap() as u32;
        let closed = dflp::bounds(&sharing, &responses, &dpcp::in_turn(sharing.units().len(), m));
        for (lp, closed) in numbers(&lp["lp_dflp"]).into_iter().zip(closed) {
            assert!(lp <= closed.total().unwrap(), "{}", record["id"]);
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn golden_response_times_with_bounds_agree() {
    use response::{with_terms, Waiting};
    let mut wrong = Vec::new();
    for record in records() {
        let m = record["m"].as_u64().unwrap() as u32;
        let sharing = sharing(&record, false, 1);
        let deadlines: Vec<u64> = sharing.tasks().iter().map(|task| task.relative_deadline).collect();
        let home = dpcp::in_turn(sharing.units().len(), m);
        for (key, terms, waiting) in [
            ("dpcp", dpcp::bounds(&sharing, &deadlines, &home), Waiting::Suspends),
            ("fmlp_plus", fmlp_plus::bounds(&sharing, &deadlines, true), Waiting::Suspends),
            ("mpcp", mpcp::bounds(&sharing, &deadlines, false), Waiting::Suspends),
            ("mpcp_vs", mpcp::bounds(&sharing, &deadlines, true), Waiting::Spins),
            ("msrp_holistic", msrp_holistic::bounds(&sharing, &deadlines), Waiting::Spins),
        ] {
            let ours: Value = with_terms(&sharing, &terms, waiting).into();
            let found = &record["results"]["pfp_rta_with_bounds"][key];
            let ok = ours.as_array().unwrap().iter().all(|response| !response.is_null());
            if found["resp"] != ours || found["ok"] != ok {
                wrong.push(format!("{} {key}: {found} not {ours}", record["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ, such as\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

#[test]
fn golden_verdicts_of_partitioned_edf_with_the_msrp_agree() {
    let (mut accepted, mut all) = (0, 0);
    for record in records() {
        let sharing = sharing(&record, true, 1);
        let terms = msrp_classic::bounds(&sharing);
        let blockers = edf::Blockers::Ceilings;
        let ours =
            edf::first_failure(&sharing, &terms, blockers, &mut Budget::default(), &mut Unwatched).is_none();
        assert_eq!(record["results"]["edf"]["pedf_msrp_classic_schedulable"], ours, "{}", record["id"]);
        accepted += u32::from(ours);
        all += 1;
    }
    println!("{accepted} of {all} are schedulable");
    assert!(accepted > all / 10 && accepted < all * 9 / 10);
}
