//! What-if questions: fields of a scenario are set by their paths, such as `task.odom.wcet` to `5ms`.

mod place;

use crate::convert::executed;
use crate::document::from_disk;
use crate::error::{Error, Errors, Problem};
use crate::origin::Origin;
use crate::scenario::{default_horizon, Scenario, TaskSpec};
use crate::words::Arrival;
use place::{places, Kind, Place};
use std::collections::BTreeSet;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// Name of the scenario with its settings, where errors have a place.
const SETTINGS: &str = "settings";

impl Scenario {
    /// Notes for answers that the field at `path` was set, unless it had that value before.
    pub fn suppose(&mut self, path: &str, value: String, before: Option<String>) {
        self.what_if.add(path, value, before);
    }

    /// Sets the fields at these paths to values as a file has them; text needs no quotes. What the file leaves to a
    /// default still follows from the other fields: a deadline from the period, a horizon from the periods. A task may
    /// then need more than its deadline allows.
    pub fn with_settings(self, settings: &[(String, String)]) -> Result<Scenario, Errors> {
        if settings.is_empty() {
            return Ok(self);
        }
        refuse_overlaps(settings)?;
        let mut document = self.document();
        let (mut set, mut supposed) = (Vec::new(), Vec::new());
        for (path, text) in settings {
            for place in places(&self, path, is_text(text))? {
                let value = value_of(text);
                let shown_value = shown(&Item::Value(value.clone()));
                let before = put(&mut document, &place, value)?;
                supposed.push((place.path.clone(), shown_value, before));
                set.push(place);
            }
        }
        self.follow(&mut document, &set)?;
        let read = Scenario::parse_with(SETTINGS, document.to_string().into_bytes(), &from_disk);
        let mut made = read.map_err(|errors| self.renamed(&errors))?;
        self.forgive_late_tasks(&mut made, &set);
        let names = |key: &str| set.iter().any(|place| place.entry.is_none() && place.keys[0] == key);
        if !names("scheduler") {
            made.scheduler.own = self.scheduler.own;
        }
        if !names("protocol") {
            made.own_protocol = self.own_protocol;
        }
        // Places in the file would show the values before.
        made.origin = Origin::default();
        made.what_if = self.what_if;
        for (path, value, before) in supposed {
            made.suppose(&path, value, before);
        }
        Ok(made)
    }

    /// Multiplies the costs of all jobs as [`Scenario::with_costs_times`] does, and notes it for answers.
    pub fn with_scale(self, (numerator, denominator): (u64, u64)) -> Result<Scenario, Errors> {
        let mut scaled = self.with_costs_times(numerator, denominator)?;
        scaled.suppose("scale", factor(numerator, denominator), Some("1".to_owned()));
        Ok(scaled)
    }

    /// Changes fields of `document` that would contradict the fields that were `set`, because they came from defaults.
    fn follow(&self, document: &mut DocumentMut, set: &[Place]) -> Result<(), Errors> {
        let is_set = |keys: &[&str]| set.iter().any(|place| place.entry.is_none() && place.keys == keys);
        if !is_set(&["horizon"]) && self.horizon == default_horizon(&self.tasks) {
            document.remove("horizon");
        }
        for (one, other) in [("cluster_size", "clusters"), ("clusters", "cluster_size")] {
            if let (true, Some(platform)) =
                (is_set(&["platform", one]), document["platform"].as_table_like_mut())
            {
                platform.remove(other);
            }
        }
        for (index, task) in self.tasks.iter().enumerate() {
            let of_task = |place: &&Place| place.entry == Some((Kind::Task, index));
            let fields: BTreeSet<&str> =
                set.iter().filter(of_task).map(|place| place.keys[0].as_str()).collect();
            if !fields.is_empty() {
                let table = document["task"].as_array_of_tables_mut().and_then(|tasks| tasks.get_mut(index));
                follow_in_task(task, &fields, table.expect("the document has every task"))?;
            }
        }
        Ok(())
    }

