//! Concepts that users ask for and schedlab does not model: the names of fields, and a sentence on what is not
//! supported.

/// Names of fields, and the sentence that says which concept is missing.
type Concept = (&'static [&'static str], &'static str);

const CONCEPTS: [Concept; 8] = [
    (
        &[
            "after",
            "before",
            "precedence",
            "predecessor",
            "predecessors",
            "successor",
            "successors",
            "followed_by",
            "depends_on",
            "dependencies",
            "triggers",
            "triggered_by",
            "chain",
            "chains",
            "latency",
            "end_to_end",
        ],
        "precedence constraints and end-to-end latencies of chains are not supported",
    ),
    (
        &["firm", "mk", "m_k", "mk_firm", "weakly_hard", "skip", "skips", "skip_factor", "window_constraint"],
        "(m,k)-firm deadlines are not supported",
    ),
    (
        &[
            "distribution",
            "probability",
            "probabilities",
            "probabilistic",
            "pwcet",
            "acet",
            "stddev",
            "et_stddev",
        ],
        "execution times with probabilities are not supported",
    ),
    (
        &["speed", "speeds", "frequency", "capacity", "capacities", "heterogeneous", "rate", "rates"],
        "processors of different speeds (uniform or unrelated) are not supported",
    ),
    (
        &["criticality", "criticalities", "wcet_hi", "wcet_lo", "wcet_high", "wcet_low"],
        "mixed criticality is not supported",
    ),
    (
        &["energy", "power", "voltage", "dvfs", "dpm", "battery", "sleep_states"],
        "energy and power are not supported",
    ),
    (
        &[
            "dag", "graph", "node", "nodes", "edge", "edges", "vertices", "subtask", "subtasks", "fork",
            "joins",
        ],
        "tasks that are graphs (DAG, fork-join) are not supported",
    ),
    (
        &["gang", "threads", "parallelism", "degree", "moldable", "volume"],
        "gang tasks and tasks of several threads are not supported",
    ),
];

/// Returns the sentence on the unsupported concept that a field of this name asks for, in a table of this path such as
/// `resource[0]`.
pub fn missing_concept(path: &str, name: &str) -> Option<&'static str> {
    if path.starts_with("resource") && matches!(name, "inheritance" | "ceiling") {
        return Some("a mutex states protocol = \"inherit\" or \"protect\", under SCHED_FIFO");
    }
    let name = name.to_lowercase().replace('-', "_");
    CONCEPTS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use super::missing_concept;
    use crate::Scenario;

    /// Fields of other tools are refused by the name of the missing concept, and by place.
    #[test]
    fn what_is_not_modelled_is_refused_by_its_name() {
        let task = "[[task]]\nname = \"a\"\nwcet = \"8 ms\"\nperiod = \"10 ms\"\n";
        for (text, wanted) in [
            (format!("[[resource]]\nname = \"r\"\ninheritance = true\n{task}"), "x:4:1: resource[0].inheritance: a mutex states protocol = \"inherit\" or \"protect\", under SCHED_FIFO; allowed: name, units,"),
            (format!("{task}after = \"b\""), "x:6:1: task[0].after: precedence constraints and end-to-end latencies of chains are not supported; allowed: "),
            (format!("{task}firm = [1, 3]"), "x:6:1: task[0].firm: (m,k)-firm deadlines are not supported; allowed: "),
            (format!("{task}cost = {{ distribution = [[\"2 ms\", 0.9]] }}"), "x:6:10: task[0].cost.distribution: execution times with probabilities are not supported; allowed: "),
            (format!("platform.speeds = [1, 0.2]\n{task}"), "x:2:10: platform.speeds: processors of different speeds (uniform or unrelated) are not supported; allowed: "),
            (format!("{task}criticality = \"hi\""), "x:6:1: task[0].criticality: mixed criticality is not supported; allowed: "),
        ] {
            let found = Scenario::parse("x", &format!("schedlab = 1\n{text}")).unwrap_err().to_string();
            assert!(found.lines().any(|line| line.starts_with(wanted)), "{found}\nwanted {wanted}");
        }
        assert_eq!(missing_concept("task[0]", "wcett"), None);
    }

    /// No field that exists is called unsupported.
    #[test]
    fn no_field_that_exists_is_refused() {
        for table in crate::schema::SCENARIO_DEFINITIONS {
            for name in table.names() {
                assert_eq!(missing_concept("", name), None, "{name}");
            }
        }
    }
}
