//! Spare time in the weights of a scenario's Pfair tasks, for what a real machine takes, with advice in words.
//!
//! If a job's cost fills its quanta and the job loses any time, it takes a quantum from the next job, and so on.

use crate::prepare::accounting::{account, OverheadOutcome};
use crate::prepare::pfair::policy_tasks;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::quanta;
use schedlab_analysis::pfair::spare;
use schedlab_model::Duration;
use std::fmt;

/// The command that enlarges weights by the time that a machine takes.
const INFLATE: &str = "`schedlab run --inflate FILE`";

/// The weights of a scenario under Pfair, and the lost time that they bear.
#[derive(Clone, Debug, PartialEq)]
pub struct Spare {
    scheduler: String,
    processors: u16,
    tasks: usize,
    /// Number of tasks whose costs fill their quanta.
    filled: usize,
    /// One of the filled tasks: its name, quanta and slots.
    example: Option<(String, u64, u64)>,
    /// Least time that a job may lose in its quanta, if it is at most half of one. `None` if some task is filled or
    /// overheads are charged.
    room: Option<Duration>,
    /// Sum of the weights of the given costs.
    sum: f64,
    /// Sum of the weights that the scheduler gets.
    given: f64,
    /// Sum of the weights with the overheads that are charged.
    charged: Charged,
    /// Sum of the weights that the scheduler gets, with a quantum more for each task that is filled or, if none is, has
    /// little room.
    one_more: f64,
}

/// Sum of the weights with the overheads that are charged, whether it fits the processors or not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Charged {
    /// No overheads are charged.
    None,
    /// Some task can be given no weight.
    NoRoom,
    /// The sum.
    Sum(f64),
}

impl Spare {
    /// Returns the spare time of a scenario; `None` if its scheduler has no weights, or its tasks can be given none.
    pub fn of(prepared: &Prepared) -> Option<Spare> {
        let quantum = quanta(prepared)?.length;
        let weighted = policy_tasks(prepared).ok()?;
        let rooms = spare::rooms(&prepared.tasks, &weighted, quantum);
        let filled: Vec<usize> = (0..rooms.len()).filter(|&task| rooms[task] == Duration::ZERO).collect();
        // An example that has every quantum is preferred, because no weight helps it.
        let has_room = |task: &&usize| {
            let (quanta, slots) = spare::asked(&weighted[**task], quantum);
            slots > quanta
        };
        let example = filled.iter().min_by_key(has_room).map(|&task| {
            let (quanta, slots) = spare::asked(&weighted[task], quantum);
            (prepared.scenario.tasks[task].name.clone(), quanta, slots)
        });
        let short: Vec<usize> = (0..rooms.len()).filter(|&one| rooms[one] + rooms[one] <= quantum).collect();
        let least = short.iter().map(|&task| rooms[task]).min();
        let missing = if filled.is_empty() { &short } else { &filled };
        let charged = match account(prepared) {
            OverheadOutcome::Inflated(tasks) => Charged::Sum(spare::sum(&tasks, quantum)),
            OverheadOutcome::NotAccounted(_) => Charged::NoRoom,
            OverheadOutcome::None => Charged::None,
        };
        Some(Spare {
            scheduler: prepared.scheduler.name.clone(),
            processors: prepared.platform.processors(),
            tasks: weighted.len(),
            filled: filled.len(),
            example,
            room: least.filter(|_| filled.is_empty() && charged == Charged::None),
            sum: spare::sum(&prepared.tasks, quantum),
            given: spare::sum(&weighted, quantum),
            charged,
            one_more: spare::sum_with_more(&weighted, missing, quantum),
        })
    }

    /// True if a job that loses any time may need a quantum that its weight does not have.
    pub fn is_missing(&self) -> bool {
        self.filled > 0
    }

    /// Advises in short what to do in a real run; `None` if no time is missing.
    pub(crate) fn advice(&self) -> Option<String> {
        let (total, room) = (self.one_more, self.room());
        let mut cure = match self.fits() {
            true => format!("a spare quantum each cures it (weights {total:.3} of {room}): {INFLATE}"),
            false => format!("a spare quantum each would cure it, but weights would be {total:.3} of {room}"),
        };
        if let Some(least) = self.room {
            return Some(format!("once a job loses more than {least}, its task stays late; {cure}"));
        }
        let (name, quanta, slots) = self.example.as_ref()?;
        if quanta >= slots {
            cure = format!("{name} has every quantum: no weight cures it");
        }
        let Spare { tasks, filled, .. } = self;
        Some(format!(
            "costs of {filled} of {tasks} tasks fill their quanta: a job that loses time is late; {cure}"
        ))
    }

    /// Says what the weights bear, if overheads are charged.
    fn overheads(&self) -> Option<String> {
        let (sum, given, room) = (self.sum, self.given, self.room());
        Some(match self.charged {
            Charged::None => return None,
            Charged::NoRoom => {
                "the charged overheads leave no room or are not accounted for: no weight is enlarged".into()
            }
            Charged::Sum(_) if given > sum => {
                format!("weights bear the charged overheads: they add up to {given:.3} instead of {sum:.3}")
            }
            Charged::Sum(charged) if charged > f64::from(self.processors) => format!(
                "with the charged overheads, weights add up to {charged:.3} of {room}: none is enlarged"
            ),
            Charged::Sum(_) => "the charged overheads enlarge no weight".into(),
        })
    }

    /// Says how weights can be enlarged, if no overheads are charged.
    fn cure(&self) -> String {
        match self.fits() {
            true => format!("{INFLATE} enlarges weights by what `schedlab measure` found"),
            false => "that does not fit: with more processors, it may (`-m`)".to_owned(),
        }
    }

    /// True if the weights fit the processors with a quantum more each.
    fn fits(&self) -> bool {
        self.one_more <= f64::from(self.processors)
    }