    /// Takes back what [`follow_in_task`] allowed where no task needs it.
    fn forgive_late_tasks(&self, made: &mut Scenario, set: &[Place]) {
        let stated = |(index, task): (usize, &TaskSpec)| {
            let is_set = set.iter().any(|place| {
                place.entry == Some((Kind::Task, index)) && place.keys[0] == "wcet_may_exceed_deadline"
            });
            (is_set || task.wcet_may_exceed_deadline).then(|| task.name.clone())
        };
        let stated: BTreeSet<String> = self.tasks.iter().enumerate().filter_map(stated).collect();
        for task in &mut made.tasks {
            let of_copies = task.name.rsplit_once('.').is_some_and(|(name, _)| stated.contains(name));
            if !stated.contains(&task.name) && !of_copies {
                task.wcet_may_exceed_deadline &= task.wcet.at_unit_speed() > task.relative_deadline;
            }
        }
    }

    /// Names tasks and resources in paths of errors, instead of their numbers. Drops places in the written scenario.
    fn renamed(&self, errors: &Errors) -> Errors {
        let renamed = |error: &Error| Error {
            place: error.place.clone().filter(|place| place.file != SETTINGS),
            field: self.named_path(&error.field),
            problem: error.problem.clone(),
        };
        let errors = errors.all().iter().map(renamed).collect();
        Errors::check(errors).expect_err("there is an error")
    }

    /// Returns a path such as `task[2].wcet` with the name of the task.
    fn named_path(&self, path: &str) -> String {
        let named = || {
            let (list, rest) = path.split_once('[')?;
            let (index, rest) = rest.split_once(']')?;
            let kind = Kind::ALL.into_iter().find(|kind| kind.word() == list)?;
            let names = kind.names(self);
            Some(format!("{list}.{}{rest}", names.get(index.parse::<usize>().ok()?)?))
        };
        named().unwrap_or_else(|| path.to_owned())
    }
}

/// Fields from which it follows whether a task can meet its deadline alone.
const OF_LATENESS: [&str; 5] = ["wcet", "program", "period", "deadline", "weights"];

/// Changes, in the table of `task`, what would contradict its `fields` that were set.
fn follow_in_task(
    task: &TaskSpec,
    fields: &BTreeSet<&str>,
    table: &mut toml_edit::Table,
) -> Result<(), Errors> {
    let is_sum = !task.program.is_empty() && task.wcet == executed(&task.program);
    if fields.contains("wcet") && !fields.contains("program") && is_sum {
        let name = &task.name;
        let sentence = format!("the program of task \"{name}\" says what it costs ({})", task.wcet);
        let allowed =
            format!("task.{name}.program, such as [\"execute 2 ms\"], or a factor of all costs (scale)");
        return Err(Errors::one(None, format!("task.{name}.wcet"), Problem::rule(sentence, allowed)));
    }
    if fields.contains("program") && !fields.contains("wcet") && is_sum {
        table.remove("wcet");
    }
    let like_period =
        matches!(&task.arrival, Arrival::Sporadic { delay, like: None } if *delay == task.period);
    if fields.contains("period") && !fields.contains("arrival") && like_period {
        table.insert("arrival", Item::Value("sporadic".into()));
    }
    if OF_LATENESS.iter().any(|field| fields.contains(field)) && !fields.contains("wcet_may_exceed_deadline")
    {
        table.insert("wcet_may_exceed_deadline", Item::Value(true.into()));
    }
    Ok(())
}

/// Puts the value at its place; returns the one that was there.
fn put(document: &mut DocumentMut, place: &Place, value: Value) -> Result<Option<String>, Errors> {
    let table: &mut dyn TableLike = match place.entry {
        None => document.as_table_mut(),
        Some((kind, index)) => {
            let tables = document[kind.word()].as_array_of_tables_mut();
            tables.and_then(|tables| tables.get_mut(index)).expect("the document has every part")
        }
    };
    if place.entry.is_none() && place.keys == ["overheads", "use"] {
        return Ok(use_overheads(table, value));
    }
    put_into(table, &place.keys, value, &place.path)
}

