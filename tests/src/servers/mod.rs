//! Random mixes of tasks and budget servers: the simulator against brute force, and what is proved against what
//! happens.

mod brute;
mod budget;
mod mix;

use mix::Mix;
use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Finding, Prepared};
use schedlab_model::{JobId, TaskId};
use schedlab_policy::servers::ServerKind;
use schedlab_report::invariants::Checker;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};
use std::fmt;

/// Schedule of a mix: the jobs of each nanosecond, and the completions in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// By processor and nanosecond: the job that executes.
    pub(crate) on: Vec<Vec<Option<JobId>>>,
    /// Completions with their times.
    pub(crate) completions: Vec<(u64, JobId)>,
}

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerPower {
    /// Mixes that were simulated in both ways.
    pub compared: u64,
    /// By kind of server, in the order of their list: servers whose clients executed.
    pub of_kind: [u64; ServerKind::NAMED.len()],
    /// Mixes in which all tasks that are no clients are proved to be in time.
    pub proved: u64,
    /// Of the bounds of these, those that some job reached.
    pub reached: u64,
    /// Proved mixes in which all stays proved with overloaded clients.
    pub isolated: u64,
    /// Of these, those on several processors.
    pub isolated_on_several: u64,
    /// Of all mixes on several processors, those that differ if the unused bandwidth of one processor is not given away
    /// there.
    pub reclaimed_on_several: u64,
}

impl ServerPower {
    /// Takes over what another thread found.
    pub fn merge(&mut self, other: &ServerPower) {
        self.compared += other.compared;
        self.proved += other.proved;
        self.reached += other.reached;
        self.isolated += other.isolated;
        self.isolated_on_several += other.isolated_on_several;
        self.reclaimed_on_several += other.reclaimed_on_several;
        self.of_kind.iter_mut().zip(other.of_kind).for_each(|(sum, more)| *sum += more);
    }
}

impl fmt::Display for ServerPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServerPower { compared, of_kind, proved, reached, isolated, .. } = self;
        let ServerPower { isolated_on_several, reclaimed_on_several, .. } = self;
        writeln!(f, "{compared} mixes with servers, {proved} proved, {reached} bounds reached")?;
        writeln!(
            f,
            "on several processors: {isolated_on_several} isolated, {reclaimed_on_several} reclaimed"
        )?;
        writeln!(f, "{isolated} of the proved mixes with overloaded clients; servers that executed:")?;
        for ((name, _), count) in ServerKind::NAMED.iter().zip(of_kind) {
            writeln!(f, "  {name:22} {count}")?;
        }
        Ok(())
    }
}

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine_servers(seed: u64, index: u64, power: &mut ServerPower) -> Result<(), String> {
    let mix = Mix::draw(seed, index);
    let text = mix.text();
    let wrong = |what: String| format!("{what}\n{text}");
    let scenario = Scenario::parse("mix", &text).map_err(|errors| wrong(errors.to_string()))?;
    if Scenario::parse("again", &scenario.to_toml()).as_ref() != Ok(&scenario) {
        return Err(wrong("its canonical text is not the same scenario".to_owned()));
    }
    let prepared = Prepared::new(&scenario).map_err(|error| wrong(error.to_string()))?;
    let (simulated, by_hand) = (simulated(&prepared, &mix).map_err(wrong)?, brute::schedule(&mix));
    let differ =
        |tick: &usize| simulated.on.iter().zip(&by_hand.on).any(|(one, other)| one[*tick] != other[*tick]);
    if let Some(tick) = (0..mix.horizon as usize).find(differ) {
        let (one, other) = (drawn(&simulated), drawn(&by_hand));
        return Err(wrong(format!("brute force differs at {tick}:\n{one}\n{other}")));
    }
    if simulated.completions != by_hand.completions {
        return Err(wrong("brute force has other completions".to_owned()));
    }
    power.compared += 1;
    for server in 0..mix.servers.len() {
        let is_client = |job: &JobId| mix.tasks[job.task.index()].server == Some(server);
        let kind = ServerKind::NAMED.iter().position(|(_, kind)| *kind == mix.servers[server].kind);
        if by_hand.on.iter().flatten().flatten().any(is_client) {
            power.of_kind[kind.expect("each kind is in the list")] += 1;
        }
    }
    let without = Mix { reclaims_elsewhere: true, ..mix.clone() };
    if mix.processors > 1 && brute::schedule(&without) != by_hand {
        power.reclaimed_on_several += 1;
    }
    let answer = analyze(&prepared).map_err(|error| wrong(error.to_string()))?;
    let found = findings(&prepared, &answer);
    keeps_promises(&mix, &simulated, &found, power).map_err(wrong)?;
    stays_isolated(&mix, &found, power)
}

