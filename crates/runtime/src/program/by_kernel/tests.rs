//! Findings of runs in which the kernel decided, by constructed numbers.

use super::*;
use crate::program::app::Finished;
use crate::record::kernel_scheduler::QuantaCounts;
use crate::record::outcome::Ending;
use crate::{each_job, App, TaskSpec};
use schedlab_model::Work;

/// The lines about sections and delays.
struct Lines(NativeFindings);

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_delays(f, &self.0)?;
        write_sections(f, &self.0)
    }
}

fn lines(counts: NativeCounts) -> String {
    Lines(native(counts, None)).to_string()
}

#[test]
fn what_lasts_longer_than_decisions_may_is_said() {
    let moved = |ns| NativeCounts { longest_move: Duration::from_ns(ns), ..NativeCounts::default() };
    assert_eq!(lines(moved(10_000_000)), "", "as long as a decision may take");
    let said = lines(moved(10_000_001));
    assert!(said.starts_with("warning: something counts 10000.001 us earlier or later"), "{said}");
    let unbegun = NativeCounts {
        never_begun: 3,
        longest_unbegun: Duration::from_ms(700),
        broken_sections: 2,
        slept_sections: 5,
        ..NativeCounts::default()
    };
    let said = lines(unbegun);
    for words in ["3 jobs did not begin", "is 700 ms", "2 sections were too long", "5 times a job slept"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn decisions_and_moves_are_compared() {
    let counts = NativeCounts {
        inputs: 50,
        late_stops: 1,
        late_starts: 2,
        early_starts: 4,
        ..NativeCounts::default()
    };
    let moved = NativeCounts { longest_move: Duration::from_ms(3), ..counts };
    let agreement = Agreement { decisions: 20, never_ran: 3, ..Agreement::default() };
    let said = compared(&native(moved, None), Some(&agreement));
    assert_eq!(
        said,
        "17 of 20 decisions are in the kernel's switches; 7 of 50 inputs moved, by at most 3 ms"
    );
    let said = compared(&native(counts, None), None);
    assert!(said.starts_with("no decision was compared"), "{said}");
    let lost = NativeCounts { lost_records: 1, ..counts };
    assert!(compared(&native(lost, None), Some(&agreement)).contains("RECORDS ARE MISSING"));
}

/// A finished run of a task, as if the kernel had decided.
fn finished() -> Finished {
    let mut app = App::new("P-EDF", "msrp", 1).unwrap();
    let spec = TaskSpec::new("works", Work::from_ns(100_000), Duration::from_ns(5_000_000));
    app.task(spec, each_job(|_| {}));
    app.options.unprivileged = true;
    app.run(Some(Duration::from_ns(20_000_000))).unwrap()
}

/// Where the kernel decided, no replay is claimed. A job that it has not begun fails the check once that is no delay.
#[test]
fn a_check_claims_what_it_compares() {
    let mut finished = finished();
    let holds = finished.findings(true).unwrap().result().holds;
    finished.outcome.native =
        Some(NativeCounts { inputs: 9, longest_unbegun: LONGEST_DELAY, ..NativeCounts::default() });
    let findings = finished.findings(true).unwrap();
    let said = findings.to_string();
    assert_eq!((findings.result().replay_is_exact, findings.result().holds), (None, holds));
    assert!(said.contains("none of 9 inputs moved") && !said.contains("replay"), "{said}");
    let longer = LONGEST_DELAY + Duration::from_ns(1);
    finished.outcome.native =
        Some(NativeCounts { longest_unbegun: longer, never_begun: 1, ..NativeCounts::default() });
    let findings = finished.findings(true).unwrap();
    assert!(!findings.result().holds && findings.to_string().contains("JOBS DID NOT BEGIN"), "{findings}");
    assert_eq!(finished.findings(false).unwrap().result().holds, holds, "it was not to be checked");
    let late = |late_requests| NativeCounts { late_requests, inputs: 100, ..NativeCounts::default() };
    finished.outcome.native = Some(late(2));
    assert_eq!(
        finished.findings(true).unwrap().result().holds,
        holds,
        "of a hundred inputs, two are forgiven"
    );
    finished.outcome.native = Some(late(3));
    let findings = finished.findings(true).unwrap();
    assert!(
        !findings.result().holds && findings.to_string().contains("TOO LONG BEFORE REQUESTS"),
        "{findings}"
    );
}

/// Whatever else holds, a run whose scheduler the kernel took away fails its check, and says so.
#[test]
fn a_run_without_its_scheduler_fails_its_check() {
    let mut finished = finished();
    let said = "FAILED: THE SCHEDULER IN THE KERNEL WAS TAKEN AWAY; ";
    assert!(!finished.findings(true).unwrap().to_string().contains(said));
    finished.outcome.ending = Ending::Ejected;
    let findings = finished.findings(true).unwrap();
    assert!(!findings.holds() && findings.to_string().contains(said), "{findings}");
}

/// Each missed quantum explains one in which a thread did not execute, and no more.
#[test]
fn quanta_that_are_not_used_count_if_missed_ones_do_not_explain_them() {
    let of_quanta = |missed| NativeCounts {
        quanta: Some(QuantaCounts { missed, ..QuantaCounts::default() }),
        ..NativeCounts::default()
    };
    let unused = |unused_quanta| Agreement { unused_quanta, decisions: 150, ..Agreement::default() };
    for (missed, count, holds) in [(0, 2, true), (0, 3, false), (1, 3, true), (1, 4, false)] {
        assert_eq!(quanta_are_used(Some(&of_quanta(missed)), Some(&unused(count))), holds);
        let found = native(of_quanta(missed), Some(&unused(count)));
        assert_eq!(found.quanta.unwrap().unused, count as u64);
    }
    assert!(quanta_are_used(None, Some(&unused(0))) && quanta_are_used(None, None));
}

#[test]
fn an_end_is_said_in_words() {
    let end = |reason: &str, message: &str| SchedulerEnd {
        kind: 1026,
        code: 0,
        reason: reason.into(),
        message: message.into(),
    };
    let name = "a ready thread got no processor in time";
    assert_eq!(words(&end("", "")), name);
    assert_eq!(words(&end("stall", "")), format!("{name} (stall)"));
    assert_eq!(words(&end("stall", "x[7]")), format!("{name} (stall: x[7])"));
}

#[test]
fn one_wait_in_twenty_five_may_be_overtaken() {
    for (waits, overtaken_waits, keeps) in [(0, 1, true), (24, 2, false), (100, 5, true), (100, 6, false)] {
        let found = native(NativeCounts { waits, overtaken_waits, ..NativeCounts::default() }, None);
        assert_eq!(keeps_the_order(&found), keeps, "{overtaken_waits} of {waits}");
        assert_eq!(compared(&found, None).contains("LESS URGENT JOBS WENT FIRST"), !keeps);
        assert!(lines(NativeCounts { waits, overtaken_waits, ..NativeCounts::default() })
            .contains("had less urgent ones"));
    }
}