/// Takes other overheads, with the same statistic.
fn use_overheads(root: &mut dyn TableLike, value: Value) -> Option<String> {
    let overheads = root.get_mut("overheads").and_then(Item::as_table_like_mut).expect("they are written");
    let before = overheads.get("use").map(shown);
    let statistic = overheads.get("statistic").cloned();
    let keys: Vec<String> = overheads.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        overheads.remove(&key);
    }
    overheads.insert("use", Item::Value(value));
    if let Some(statistic) = statistic {
        overheads.insert("statistic", statistic);
    }
    before
}

fn put_into(
    table: &mut dyn TableLike,
    keys: &[String],
    value: Value,
    path: &str,
) -> Result<Option<String>, Errors> {
    let (key, rest) = keys.split_first().expect("a path has a field");
    if rest.is_empty() {
        let before = table.get(key).map(shown);
        table.insert(key, Item::Value(value));
        return Ok(before);
    }
    let next = table.entry(key).or_insert_with(|| Item::Value(Value::InlineTable(InlineTable::new())));
    let found = shown(next);
    let Some(next) = next.as_table_like_mut() else {
        let why = format!("is no table, so it has no \"{}\"", rest[0]);
        return Err(Errors::refused(
            None,
            path,
            format!("{key} = {found}"),
            why,
            format!("a value for {key}"),
        ));
    };
    put_into(next, rest, value, path)
}

/// Reads a value as a file has it; what is none stands for its text, so that `5ms` needs no quotes.
fn value_of(text: &str) -> Value {
    let mut value = text.trim().parse().unwrap_or_else(|_| Value::from(text.trim()));
    value.decor_mut().clear();
    value
}

/// Returns whether a value is a text, with quotes or without.
fn is_text(text: &str) -> bool {
    value_of(text).is_str()
}

/// Returns the value as text, without quotes.
fn shown(item: &Item) -> String {
    match item.as_str() {
        Some(text) => text.to_owned(),
        None => item.to_string().trim().to_owned(),
    }
}

/// Returns a factor as a decimal number if it is one, else as a fraction.
fn factor(numerator: u64, denominator: u64) -> String {
    let millionths = u128::from(numerator) * 1_000_000;
    if millionths % u128::from(denominator) != 0 {
        return format!("{numerator}/{denominator}");
    }
    let millionths = millionths / u128::from(denominator);
    let (whole, part) = (millionths / 1_000_000, millionths % 1_000_000);
    format!("{whole}.{part:06}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the path of a setting in full: a scheduler or overheads given by name are those of a table.
fn in_full(path: &str, text: &str) -> String {
    place::in_full(path, is_text(text)).to_owned()
}

/// Returns whether one of the paths is the other, or a table that holds it.
fn overlap(one: &str, other: &str) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    holds(one, other) || holds(other, one)
}

/// Refuses settings of which one undoes another.
fn refuse_overlaps(settings: &[(String, String)]) -> Result<(), Errors> {
    for (index, (path, text)) in settings.iter().enumerate() {
        for (earlier, other) in &settings[..index] {
            if overlap(&in_full(path, text), &in_full(earlier, other)) {
                let sentence = format!("is set twice, to {other} and to {text}");
                let sentence = if earlier == path { sentence } else { format!("{sentence} (as {earlier})") };
                return Err(Errors::one(None, path, Problem::rule(sentence, "one of the two")));
            }
        }
    }
    Ok(())
}

/// Refuses a setting of the field at `path`, which the option called `option` sets, too.
pub fn refuse_both(settings: &[(String, String)], option: &str, path: &str) -> Result<(), Errors> {
    let said = settings.iter().find(|(set, text)| overlap(&in_full(set, text), path));
    let Some((set, text)) = said else { return Ok(()) };
    let sentence = format!("is given twice, by itself and by the setting {set}={text}");
    Err(Errors::one(None, option, Problem::rule(sentence, "one of the two")))
}