/// The schedule of a mix by the simulator, which keeps all invariants.
fn simulated(prepared: &Prepared, mix: &Mix) -> Result<Ticks, String> {
    let (mut timeline, mut checker) = (Timeline::default(), prepared.checker());
    prepared.simulate((&mut timeline, &mut checker), &mut |_| true).map_err(|error| error.to_string())?;
    keeps_invariants(checker)?;
    Ok(ticks_of(&timeline, mix))
}

/// Holds what is proved of the mix against a simulation in which the servers' clients need far more than before:
/// servers isolate all others from them.
fn stays_isolated(mix: &Mix, found: &[Finding], power: &mut ServerPower) -> Result<(), String> {
    if found.iter().all(|one| one.answer != Answer::Schedulable) {
        return Ok(());
    }
    let overloaded = mix.overloaded();
    let text = overloaded.text();
    let wrong = |what: String| format!("with overloaded clients, {what}\n{text}");
    let scenario = Scenario::parse("mix", &text).map_err(|errors| wrong(errors.to_string()))?;
    let prepared = Prepared::new(&scenario).map_err(|error| wrong(error.to_string()))?;
    let simulated = simulated(&prepared, &overloaded).map_err(wrong)?;
    keeps_promises(&overloaded, &simulated, found, &mut ServerPower::default()).map_err(wrong)?;
    power.isolated += 1;
    power.isolated_on_several += u64::from(mix.processors > 1);
    Ok(())
}

fn keeps_invariants(checker: Checker) -> Result<(), String> {
    let verdict = checker.finish();
    let broken = verdict.outcomes.iter().find_map(|outcome| {
        let violation = outcome.found.violations.first()?;
        Some(format!("violates {} {violation}", outcome.invariant.name()))
    });
    broken.map_or(Ok(()), Err)
}

/// Holds the simulation against a proof: no task that is no client is late, or later than its bound.
fn keeps_promises(
    mix: &Mix,
    simulated: &Ticks,
    found: &[Finding],
    power: &mut ServerPower,
) -> Result<(), String> {
    let Some(proof) = found.iter().find(|one| one.answer == Answer::Schedulable) else { return Ok(()) };
    power.proved += 1;
    for (index, task) in mix.tasks.iter().enumerate().filter(|(_, task)| task.server.is_none()) {
        let bounds = proof.response_times.as_ref();
        let proved = bounds.and_then(|bounds| bounds[index]).map_or(task.deadline, |bound| bound.as_ns());
        let mut longest = 0;
        for (number, (arrival, _)) in task.jobs(mix.horizon).into_iter().enumerate() {
            let job = JobId::new(TaskId(index as u32), number as u32);
            let completion = simulated.completions.iter().find(|(_, known)| *known == job);
            let response = completion.map_or(mix.horizon, |(at, _)| *at) - arrival;
            longest = longest.max(response);
            if response > proved {
                return Err(format!("{job} takes {response}, and {proved} are proved by {}", proof.test));
            }
        }
        power.reached += u64::from(bounds.is_some() && longest == proved);
    }
    Ok(())
}

fn ticks_of(timeline: &Timeline, mix: &Mix) -> Ticks {
    let row = vec![None; mix.horizon as usize];
    let mut ticks = Ticks { on: vec![row; mix.processors], completions: Vec::new() };
    let mut occupants = vec![None; mix.processors];
    for (at, record) in &timeline.records {
        let place = match record {
            Record::Dispatch { cpu, job } => {
                occupants[cpu.index()] = Some(*job);
                cpu.index()
            }
            Record::Preempt { cpu, .. } => {
                occupants[cpu.index()] = None;
                cpu.index()
            }
            Record::Complete { job } => {
                ticks.completions.push((at.as_ns(), *job));
                let place = occupants.iter().position(|known| *known == Some(*job));
                let place = place.expect("a job that completes executed");
                occupants[place] = None;
                place
            }
            _ => continue,
        };
        ticks.on[place][(at.as_ns().min(mix.horizon)) as usize..].fill(occupants[place]);
    }
    ticks.completions.sort_unstable_by_key(|(at, job)| (*at, job.task, job.number));
    ticks
}

/// A letter for each nanosecond of each processor: the task that executes.
fn drawn(ticks: &Ticks) -> String {
    let letter = |job: &Option<JobId>| job.map_or('.', |job| (b'a' + job.task.0 as u8) as char);
    let rows: Vec<String> = ticks.on.iter().map(|row| row.iter().map(letter).collect()).collect();
    rows.join("\n")
}
