//! Systems that a protocol does not allow are refused, with the task, the resource and the rule.

use schedlab_lock::*;
use schedlab_model::*;

fn refusal(protocol: &str, platform: Platform, units: u32, programs: &[&[Step]]) -> String {
    let cluster = |index: usize| ClusterId(index.min(platform.clusters.len() - 1) as u16);
    let task = |(index, program): (usize, &&[Step])| Task {
        cluster: cluster(index),
        program: program.to_vec(),
        ..Task::implicit(Work::from_ns(1), Duration::from_ns(9))
    };
    let tasks: Vec<Task> = programs.iter().enumerate().map(task).collect();
    let points: Vec<u64> = (0..tasks.len() as u64).collect();
    let order = PriorityOrder::Fixed(&points);
    let resources = &[Resource { units }; 2];
    let setup = LockSetup { tasks: &tasks, resources, platform: &platform, order, lengths: &[] };
    match (find_protocol(protocol).unwrap().make)(&setup) {
        Ok(_) => "allowed".to_string(),
        Err(error) => error.to_string(),
    }
}

const R0: ResourceId = ResourceId(0);
const R1: ResourceId = ResourceId(1);
const L0: Step = Step::Request(R0, 1);
const U0: Step = Step::Release(R0, 1);
const L1: Step = Step::Request(R1, 1);
const U1: Step = Step::Release(R1, 1);
const NAP: Step = Step::Suspend(Duration::from_ns(1));

#[test]
fn nesting_with_global_resources() {
    let two = || Platform::partitioned(2);
    let nested: [&[Step]; 2] = [&[L0, L1, U1, U0], &[L1, U1]];
    for (protocol, name) in [("msrp", "MSRP"), ("mpcp", "MPCP")] {
        let text = format!("T0 requests R1 while it holds R0: {name} forbids nesting with global resources");
        assert_eq!(refusal(protocol, two(), 1, &nested), text);
        assert_eq!(refusal(protocol, two(), 1, &[&[L0, L1, U1, U0], &[]]), "allowed");
    }
    assert_eq!(refusal("fmlp-short", two(), 1, &nested), "allowed");
    let elsewhere = "T0 and T1 use R1 on different processors, which PCP does not support";
    assert_eq!(refusal("pcp", two(), 1, &nested), elsewhere);
}

#[test]
fn several_units_and_suspension_in_sections() {
    let one = || Platform::partitioned(1);
    for (protocol, name) in [("pip", "PIP"), ("pcp", "PCP"), ("ipcp", "IPCP"), ("fmlp-long", "FMLP")] {
        let text = format!("T0 requests R0, which has 2 units, but {name} knows resources of one unit only");
        assert_eq!(refusal(protocol, one(), 2, &[&[L0, U0]]), text);
    }
    assert_eq!(refusal("srp", one(), 2, &[&[L0, U0]]), "allowed");
    let unused = "R0 has 2 units, but PIP knows resources of one unit only";
    assert_eq!(refusal("pip", one(), 2, &[&[]]), unused);
    for (protocol, name) in [("srp", "SRP"), ("ipcp", "IPCP"), ("npcs", "NPCS"), ("msrp", "MSRP")] {
        let text = format!("T0 suspends itself while it holds R0, which {name} forbids");
        assert_eq!(refusal(protocol, one(), 1, &[&[L0, NAP, U0]]), text);
        assert_eq!(refusal(protocol, one(), 1, &[&[NAP, L0, U0]]), "allowed");
    }
}

#[test]
fn programs_out_of_order_whatever_the_protocol() {
    for protocol in ALL_PROTOCOLS {
        let crossed = refusal(protocol.name, Platform::partitioned(1), 1, &[&[], &[L0, L1, U0, U1]]);
        let text = "T1 releases R0, but that is not what it requested last and still holds";
        assert_eq!(crossed, text, "{}", protocol.name);
    }
}