    /// Names the processors that the weights may fill.
    fn room(&self) -> String {
        format!("{} processor{}", self.processors, if self.processors == 1 { "" } else { "s" })
    }
}

/// Writes one sentence on each line.
impl fmt::Display for Spare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spare { scheduler, tasks, filled, given, one_more, .. } = self;
        let mut lines: Vec<String> = self.overheads().into_iter().collect();
        if let Some((name, quanta, slots)) = &self.example {
            let (room, enlarged) = (self.room(), quanta + 1);
            lines.extend([
                format!("under {scheduler}, costs of {filled} of {tasks} tasks fill their quanta"),
                "a job of theirs that loses time needs another quantum, and is late".to_owned(),
                format!(
                    "with one more each, weights add up to {one_more:.3} instead of {given:.3}, of {room}"
                ),
                match enlarged <= *slots {
                    true => format!("such as {name}: {enlarged}/{slots} instead of {quanta}/{slots}"),
                    false => format!("{name} has every quantum already: no weight bears a loss"),
                },
            ]);
            if self.charged == Charged::None {
                lines.push(self.cure());
            }
        }
        if let Some(room) = self.room {
            lines.push(format!("under {scheduler}, a job that loses more than {room} needs another quantum"));
            lines.push(format!(
                "its task stays late then; with one more each, weights add up to {one_more:.3} of {}",
                self.room()
            ));
            lines.push(self.cure());
        }
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_scenario::Scenario;

    /// Quanta of 1 ms: `full` needs all of its 2 quanta in 10 slots, `loose` half of its quantum in 5.
    fn spare(scheduler: &str, processors: u16, overheads: &str) -> Option<Spare> {
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\n{overheads}\n[platform]\nprocessors = {processors}\n\
             [[task]]\nname = \"full\"\nwcet = \"2 ms\"\nperiod = \"10 ms\"\n\
             [[task]]\nname = \"loose\"\nwcet = \"500 us\"\nperiod = \"5 ms\"\n"
        );
        let scenario = Scenario::parse("it", &text).unwrap_or_else(|errors| panic!("{errors}"));
        Spare::of(&Prepared::new(&scenario).unwrap())
    }

    #[test]
    fn costs_that_fill_their_quanta_have_no_time_to_lose() {
        let found = spare("PD2", 1, "").unwrap();
        assert!(found.is_missing());
        assert_eq!((found.filled, found.tasks), (1, 2));
        assert_eq!(found.example, Some(("full".into(), 2, 10)));
        // 2/10 + 1/5; with one quantum more 3/10 + 1/5.
        assert!((found.given - 0.4).abs() < 1e-9 && (found.one_more - 0.5).abs() < 1e-9, "{found:?}");
        assert!(found.to_string().contains("full: 3/10 instead of 2/10"), "{found}");
        assert!(found.to_string().contains("\n`schedlab run --inflate FILE` enlarges weights"), "{found}");
        let advice = "costs of 1 of 2 tasks fill their quanta: a job that loses time is late; a spare quantum each cures it \
             (weights 0.500 of 1 processor): `schedlab run --inflate FILE`";
        assert_eq!(found.advice().as_deref(), Some(advice));
        assert_eq!(spare("P-EDF", 1, ""), None);
    }

    /// A job of 500 us with a quantum of 1 ms needs a second quantum once it loses as much.
    #[test]
    fn a_cost_of_half_a_quantum_has_little_to_lose() {
        let text = "schedlab = 1\nscheduler = \"PD2\"\n[platform]\nprocessors = 2\n\
            [[task]]\nname = \"half\"\nwcet = \"500 us\"\nperiod = \"2 ms\"\ncopies = 4\n";
        let said = Spare::of(&Prepared::new(&Scenario::parse("it", text).unwrap()).unwrap()).unwrap();
        let advice = "once a job loses more than 500 us, its task stays late; \
            a spare quantum each would cure it, but weights would be 4.000 of 2 processors";
        assert_eq!(said.advice().as_deref(), Some(advice));
        assert!(said
            .to_string()
            .starts_with("under PD2, a job that loses more than 500 us needs another quantum"));
        assert!(
            said.to_string().ends_with("that does not fit: with more processors, it may (`-m`)"),
            "{said}"
        );
        let text = text.replace("500 us", "400 us");
        let said = Spare::of(&Prepared::new(&Scenario::parse("it", &text).unwrap()).unwrap()).unwrap();
        assert_eq!((said.advice(), said.to_string()), (None, String::new()));
    }

    /// A task of weight 3/3 can have no fourth quantum in three slots.
    #[test]
    fn a_task_with_every_quantum_has_none_to_gain() {
        let text = "schedlab = 1\nscheduler = \"PD2\"\n[platform]\nprocessors = 2\n\
            [[task]]\nname = \"light\"\nwcet = \"1 ms\"\nperiod = \"9 ms\"\n\
            [[task]]\nname = \"whole\"\nwcet = \"3 ms\"\nperiod = \"3 ms\"\n";
        let said = Spare::of(&Prepared::new(&Scenario::parse("it", text).unwrap()).unwrap()).unwrap();
        assert!(said.to_string().contains("whole has every quantum already"), "{said}");
        assert!(said
            .advice()
            .is_some_and(|said| said.ends_with("whole has every quantum: no weight cures it")));
    }

    #[test]
    fn charged_overheads_enlarge_weights() {
        let found = spare("PD2", 1, "overheads = \"paper-2008-4k\"").unwrap();
        assert!(!found.is_missing(), "{found}");
        assert_eq!(found.advice(), None);
        assert!(found.given > found.sum, "{found:?}");
        assert!(found.to_string().contains("0.500 instead of 0.400"), "{found}");
    }
}
