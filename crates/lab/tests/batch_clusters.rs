//! What a batch proves of clustered schedulers, no simulation of the same set refutes: both place alike.

use schedlab_analysis::Answer;
use schedlab_lab::batch::{Measure, Memory, Question, Sets};
use schedlab_lab::{analyze, Prepared};
use schedlab_model::Task;
use schedlab_scenario::Scenario;
use schedlab_trace::{Life, Timeline};
use schedlab_workload::generate::{Accesses, Drawn, Generator, Spec};

/// Sets of heavy tasks, which often leave a task over on single processors.
fn generator(stop: &str) -> Generator {
    let [utilization, periods, deadlines] =
        ["uniform-heavy", "uniform 10ms 100ms", "implicit"].map(Into::into);
    Generator::parse(&Spec { utilization, periods, deadlines, stop: stop.into() }).unwrap()
}

/// Returns whether each question is proved of a set.
fn proved(generator: &Generator, questions: &[Question], index: u64) -> Vec<bool> {
    let sets = Sets { generator, accesses: &Accesses::NONE, seed: 3, processors: 4, questions };
    let mut answers = vec![None; questions.len()];
    sets.answer(index, Measure::Proof, &mut Memory::default(), &mut answers).unwrap();
    answers.iter().map(Option::is_some).collect()
}

/// Returns a set as a scenario under `scheduler` with clusters of two of four processors.
fn prepared(tasks: &[Task], scheduler: &str) -> Prepared {
    let mut text = format!(
        "schedlab = 1\nhorizon = \"1 s\"\nscheduler = {{ name = \"{scheduler}\", placement = {{ fit = \"worst\", \
         order = \"decreasing_utilization\" }} }}\nplatform = {{ processors = 4, cluster_size = 2 }}\n"
    );
    for (index, task) in tasks.iter().enumerate() {
        text += &format!(
            "[[task]]\nname = \"t{index}\"\nwcet = \"{} ns\"\nperiod = \"{} ns\"\n",
            task.wcet.as_ns(),
            task.period.as_ns()
        );
    }
    Prepared::new(&Scenario::parse("drawn", &text).unwrap()).unwrap()
}

fn misses(prepared: &Prepared) -> bool {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    timeline.records.iter().any(|(_, record)| matches!(record.life(), Some(Life::Miss(_))))
}

const SCHEDULERS: [&str; 4] = ["C-EDF", "C-RM", "C-DM", "C-FIFO"];

fn questions(words: &str) -> Vec<Question> {
    let question = |name: &&str| format!("{name} hard cluster=2{words}").parse().unwrap();
    SCHEDULERS.iter().map(question).collect()
}

#[test]
fn what_is_proved_misses_nothing_and_is_proved_of_the_scenario() {
    let mut drawn = Drawn::default();
    let mut seen = 0;
    for stop in ["trim 2.6", "trim 3.0", "trim 3.4"] {
        let generator = generator(stop);
        for index in 0..120 {
            generator.draw(3, index, &mut drawn).unwrap();
            let found = proved(&generator, &questions(""), index);
            assert_eq!(
                found,
                proved(&generator, &questions(" worst_fit_decreasing"), index),
                "{stop} {index}"
            );
            for (name, _) in SCHEDULERS.iter().zip(found).filter(|(_, is_proved)| *is_proved) {
                let prepared = prepared(&drawn.tasks, name);
                let hard = analyze(&prepared).unwrap().analysis.unwrap().hard;
                assert_eq!(hard, Answer::Schedulable, "{name} {stop} {index}");
                assert!(!misses(&prepared), "{name} {stop} {index}");
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen} are proved");
}

/// Of these tasks one fits on no processor alone with the others, and clusters as wholes have room for all.
#[test]
fn a_set_that_joined_processors_refute_is_not_proved() {
    let generator = generator("trim 3.4");
    let mut drawn = Drawn::default();
    generator.draw(3, 22, &mut drawn).unwrap();
    assert!(misses(&prepared(&drawn.tasks, "C-RM")), "the case is one");
    assert!(!proved(&generator, &questions(""), 22)[1]);
}
